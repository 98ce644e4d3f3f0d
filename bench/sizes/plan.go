package main

import (
	"fmt"
	"math"

	"millrace/topics"
)

// plan holds the resources that a crawl needs. It is large because each line of the table is a
// field.
type plan struct {
	pages      float64
	rate       float64 // pages a second
	cores      float64 // of all processes
	processes  int
	partitions int // of the topics keyed by host
	documents  int // partitions of docs.unique, which never change
	log        float64
	store      float64
	index      float64 // TB each, with replicas and room
	brokers    int
	nodes      int
	memory     float64 // GB of all processes
	ranks      float64 // GB of the one process that computes the ranks
	wire       float64 // Mbit/s from the web, compressed
}

const (
	day = 24 * 60 * 60.0
	tb  = 1e12
)

// compute multiplies costs and assumptions.
func compute(c costs, a assumptions, pages float64) plan {
	p := plan{pages: pages, rate: pages / (a.days * day)}
	grow := a.pageKB / c.pageKB // what a larger page makes larger
	p.cores = p.rate * c.cpu / 1000 * grow / a.busy
	one := pages <= laptop(c, grow)
	if one {
		a.replicas = 1
	}
	kept := min(pages, p.rate*topics.Pages().Retention.Seconds())
	p.log = (kept*(c.pages*grow+c.passing) + pages*c.tables*grow) * a.replicas * a.room / tb
	p.store = pages * (c.rows + a.urls*c.urlRows) * a.replicas * a.room / tb
	p.index = pages * c.index * grow * a.room / tb
	p.wire = p.rate * c.pages * grow * 8 / 1e6
	p.documents = power(pages/a.shard, 4, 4096)
	p.ranks = pages * c.ranks / 1e9
	if one {
		p.processes, p.partitions = 1, 4
		p.memory = c.idle/1000 + p.ranks + pages*c.columns/1e9
		return p
	}
	p.processes = max(3, int(math.Ceil(p.cores/a.process)))
	p.partitions = power(float64(4*p.processes), 64, 4096)
	p.documents = power(pages/a.shard, 16, 4096)
	p.memory = float64(p.processes)*c.idle/1000 + p.ranks + pages*c.columns/1e9
	p.brokers = max(3, int(math.Ceil(p.log/a.broker)))
	p.nodes = max(3, int(math.Ceil(p.store/a.node)))
	return p
}

// laptop is the most pages for one process with its own broker and store: what docs.unique has room
// for there.
func laptop(c costs, grow float64) float64 {
	return float64(topics.Unique().Embedded) / (c.unique * grow)
}

// power is the power of two at or above n, within bounds.
func power(n float64, least, most int) int {
	p := least
	for float64(p) < n && p < most {
		p *= 2
	}
	return p
}

// row is a line of the table.
type row struct {
	name string
	of   func(plan) string
}

func rows() []row {
	whole := func(n int) string {
		if n == 0 {
			return "in the process"
		}
		return fmt.Sprint(n)
	}
	return []row{
		{"pages a second, on the mean", func(p plan) string { return digits(p.rate) }},
		{"from the web, Mbit/s", func(p plan) string { return digits(p.wire) }},
		{"cores of millrace", func(p plan) string { return digits(max(p.cores, 1)) }},
		{"processes", func(p plan) string { return fmt.Sprint(p.processes) }},
		{"memory of millrace, GB", func(p plan) string { return digits(p.memory) }},
		{"of it the process of ranks, GB", func(p plan) string { return digits(p.ranks) }},
		{"--partitions", func(p plan) string { return fmt.Sprint(p.partitions) }},
		{"--doc-partitions", func(p plan) string { return fmt.Sprint(p.documents) }},
		{"brokers", func(p plan) string { return whole(p.brokers) }},
		{"disk of the log, TB", func(p plan) string { return digits(p.log) }},
		{"nodes of the store", func(p plan) string { return whole(p.nodes) }},
		{"disk of the store, TB", func(p plan) string { return digits(p.store) }},
		{"disk of the index, TB", func(p plan) string { return digits(p.index) }},
	}
}

// digits writes a number with two digits that count.
func digits(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// count writes a number of pages.
func count(n float64) string {
	if e := math.Log10(n); e == math.Trunc(e) {
		return fmt.Sprintf("10^%.0f", e)
	}
	return fmt.Sprintf("%.3g", n)
}
