package schedule

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
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

// naming is a site with a host for every name that its pages name: each names five more.
type naming struct {
	most    int              // names that there are
	text    func(int) uint64 // of the n-th host that is asked
	catches bool             // it answers for any other name too,
	says    uint64           // with this text and no links; 0: as for its own names
}

// crawl crawls the site until nothing is left. It returns how many hosts of the site's own names
// are known and how many requests they got, and how many others got one.
func (s naming) crawl(t *testing.T, crashAt int) (hosts, requests, madeUp int) {
	t.Helper()
	w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.Delay, o.Interval, o.Traps, o.HostsPerSite = 0, 0, true, 1000 })
	w.append(added("com.example", "seeds", &schema.AddItem{Url: "http://example.com/"}))
	next, number, others := 0, map[schema.Host]int{}, map[schema.Host]bool{}
	for quiet := 0; quiet < 100; quiet++ {
		w.pass(time.Second, time.Second)
		if requests == crashAt {
			w.crash()
			crashAt = -1
		}
		for _, i := range w.unfinished() {
			quiet = 0
			o := w.out[i]
			host := schema.RowKey(o.RowKey).Host()
			label := strings.TrimPrefix(string(host), "com.example.h")
			if n, err := strconv.Atoi(label); host == "com.example" || err == nil && n <= next && strconv.Itoa(n) == label {
				requests++
			} else if others[host] = true; !s.catches {
				w.finish(i, func(o *schema.Outcome) { o.Result, o.ErrorKind, o.HttpStatus = schema.Outcome_NETWORK, "dns", 0 })
				continue
			}
			if _, ok := number[host]; !ok {
				number[host] = len(number)
			}
			text := s.text(number[host])
			if others[host] && s.says > 0 {
				text = s.says
			}
			w.finish(i, nil)
			w.append(&schema.Discovered{Host: string(host), Body: &schema.Discovered_Digest{Digest: &schema.Digest{
				RowKey: o.RowKey, Rev: o.Rev, TextHash: binary.LittleEndian.AppendUint64(nil, text)}}})
			for range 5 {
				if others[host] && s.says > 0 {
					break
				}
				if next++; next < s.most {
					m := linksTo(schema.Host(fmt.Sprintf("com.example.h%d", next)), ":http/")
					m.GetLinks().SourceRowKey = o.RowKey
					w.append(m)
				}
			}
		}
	}
	if n := w.group.Status().Queued; n != 0 {
		t.Errorf("%d URLs wait: %+v", n, w.group.Status())
	}
	return int(w.group.Status().Hosts) - len(others), requests, len(others)
}

func ownText(n int) uint64 { return uint64(n) + 100 }

// A site that makes up hosts without end, with the same page behind all of them, is left alone
// after some. A site whose hosts have texts of their own is crawled whole.
func TestASiteThatRepeatsItselfOnEveryHostIsCut(t *testing.T) {
	if hosts, requests, _ := (naming{1 << 30, func(int) uint64 { return 7 }, true, 0}).crawl(t, -1); requests > 200 {
		t.Errorf("%d requests to %d hosts with one text", requests, hosts)
	}
	if hosts, requests, _ := (naming{1 << 30, func(n int) uint64 { return uint64(n % 9) }, true, 0}).crawl(t, -1); requests > 300 {
		t.Errorf("%d requests to %d hosts with nine texts", requests, hosts)
	}
	if hosts, requests, madeUp := (naming{600, ownText, false, 0}).crawl(t, -1); hosts != 600 || requests != 600 || madeUp > 2 {
		t.Errorf("%d requests to %d of 600 hosts with texts of their own, %d to others", requests, hosts, madeUp)
	}
	if hosts, requests, madeUp := (naming{600, func(n int) uint64 { return uint64(n / 5) }, false, 0}).crawl(t, -1); hosts != 600 || requests != 600 || madeUp > 2 {
		t.Errorf("%d requests to %d of 600 hosts, five with one text each, %d to others", requests, hosts, madeUp)
	}
}

// A site that answers for any name with a page of its own is left alone after some hosts, also if
// the process dies in between. One that has so many hosts, and says for all other names that there
// is nothing, is crawled whole.
func TestASiteWithAHostForAnyNameIsCut(t *testing.T) {
	for _, crashAt := range []int{-1, 1, 6, 31, 51} {
		hosts, requests, madeUp := naming{1 << 30, ownText, true, 0}.crawl(t, crashAt)
		if requests < 40 || requests > 200 || madeUp != hostGuesses {
			t.Errorf("crash after %d: %d requests to %d hosts with invented texts, %d to others", crashAt, requests, hosts, madeUp)
		}
	}
	if hosts, requests, madeUp := (naming{600, ownText, true, 7}).crawl(t, -1); hosts != 600 || requests != 600 || madeUp > 2 {
		t.Errorf("%d requests to %d of 600 hosts, %d to others, which all say the same", requests, hosts, madeUp)
	}
}

// Hosts that seeds or other sites named are crawled whole, whatever the site answers for.
func TestHostsThatOthersNameAreNotCut(t *testing.T) {
	w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.Delay, o.Interval, o.Traps, o.HostsPerSite = 0, 0, true, 1000 })
	for i := range 300 {
		m := linksTo(schema.Host(fmt.Sprintf("com.example.h%d", i)), ":http/")
		m.GetLinks().SourceRowKey, m.GetLinks().SourceSite = "com.other:http/", "other.com"
		w.append(m)
	}
	fetchAll(20, w)
	if n := fetched(w); n != 300 {
		t.Errorf("%d of 300 hosts that another site named were fetched", n)
	}
}
