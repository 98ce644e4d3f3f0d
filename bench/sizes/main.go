// Command sizes computes what a crawl of a given number of pages needs: processes, brokers, nodes,
// partitions, memory and disk. docs/sizes.md has its table.
//
//	go run ./bench/sizes                              the table for 10^5 to 10^9 pages
//	go run ./bench/sizes -pages 5e7 -days 10
//	go run ./bench/path -pages 2000 -dir D && go run ./bench/sizes -measure D/whole -fetched 2000
//
// Every figure is a product of measured costs (costs.go says with which command each was measured)
// and of assumptions, which are the flags. -measure prints the costs on disk anew, from the data
// directory that bench/path leaves.
//
// Limits: costs are those of synthetic pages of 20 KB on one machine of two cores; nobody has run
// 10^8 pages. Pages of the web are larger: -page-kb scales what grows with them. Take the table as
// the place to begin, and measure on the first per cent of the crawl.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
)

func main() {
	a := defaults()
	pages := 0.0
	dir, fetched := "", 0
	flag.Float64Var(&pages, "pages", 0, "pages of one crawl; 0: 10^5, 10^6, 10^8 and 10^9")
	flag.Float64Var(&a.days, "days", a.days, "in which all of them are fetched once, and after that again")
	flag.Float64Var(&a.pageKB, "page-kb", a.pageKB, "mean size of a page, uncompressed")
	flag.Float64Var(&a.urls, "urls", a.urls, "URLs known for each page fetched")
	flag.Float64Var(&a.replicas, "replicas", a.replicas, "copies of logs and tables")
	flag.StringVar(&dir, "measure", "", "data directory of a crawl: print the costs on disk")
	flag.IntVar(&fetched, "fetched", 0, "pages of that crawl")
	flag.Parse()
	if err := run(os.Stdout, a, pages, dir, fetched); err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, a assumptions, pages float64, dir string, fetched int) error {
	if err := a.validate(); err != nil {
		return err
	}
	if dir != "" {
		return measure(w, dir, fetched)
	}
	sizes := []float64{1e5, 1e6, 1e8, 1e9}
	if pages != 0 {
		sizes = []float64{pages}
	}
	var plans []plan
	for _, n := range sizes {
		if n < 1000 || n > 1e12 {
			return fmt.Errorf("%g pages: from 1000 to 10^12 can be computed", n)
		}
		plans = append(plans, compute(measured(), a, n))
	}
	return print(w, plans)
}

// print writes the table, a column for each plan.
func print(w io.Writer, plans []plan) error {
	t := tabwriter.NewWriter(w, 0, 0, 0, ' ', 0)
	head, line := "| |", "|---|"
	for _, p := range plans {
		head, line = head+fmt.Sprintf(" %s pages |", count(p.pages)), line+"---:|"
	}
	fmt.Fprintf(t, "%s\n%s\n", head, line)
	for _, r := range rows() {
		cells := []string{r.name}
		for _, p := range plans {
			cells = append(cells, r.of(p))
		}
		fmt.Fprintf(t, "| %s |\n", strings.Join(cells, " | "))
	}
	return t.Flush()
}
