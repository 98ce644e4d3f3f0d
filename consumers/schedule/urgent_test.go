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
