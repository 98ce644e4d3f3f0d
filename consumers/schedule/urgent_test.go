package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"millrace/schema"
)

// While what reads its output, or the partition itself, is behind, an item of a site's own feed and
// the feed itself go on; nothing else does. So news does not queue behind a backlog.
func TestNewsGoesOnWhileReadersAreBehind(t *testing.T) {
	for name, set := range map[string]func(w *world, on bool){
		"the reader": func(w *world, on bool) { w.link.Waiting = on },
		"itself":     func(w *world, on bool) { w.link.Easing = on },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.Delay = 0 })
			w.append(added("com.news", "seeds", &schema.AddItem{Url: "http://news.com/feed", Kind: schema.Kind_FEED}))
			w.run()
			w.finish(0, nil)
			set(w, true)
			for i := range 300 {
				w.append(linksTo(schema.Host(fmt.Sprintf("com.h%d", i)), paths(10)...))
			}
			w.append(linksTo("com.news", paths(10)...))
			fresh := added("com.news", "feeds", &schema.AddItem{Url: "http://news.com/item"})
			fresh.GetAdd().FeedRowKey = "com.news:http/feed"
			w.append(fresh)
			w.run()
			for _, i := range w.unfinished() {
				w.finish(i, nil)
			}
			w.pass(7*time.Hour, 10*time.Minute)
			var got []string
			for _, s := range w.out[1:] {
				if !strings.HasSuffix(s.RowKey, "/item") && !strings.HasSuffix(s.RowKey, "/feed") {
					t.Fatalf("emitted %s while the reader was behind", s.RowKey)
				}
				got = append(got, s.RowKey)
			}
			if len(got) != 2 || !strings.HasSuffix(got[0], "/item") || !strings.HasSuffix(got[1], "/feed") {
				t.Errorf("emitted %v, want the item, and then the feed when it is due again", got)
			}
			set(w, false)
			w.pass(time.Minute, time.Second)
			if n := len(w.out); n < 300 {
				t.Errorf("%d URLs emitted when the reader had caught up", n)
			}
		})
	}
}

// A full log stops urgent URLs, too; and while readers are behind, a flood of them waits: an
// operator who rechecks ten thousand pages does not fill the log.
func TestUrgentURLsAreBoundedWhileReadersAreBehind(t *testing.T) {
	w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.Delay = 0 })
	const urls = 1000
	for i := range urls / 10 {
		host := fmt.Sprintf("h%d.com", i)
		var items []*schema.AddItem
		for k := range 10 {
			items = append(items, &schema.AddItem{Url: fmt.Sprintf("http://%s/%d", host, k), ClassHint: new(int32)})
		}
		w.append(added(string(schema.HostOf(host)), "operators", items...))
	}
	w.link.Stopped = true
	w.pass(10*time.Second, time.Second)
	if len(w.out) > 0 {
		t.Fatalf("%d URLs emitted into a full log", len(w.out))
	}
	w.link.Stopped, w.link.Waiting = false, true
	w.pass(time.Second, 100*time.Millisecond)
	if n := len(w.out); n == 0 || n > 150 {
		t.Errorf("%d of %d urgent URLs emitted within a second while the reader was behind", n, urls)
	}
}

// The list of hosts says how often the pages of a host are looked at, from the plans that its row
// counts: a day on average with the default budget.
func TestTheListOfHostsSaysHowOftenPagesAreLookedAt(t *testing.T) {
	w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.Delay = 0 })
	w.append(linksTo("com.example", paths(20)...))
	for range 40 {
		w.pass(time.Second, time.Second)
		for _, i := range w.unfinished() {
			w.finish(i, nil)
		}
	}
	w.append(linksTo("com.waiting", paths(1)...))
	w.run()
	list, all, err := Hosts(t.Context(), w.store, "urls", "", 10)
	if err != nil || all != 2 {
		t.Fatalf("%d hosts, %v", all, err)
	}
	for _, h := range list {
		if every := h.Every(); h.Name == "com.waiting" && every != 0 || h.Name == "com.example" && (every < 12*time.Hour || every > 48*time.Hour) {
			t.Errorf("%s: looked at every %s", h.Name, every)
		}
	}
}

// What is urgent is sent as soon as it comes, whatever its host has in flight, and one delay after
// another: fetch starts it before the others, so it starts within one delay (I13). If it waited for
// room, it would start a delay later. New pages still have their share of turns.
func TestUrgentURLsDoNotWaitForRoom(t *testing.T) {
	for _, delay := range []time.Duration{700 * time.Millisecond, 10 * time.Second} {
		t.Run(delay.String(), func(t *testing.T) {
			w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.Delay = delay })
			w.append(linksTo("com.news", paths(100)...))
			w.pass(10*time.Millisecond, 10*time.Millisecond)
			w.finish(0, nil) // the host answers promptly, so as many are sent as it can start in 5 s
			w.pass(6*time.Second, 100*time.Millisecond)
			if len(w.unfinished()) == 0 {
				t.Fatal("nothing is in flight")
			}
			sent := len(w.out)
			var items []*schema.AddItem
			for i := range 40 {
				items = append(items, &schema.AddItem{Url: fmt.Sprintf("http://news.com/urgent%d", i), ClassHint: new(int32)})
			}
			w.append(added("com.news", "operators", items...))
			w.pass(20*time.Millisecond, 10*time.Millisecond)
			if len(w.out) != sent+1 || !strings.Contains(w.out[sent].RowKey, "urgent") {
				t.Fatalf("%d URLs sent at once, want one that is urgent", len(w.out)-sent)
			}
			// Fetch starts one URL a delay: what is urgent first.
			for range 60 {
				next := -1
				for _, i := range w.unfinished() {
					if next < 0 || w.out[i].Class < w.out[next].Class {
						next = i
					}
				}
				w.finish(next, nil)
				w.pass(delay, delay/20)
			}
			urgent := 0
			for _, s := range w.out[sent : sent+60] {
				if strings.Contains(s.RowKey, "urgent") {
					urgent++
				}
			}
			if urgent < 25 || urgent > 34 {
				t.Errorf("%d of 60 URLs were urgent, want about half and eight more at most", urgent)
			}
		})
	}
}
