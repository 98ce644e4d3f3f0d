package schedule

import (
	"errors"
	"fmt"
	"testing"

	"millrace/schema"
)

// linked is a record of links at a depth.
func linked(depth int32, paths ...string) *schema.Discovered {
	m := linksTo("com.example", paths...)
	m.GetLinks().Depth = depth
	return m
}

// depthCrawl crawls three pages, of which the long way to the second is found first, and crashes
// after so many effects, once (< 0: never). It returns the greatest depth that the target of the
// second page was asked with and how many effects there were.
func depthCrawl(t *testing.T, crashAfter int, flying bool) (reached bool, asked, used int) {
	t.Helper()
	w := newWorld(t, func(o *Options) { o.Delay, o.MaxDepth = 0, 2 })
	w.effects = crashAfter
	if crashAfter < 0 {
		w.effects = 1 << 30
	}
	budget := w.effects
	w.append(linked(2, ":http/far"))
	near := false
	for quiet, turns := 0, 0; quiet < 3; turns++ {
		if turns > 1000 {
			t.Fatal("no end of it")
		}
		if err := w.round(4); errors.Is(err, errCrash) {
			w.crash()
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		quiet++
		if w.committed < len(w.in) || w.task.recovery.phase != ready {
			quiet = 0
		}
		for _, i := range w.unfinished() {
			s := w.out[i]
			quiet = 0
			if !near && flying { // the shorter way is found while the page is asked for
				w.append(linked(1, ":http/far"))
			}
			w.finish(i, nil)
			if s.RowKey == "com.example:http/far" {
				asked++
				next := linked(s.Depth+1, ":http/target")
				next.GetLinks().SourceRowKey = s.RowKey
				w.append(next)
			}
			if !near && !flying {
				w.append(linked(1, ":http/far"))
			}
			near = true
		}
		w.clock = w.clock.Add(1e9)
	}
	row := w.row("com.example:http/target")
	return row != nil && row.Status == schema.UrlRow_FETCHED && row.Depth == 2, asked, budget - w.effects
}

// With a bound on depth, what is reached does not depend on which way to a page was found first,
// nor on where the process dies.
func TestDepthIsThatOfTheShortestWay(t *testing.T) {
	for _, flying := range []bool{false, true} {
		reached, asked, used := depthCrawl(t, -1, flying)
		if !reached || asked != 2 {
			t.Fatalf("found in flight %t: target reached: %t; the page was asked for %d times", flying, reached, asked)
		}
		for n := range used {
			if reached, _, _ := depthCrawl(t, n, flying); !reached {
				t.Fatalf("crash after effect %d of %d, in flight %t: not reached", n, used, flying)
			}
		}
	}
}

// What a seed or a sitemap names is as near as they say.
func TestASeedLowersTheDepthOfAKnownPage(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Delay, o.MaxDepth = 0, 2 })
	w.append(linked(2, ":http/far"))
	w.run()
	w.finish(0, nil)
	w.append(added("com.example", "seeds", &schema.AddItem{Url: "http://example.com/far"}))
	w.run()
	if n := len(w.out); n != 2 || w.out[1].Depth != 0 {
		t.Errorf("%d were sent: %s", n, fmt.Sprint(w.out))
	}
}
