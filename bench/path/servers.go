package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"millrace/cmd/wire"
	"millrace/streams"
	"millrace/streams/streamstest"
)

// onServers crawls with all groups over brokers and a store, and prints what a page cost here,
// there, and in requests to the store.
func (s settings) onServers(ctx context.Context, r *report, results string) error {
	cfg := wire.DefaultConfig()
	cfg.Brokers = strings.Split(s.brokers, ",")
	cfg.Store = fmt.Sprintf("%s/path%d", s.store, time.Now().UnixNano())
	if err := streamstest.Clear(ctx, cfg.Brokers); err != nil {
		return err
	}
	if _, err := wire.Provision(ctx, cfg, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	s.dir, s.store = filepath.Join(s.dir, "servers"), cfg.Store
	s.profile = cmp.Or(s.profile, s.dir+".pprof")
	before, err := s.serversCPU()
	if err != nil {
		return err
	}
	if err := ask(ctx, s.as("crawl"), &r.whole); err != nil {
		return err
	}
	after, err := s.serversCPU()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	r.onServers(&b, after-before)
	if _, err := os.Stdout.Write(b.Bytes()); err != nil || results == "" {
		return err
	}
	return os.WriteFile(results, b.Bytes(), 0o644)
}

func (r *report) onServers(w io.Writer, servers time.Duration) {
	c, n := r.whole, float64(r.whole.Pages)
	fmt.Fprintf(w, "| on servers, delay 0 | pages | wall | pages a second | CPU ms a page | of the servers | requests to the store a page |\n")
	fmt.Fprintf(w, "|---|---:|---:|---:|---:|---:|---:|\n")
	all := int64(0)
	for _, v := range c.Store {
		all += v.Value
	}
	fmt.Fprintf(w, "| all groups, one process | %d | %.1f s | %.0f | %.2f | %.2f | %.2f |\n\n", c.Pages, c.Cost.Wall.Seconds(),
		n/c.Cost.Wall.Seconds(), millis(c.Cost.CPU)/n, millis(servers)/n, float64(all)/n)
	fmt.Fprintf(w, "Requests to the store by the table and the group that writes it:\n\n")
	fmt.Fprintf(w, "| group | table | reads a page | writes a page |\n|---|---|---:|---:|\n")
	for _, t := range tablesOf(c.Store) {
		fmt.Fprintf(w, "| %s | %s | %.2f | %.2f |\n", t.group, t.table, float64(t.reads)/n, float64(t.writes)/n)
	}
	fmt.Fprintln(w)
	r.rounds(w)
}

// requests are those of one table.
type requests struct {
	group, table  string
	reads, writes int64
}

// tablesOf sums counters by table, the one with the most requests first.
func tablesOf(counts []streams.CountValue) []requests {
	var list []requests
	for _, v := range counts {
		i := slices.IndexFunc(list, func(r requests) bool { return r.table == v.Label })
		if i < 0 {
			i = len(list)
			list = append(list, requests{group: v.Group, table: v.Label})
		}
		if v.What == "store_reads" {
			list[i].reads += v.Value
		} else {
			list[i].writes += v.Value
		}
	}
	slices.SortFunc(list, func(a, b requests) int { return cmp.Compare(b.reads+b.writes, a.reads+a.writes) })
	return list
}

// clockTicks is how many ticks a second /proc counts CPU time in, on every Linux of today.
const clockTicks = 100

// serversCPU is the CPU time of the servers' processes so far, in user and system mode.
func (s settings) serversCPU() (time.Duration, error) {
	sum := time.Duration(0)
	for _, id := range strings.FieldsFunc(s.servers, func(r rune) bool { return r == ',' }) {
		stat, err := os.ReadFile(filepath.Join("/proc", id, "stat"))
		if err != nil {
			return 0, err
		}
		_, after, _ := strings.Cut(string(stat), ") ") // the name before it may hold anything
		fields := strings.Fields(after)
		for _, f := range fields[11:13] { // utime, stime: fields 14 and 15 of proc(5)
			n, err := strconv.ParseInt(f, 10, 64)
			if err != nil {
				return 0, err
			}
			sum += time.Duration(n) * time.Second / clockTicks
		}
	}
	return sum, nil
}
