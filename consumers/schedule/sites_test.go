package schedule

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"millrace/consumers/rules"
	"millrace/schema"
)

// hostsNamed returns the names of n hosts of example.com.
func hostsNamed(n int) []schema.Host {
	var out []schema.Host
	for i := range n {
		out = append(out, schema.Host(fmt.Sprintf("com.example.h%d", i)))
	}
	return out
}

// fetchAll crawls until nothing is left: each page is fetched two seconds later. all: the processes
// of one crawl.
func fetchAll(rounds int, all ...*world) {
	for range rounds {
		for _, w := range all {
			w.pass(2*time.Second, time.Second)
		}
		for _, w := range all {
			for _, i := range w.unfinished() {
				w.finish(i, nil)
			}
		}
	}
}

func fetched(w *world) int { return int(w.group.Status().URLs[schema.UrlRow_FETCHED]) }

// The hosts of a site bring as many pages together as the site may have, whatever the number of
// hosts, also if the process dies in between. A seed counts, and is never left out.
func TestASiteGetsAsManyPagesAsItMay(t *testing.T) {
	for crash := range 6 {
		w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.Delay, o.Interval, o.PagesPerSite = 0, 0, 30 })
		for _, h := range hostsNamed(10) {
			w.append(linksTo(h, paths(20)...))
		}
		w.append(linksTo("com.other", paths(25)...))
		for range crash {
			w.run()
			for _, i := range w.unfinished() {
				if i%2 == 0 {
					w.finish(i, nil)
				}
			}
			w.crash()
		}
		w.append(added("com.example", "seeds", &schema.AddItem{Url: "http://example.com/seed"}))
		fetchAll(20, w)
		s := w.group.Status()
		if n, seed := fetched(w)-25, w.row("com.example:http/seed"); n < 30 || n > 31 || seed.Status != schema.UrlRow_FETCHED {
			t.Errorf("%d crashes: %d pages of the site, the seed %s", crash, n, seed.Status)
		}
		if s.Causes[sitePages] < 169 || s.InFlight != 0 || s.Queued != 0 {
			t.Errorf("%d crashes: left behind: %+v", crash, s)
		}
	}
}

// Processes that share a site share its pages: at most one more for each further process.
func TestProcessesShareThePagesOfASite(t *testing.T) {
	const processes, most = 4, 50
	store := newMemory()
	var all []*world
	for i := 0; len(all) < processes; i++ {
		h := schema.Host(fmt.Sprintf("com.example.h%d", i))
		if int(schema.Partition(string(h), processes)) == len(all) {
			all = append(all, newWorldOf(t, store, h, processes, func(o *Options) { o.Delay, o.Interval, o.PagesPerSite = 0, 0, most }))
		}
	}
	for _, h := range hostsNamed(20) {
		w := all[schema.Partition(string(h), processes)]
		w.append(linksTo(h, paths(20)...))
	}
	fetchAll(60, all...)
	sum, waits := 0, int64(0)
	for _, w := range all {
		sum, waits = sum+fetched(w), waits+w.group.Status().Queued
	}
	if sum < most || sum > most+processes-1 || waits != 0 {
		t.Errorf("%d pages of %d, %d URLs wait", sum, most, waits)
	}
}

// A limit rule for a site counts the URLs of all its hosts, also after a crash; one for everything
// counts those of each host.
func TestALimitOfASiteCountsAllItsHosts(t *testing.T) {
	for _, crash := range []bool{false, true} {
		set := rules.New()
		decide(t, set, "limit 12 /tag/", false)
		w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.Rules = set })
		for i, h := range hostsNamed(8) {
			if crash && i == 3 {
				w.run()
				w.crash()
			}
			w.append(linksTo(h, ":http/tag/1", ":http/tag/2", ":http/tag/3", ":http/tag/4", ":http/tag/5", ":http/a"))
		}
		w.run()
		tags, others := 0, 0
		for _, h := range hostsNamed(8) {
			for i := range 6 {
				if w.row(fmt.Sprintf("%s:http/tag/%d", h, i)) != nil {
					tags++
				}
			}
			if w.row(string(h)+":http/a") != nil {
				others++
			}
		}
		if tags != 12 || others != 8 {
			t.Errorf("%d tags of 12 on all hosts, %d of 8 other pages", tags, others)
		}
	}
}

// inventing crawls a site with a host for every name, each page of which names five more, until
// nothing is left or so many hosts are known. text gives the text of the n-th host.
func inventing(t *testing.T, most int, text func(n int) uint64) (hosts, requests int) {
	t.Helper()
	w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.Delay, o.Interval, o.Traps, o.HostsPerSite = 0, 0, true, 1000 })
	w.append(added("com.example", "seeds", &schema.AddItem{Url: "http://example.com/"}))
	next, number := 0, map[schema.Host]int{}
	for quiet := 0; quiet < 5; quiet++ {
		w.pass(time.Second, time.Second)
		for _, i := range w.unfinished() {
			quiet = 0
			s := w.out[i]
			host := schema.RowKey(s.RowKey).Host()
			if _, ok := number[host]; !ok {
				number[host] = len(number)
			}
			w.finish(i, nil)
			requests++
			w.append(&schema.Discovered{Host: string(host), Body: &schema.Discovered_Digest{Digest: &schema.Digest{
				RowKey: s.RowKey, Rev: s.Rev, TextHash: binary.LittleEndian.AppendUint64(nil, text(number[host]))}}})
			for range 5 {
				if next++; next < most {
					m := linksTo(schema.Host(fmt.Sprintf("com.example.h%d", next)), ":http/")
					m.GetLinks().SourceRowKey = s.RowKey
					w.append(m)
				}
			}
		}
	}
	return int(w.group.Status().Hosts), requests
}

// A site that makes up hosts without end, with the same page behind all of them, is left alone
// after some. A site whose hosts have texts of their own is crawled whole.
func TestASiteThatRepeatsItselfOnEveryHostIsCut(t *testing.T) {
	if hosts, requests := inventing(t, 1<<30, func(int) uint64 { return 7 }); requests > 200 {
		t.Errorf("%d requests to %d hosts with one text", requests, hosts)
	}
	if hosts, requests := inventing(t, 1<<30, func(n int) uint64 { return uint64(n % 9) }); requests > 300 {
		t.Errorf("%d requests to %d hosts with nine texts", requests, hosts)
	}
	if hosts, requests := inventing(t, 600, func(n int) uint64 { return uint64(n) }); hosts != 600 || requests != 600 {
		t.Errorf("%d requests to %d of 600 hosts with texts of their own", requests, hosts)
	}
	if hosts, requests := inventing(t, 600, func(n int) uint64 { return uint64(n / 5) }); hosts != 600 || requests != 600 {
		t.Errorf("%d requests to %d of 600 hosts, five with one text each", requests, hosts)
	}
}
