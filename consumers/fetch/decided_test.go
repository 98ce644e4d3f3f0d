package fetch

import (
	"strings"
	"sync"
	"testing"
	"time"

	"millrace/schema"
)

// decisions stand for the rules of operators: what they say of a path, from when they are made.
type decisions struct {
	mu sync.Mutex
	by map[string]Judgement
}

func (d *decisions) judge(_ *schema.Scheduled, u schema.URL) Judgement {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.by[u.PathQuery()]
}

func (d *decisions) set(path string, j Judgement) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.by == nil {
		d.by = map[string]Judgement{}
	}
	d.by[path] = j
}

// An exclude, a removal and a pause that came after a URL was handed over hold for it: its turn may
// come a minute later.
func TestADecisionHoldsForURLsThatWaitHere(t *testing.T) {
	d := &decisions{}
	inWorld(t, func(o *Options) { o.Delay, o.Judge = 10*time.Second, d.judge }, func(w *world) {
		for _, path := range []string{"/first", "/excluded", "/removed", "/paused", "/last"} {
			w.schedule("http://a.test" + path)
		}
		w.wait(12 * time.Second)
		d.set("/excluded", Judgement{Reason: "excluded", Rule: "r-1"})
		d.set("/removed", Judgement{Reason: "forgotten", Rule: "f-1"})
		d.set("/paused", Judgement{Paused: true})
		w.wait(time.Minute)
		if got := w.origin.paths("a.test"); got != "/robots.txt /first /last" {
			t.Errorf("asked for %s", got)
		}
		var got []string
		for _, o := range w.outcomes() {
			got = append(got, strings.Join([]string{schema.RowKey(o.RowKey).Path(), o.Result.String(), o.ErrorKind, o.Rule}, " "))
			if o.Result.String() == "DEFERRED" && o.Until == 0 {
				t.Error("the URL of a paused host comes back at once")
			}
		}
		want := ":http/first OK   | :http/excluded REFUSED excluded r-1 | :http/removed REFUSED forgotten f-1 | :http/paused DEFERRED   | :http/last OK  "
		if all := strings.Join(got, " | "); all != want {
			t.Errorf("got  %s\nwant %s", all, want)
		}
	})
}

// What comes while the connection is made, which may take many seconds, holds too.
func TestADecisionHoldsUntilTheRequestIsWritten(t *testing.T) {
	d := &decisions{}
	inWorld(t, func(o *Options) { o.Judge = d.judge }, func(w *world) {
		w.schedule("http://a.test/first")
		w.wait(10 * time.Second)
		w.origin.set(func() { w.origin.dial = 8 * time.Second })
		w.schedule("http://a.test/page")
		w.wait(5 * time.Second)
		d.set("/page", Judgement{Reason: "excluded", Rule: "r-1"})
		w.wait(30 * time.Second)
		if got := w.origin.paths("a.test"); got != "/robots.txt /first" {
			t.Errorf("asked for %s", got)
		}
		if got := w.results(); got != "OK REFUSED" {
			t.Errorf("results %s", got)
		}
	})
}

// A host that is excluded before anything was asked of it is not asked for its robots.txt.
func TestAnExcludedHostIsNotAskedForItsRobots(t *testing.T) {
	d := &decisions{}
	d.set("/page", Judgement{Reason: "excluded", Rule: "r-1"})
	inWorld(t, func(o *Options) { o.Judge = d.judge }, func(w *world) {
		w.schedule("http://a.test/page")
		w.wait(10 * time.Second)
		if got := w.origin.paths("a.test"); got != "" || w.one().Rule != "r-1" {
			t.Errorf("asked for %q", got)
		}
	})
}
