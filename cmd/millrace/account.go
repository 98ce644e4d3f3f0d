package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"millrace/ops/watch"
	"millrace/schema"
)

// known is the number of URLs in the frontier: every one has exactly one status.
func known(f *watch.Frontier) int64 {
	var n int64
	for _, urls := range f.ByStatus {
		n += urls
	}
	return n
}

// statuses lists what can become of a URL, in the order of its life, with words
// for people.
func statuses() [][2]string {
	return [][2]string{
		{"fetched", ""},
		{"redirected", ""},
		{"gone", "not there any more"},
		{"failed", "tried too often"},
		{"refused", "by robots.txt, or an address that may not be fetched"},
		{"dropped", "no page"},
		{"forgotten", "removed by an operator"},
		{"queued", "still to be fetched"},
	}
}

// printAccount says where every URL is: the lines add up.
func (c *output) printAccount(r *watch.Report) {
	if f := r.Frontier; f != nil {
		c.line("URLs known", known(f), "on "+plural(f.Hosts, "host"))
		c.printStatuses(r)
		if why := reasons(f.ByReason, 8); why != "" {
			c.printf("%-14s %s\n", "because", why)
		}
	}
	if n, why := leftOut(r.Drops); n > 0 {
		c.line("not followed", n, "links: "+why)
	}
	if len(r.Index) > 0 {
		c.line("documents", r.Docs(), "in the index")
	}
	c.printDay(r)
	c.printFreshness(r.Freshness)
	if n := r.DeadLetters; n != nil && *n > 0 {
		c.line("dead letters", *n, "see millrace dead-letters")
	}
}

// printDay says what the last day brought, and how that stands to all documents.
func (c *output) printDay(r *watch.Report) {
	if r.Frontier == nil || len(r.Frontier.Days) == 0 {
		return
	}
	d := r.Frontier.Days[len(r.Frontier.Days)-1]
	about := fmt.Sprintf("new texts on %s (UTC): %.0f %% of %s", d.Date, 100*d.Share, plural2(d.Fetched, "fetch", "fetches"))
	if all := r.Docs(); all > 0 {
		about += fmt.Sprintf("; %.2f documents a day for each in the index", float64(d.Documents)/float64(all))
	}
	c.line("useful", d.Useful, about)
}

// fetchedParts says what became of the fetched URLs: "= 748 documents + 300 with the same text …".
func fetchedParts(r *watch.Report) string {
	var words strings.Builder
	for i, p := range r.FetchedParts() {
		switch {
		case i == 0:
			words.WriteString("= " + count(p.N) + " " + p.Name)
		case p.N < 0: // documents that are counted already, of URLs that are not yet
			words.WriteString(" - " + count(-p.N) + " counted before their URLs")
		default:
			words.WriteString(" + " + count(p.N) + " " + p.Name)
		}
	}
	return words.String()
}

func (c *output) printStatuses(r *watch.Report) {
	left := map[string]int64{}
	for name, n := range r.Frontier.ByStatus {
		left[strings.ToLower(name)] += n
	}
	for _, s := range statuses() {
		about := s[1]
		if s[0] == "fetched" {
			about = fetchedParts(r)
		}
		if n := left[s[0]]; n > 0 {
			c.line("  "+s[0], n, about)
		}
		delete(left, s[0])
	}
	for _, name := range slices.Sorted(maps.Keys(left)) { // of a newer millrace
		c.line("  "+name, left[name], "")
	}
}

func (c *output) line(name string, n int64, about string) {
	c.printf("%s\n", strings.TrimRight(fmt.Sprintf("%-14s %9s   %s", name, count(n), about), " "))
}

// leftOut returns the number of links that did not become URLs, and why.
func leftOut(drops []watch.Drop) (n int64, why string) {
	by := map[string]int64{}
	for _, d := range drops {
		if d.Group == "schedule" {
			n += d.N
			by[d.Reason] += d.N
		}
	}
	return n, reasons(by, 6)
}

// reasons lists the most frequent reasons: "robots 12, scope 3".
func reasons(by map[string]int64, most int) string {
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b))
	})
	var words []string
	for i, name := range names {
		if i == most {
			words = append(words, fmt.Sprintf("%d more reasons", len(names)-i))
			break
		}
		words = append(words, fmt.Sprintf("%s %s", schema.ReasonOf(name).Count, count(by[name])))
	}
	return strings.Join(words, ", ")
}
