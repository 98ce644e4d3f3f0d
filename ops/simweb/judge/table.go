package judge

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"
)

// Print writes the report as a table for people.
func (r *Report) Print(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(t, "requests\t%d\tin %v, %d bytes\n", r.Requests, r.To.Sub(r.From).Round(time.Millisecond), r.Bytes)
	for _, status := range slices.Sorted(maps.Keys(r.Statuses)) {
		fmt.Fprintf(t, "  status %d\t%d\t\n", status, r.Statuses[status])
	}
	fmt.Fprintf(t, "conditional\t%d\t%d not modified\n\n", r.Validated.Asked, r.Validated.NotModified)
	r.printSpreads(t)
	r.printOffences(t)
	r.printFreshness(t)
	return t.Flush()
}

func (r *Report) printSpreads(t io.Writer) {
	fmt.Fprintf(t, "gaps, delay %v\tkeys\tgaps\tearly\tmin\tmean\tp01\tp50\tp99\tmost in flight\n", r.Delay)
	for _, row := range []struct {
		name string
		s    Spread
	}{{"by host", r.Hosts}, {"by site", r.Sites}, {"by address", r.Addresses}} {
		s := row.s
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%v\t%v\t%v\t%v\t%v\t%d\n", row.name, s.Keys, s.Gaps, s.Early,
			round(s.Min), round(s.Mean), round(s.P01), round(s.P50), round(s.P99), s.MaxInFlight)
	}
	fmt.Fprint(t, "\nhost gaps / delay below")
	for _, b := range r.Hosts.Histogram {
		if b.UpTo == 0 {
			fmt.Fprint(t, "\tmore")
			continue
		}
		fmt.Fprintf(t, "\t%g", b.UpTo)
	}
	fmt.Fprint(t, "\n")
	for _, b := range r.Hosts.Histogram {
		fmt.Fprintf(t, "\t%d", b.Count)
	}
	fmt.Fprint(t, "\n\n")
}

func (r *Report) printOffences(t io.Writer) {
	fmt.Fprintf(t, "robots.txt read\t%d\n", r.Robots.Fetched)
	fmt.Fprintf(t, "pages before robots.txt\t%d\n", r.Robots.BeforeRead)
	fmt.Fprintf(t, "disallowed pages\t%d\n", r.Robots.Disallowed)
	fmt.Fprintf(t, "repeated fetches\t%d\tof %d URLs; robots.txt %d\n", r.Repeats.Requests, r.Repeats.URLs, r.Repeats.Robots)
	fmt.Fprintf(t, "pages of traps\t%d\n", r.TrapPages)
	fmt.Fprintf(t, "unknown hosts, wrong agent\t%d, %d\n", r.UnknownHost, r.WrongAgent)
	if c := r.Coverage; c != nil {
		fmt.Fprintf(t, "within reach\t%d\tfetched %d, missing %d, extra %d\n", c.Expected, c.Fetched, c.Missing, c.Extra)
		printURLs(t, "missing", c.MissingURLs)
		printURLs(t, "extra", c.ExtraURLs)
	}
	for _, g := range r.Hosts.Examples {
		fmt.Fprintf(t, "  early\t%s\t%v after the last, delay %v\n", g.Key, round(g.Gap), g.Delay)
	}
	for _, o := range slices.Concat(r.Robots.Examples, r.Repeats.Examples) {
		fmt.Fprintf(t, "  %s\t%s\n", o.What, o.URL)
	}
	fmt.Fprint(t, "\n")
}

func printURLs(t io.Writer, what string, urls []string) {
	for _, u := range urls {
		fmt.Fprintf(t, "  %s\t%s\n", what, u)
	}
}

func (r *Report) printFreshness(t io.Writer) {
	fmt.Fprintf(t, "items\t%d appeared\t%d fetched, after %v on average, p99 %v\n",
		r.Items.Appeared, r.Items.Fetched, round(r.Items.Mean), round(r.Items.P99))
	for _, s := range r.Staleness {
		fmt.Fprintf(t, "  at %s\t%d copies\t%d stale, for %v on average",
			s.At.Format(time.DateTime), s.Pages, s.Stale, round(s.Age))
		if s.Within > 0 {
			fmt.Fprintf(t, "; %d of %d pages absent", s.Absent, s.Within)
		}
		fmt.Fprintln(t)
	}
}

func round(d time.Duration) time.Duration {
	if d > time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(10 * time.Microsecond)
}
