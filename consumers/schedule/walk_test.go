package schedule

import (
	"fmt"
	"testing"
	"time"

	"millrace/schema"
)

func recheckPrefix(host, prefix string) *schema.Discovered {
	return &schema.Discovered{Host: host, Body: &schema.Discovered_Recheck{Recheck: &schema.Recheck{
		Target: &schema.Recheck_Prefix{Prefix: prefix}, Class: 4}}}
}

// fetchedPages is a world with so many fetched pages of one host, over more than
// one tier, none of them due.
func fetchedPages(t *testing.T, n int) *world {
	w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.Delay, o.InFlightLeast = 0, 16_000 })
	for from := 0; from < n; from += 1000 {
		var some []string
		for i := from; i < min(n, from+1000); i++ {
			some = append(some, fmt.Sprintf(":http/%c/p%d", 'a'+i%4, i))
		}
		w.append(linksTo("com.example", some...))
	}
	for done := 0; done < n; {
		w.run()
		for ; done < len(w.out); done++ {
			w.finish(done, nil)
		}
	}
	w.run()
	return w
}

// A recheck of a prefix reaches every known URL with it, in all tiers and
// buckets, once, and no other.
func TestRecheckOfAPrefixReachesAll(t *testing.T) {
	const n = 8192 + 1000
	w := fetchedPages(t, n)
	before, records := len(w.out), len(w.in)
	w.append(recheckPrefix("com.example", "com.example:http/b/"))
	for done := before; len(w.out)-before < n/4; {
		w.run()
		if done == len(w.out) {
			break
		}
		for ; done < len(w.out); done++ {
			w.finish(done, nil)
		}
	}
	seen := map[string]bool{}
	for _, s := range w.out[before:] {
		if seen[s.RowKey] || s.RowKey[:len("com.example:http/b/")] != "com.example:http/b/" || s.Class != 4 {
			t.Fatalf("rechecked %s", s.RowKey)
		}
		seen[s.RowKey] = true
	}
	if len(seen) != n/4 {
		t.Errorf("%d URLs rechecked, want %d", len(seen), n/4)
	}
	steps := 0
	for _, r := range w.in[records:] {
		if r.Value.GetRecheck() != nil {
			steps++
		}
	}
	if steps < 3 {
		t.Errorf("the walk took %d records", steps)
	}
}

// A prefix that names a site goes to every host of it, and to no other.
func TestRecheckOfASiteGoesToItsHosts(t *testing.T) {
	w := newWorldOn(t, newMemory(), 1, nil)
	for _, h := range []string{"com.example", "com.example.blog", "com.example.www", "com.example2", "com.other"} {
		w.append(linksTo(schema.Host(h), ":http/"))
	}
	w.run()
	for i := range w.out {
		w.finish(i, nil)
	}
	w.run()
	before := len(w.out)
	w.append(recheckPrefix("com.example", "com.example"))
	w.pass(10*time.Second, time.Second)
	got := map[string]bool{}
	for _, s := range w.out[before:] {
		got[s.RowKey] = true
	}
	if len(got) != 3 || !got["com.example:http/"] || !got["com.example.blog:http/"] || !got["com.example.www:http/"] {
		t.Errorf("rechecked %v", got)
	}
}

// Forgetting ends every URL with the prefix, tells dedupe, and holds against an
// answer that was on its way.
func TestForgetHolds(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Delay = 0 })
	w.append(linksTo("com.example", ":http/a/1", ":http/a/2", ":http/b"))
	w.run()
	w.finish(0, nil)
	w.run()
	w.append(&schema.Discovered{Host: "com.example", Body: &schema.Discovered_Forget{Forget: &schema.Forget{
		Target: &schema.Forget_Prefix{Prefix: "com.example:http/a/"}, Reason: "asked", By: "operator"}}})
	w.run()
	if len(w.docs) != 2 {
		t.Fatalf("%d Gone, want 2", len(w.docs))
	}
	late := w.out[1] // in flight all the while
	w.clock = w.clock.Add(time.Second)
	w.out[1].Rev = w.clock.UnixMilli() + 5000 // a clock ahead of the operator's
	w.finish(1, nil)
	w.run()
	row := w.row(late.RowKey)
	if row.Status != schema.UrlRow_FORGOTTEN || row.NextDue != 0 || len(w.docs) != 3 || w.docs[2].GetGone().Rev <= late.Rev {
		t.Errorf("after a late answer: %v; %v", row, w.docs)
	}
	w.append(linksTo("com.example", ":http/a/1"))
	w.pass(time.Hour, 10*time.Minute)
	if len(w.out) != 3 {
		t.Errorf("a forgotten URL was emitted: %v", w.out[3:])
	}
	if s := w.group.Status(); s.URLs[schema.UrlRow_FORGOTTEN] != 2 || s.Causes["forgotten"] != 2 {
		t.Errorf("status %+v", s)
	}
}
