package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"millrace/bench/figures"
	"millrace/topics"
)

// report is everything that was measured.
type report struct {
	settings settings
	load     string // before
	whole    crawled
	without  crawled // the index
	parts    []part
	idle     cost
}

// print writes the tables to standard output and, if one is named, a file.
func (r *report) print(file string) error {
	var b bytes.Buffer
	r.head(&b)
	r.path(&b)
	r.shares(&b)
	r.bare(&b)
	r.rounds(&b)
	r.rest(&b)
	if _, err := os.Stdout.Write(b.Bytes()); err != nil || file == "" {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

func (r *report) head(w io.Writer) {
	fmt.Fprintf(w, "# What a page costs on the whole path\n\n")
	fmt.Fprintf(w, "    go run ./bench/path -pages %d -results bench/path/RESULTS.md\n\n", r.settings.pages)
	fmt.Fprintf(w, "%s, %s/%s, %d cores; load average %s before, %s after. Written by the program; CPU time is\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), r.load, figures.LoadAverage())
	fmt.Fprintf(w, "getrusage of the crawling process, the origin (simweb fast, 20 KB pages) is another one.\n\n")
}

func (r *report) path(w io.Writer) {
	fmt.Fprintf(w, "| embedded, delay 0 | pages | wall | CPU ms a page | pages a CPU second | records a page | closing: CPU ms a page |\n")
	fmt.Fprintf(w, "|---|---:|---:|---:|---:|---:|---:|\n")
	line := func(name string, c crawled) {
		all := int64(0)
		for _, n := range c.Records {
			all += n
		}
		n := float64(c.Pages)
		fmt.Fprintf(w, "| %s | %d | %.1f s | %.2f | %.0f | %.1f | %.2f |\n", name, c.Pages, c.Cost.Wall.Seconds(),
			millis(c.Cost.CPU)/n, n/c.Cost.CPU.Seconds(), float64(all)/n, millis(c.Ending.CPU)/n)
	}
	line("all groups", r.whole)
	line("without the index", r.without)
	fmt.Fprintln(w)
}

func (r *report) shares(w io.Writer) {
	fmt.Fprintf(w, "Where the CPU time goes, by the first frame of a known package from the leaf (CPU profile):\n\n")
	fmt.Fprintf(w, "| part | all groups | ms a page | without the index | ms a page |\n|---|---:|---:|---:|---:|\n")
	for _, s := range r.whole.Shares {
		other := 0.0
		for _, o := range r.without.Shares {
			if o.Name == s.Name {
				other = o.Part
			}
		}
		fmt.Fprintf(w, "| %s | %.1f %% | %.3f | %.1f %% | %.3f |\n", s.Name, 100*s.Part, s.Part*r.whole.perPage(), 100*other, other*r.without.perPage())
	}
	fmt.Fprintln(w)
}

// perPage is the CPU time of a page in milliseconds, closing included, as the
// profile has it.
func (c crawled) perPage() float64 { return millis(c.Cost.CPU+c.Ending.CPU) / float64(c.Pages) }

func (r *report) bare(w io.Writer) {
	fmt.Fprintf(w, "The bare parts, on the records that the first crawl left:\n\n")
	fmt.Fprintf(w, "| part | items | KB | CPU us an item | CPU ms a page | wall |\n|---|---:|---:|---:|---:|---:|\n")
	for _, p := range r.parts {
		fmt.Fprintf(w, "| %s | %d | %d | %.1f | %.3f | %.2f s |\n", p.Name, p.Items, p.Bytes/1000,
			1000*millis(p.Cost.CPU)/float64(max(1, p.Items)), millis(p.Cost.CPU)/float64(r.whole.Pages), p.Cost.Wall.Seconds())
	}
	fmt.Fprintln(w)
}

func (r *report) rounds(w io.Writer) {
	fmt.Fprintf(w, "Rounds with records, all groups. A commit covers all partitions of a group; index keeps its offset itself.\n\n")
	fmt.Fprintf(w, "| group | records | rounds | records a round | rounds a second | commits a second |\n|---|---:|---:|---:|---:|---:|\n")
	seconds := r.whole.Cost.Wall.Seconds()
	for _, name := range topics.GroupNames() {
		g := r.whole.Groups[name]
		fmt.Fprintf(w, "| %s | %d | %d | %.1f | %.1f | %.1f |\n", name, g.Records, g.Rounds,
			float64(g.Records)/float64(max(1, g.Rounds)), float64(g.Rounds)/seconds, float64(g.Commits)/seconds)
	}
}

func (r *report) rest(w io.Writer) {
	fmt.Fprintf(w, "\nWith nothing to do, all groups and the web server use %.1f %% of a core (over %s).\n",
		100*r.idle.CPU.Seconds()/r.idle.Wall.Seconds(), r.idle.Wall.Round(time.Second))
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
