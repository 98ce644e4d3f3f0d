package schedule

import (
	"fmt"
	"testing"
	"time"

	"millrace/schema"
)

// A server that answers 304 whatever has changed hides its changes for a while only, of pages and
// of feeds; one whose validators are true is asked for few bodies that have not changed.
func TestValidatorsThatLieAreFoundOut(t *testing.T) {
	for name, lies := range map[string]bool{"lies": true, "truth": false} {
		t.Run(name, func(t *testing.T) {
			const pages, days = 10, 60
			w := newWorld(t, func(o *Options) { o.Delay = time.Second })
			w.append(linksTo("com.example", paths(pages)...))
			w.append(added("com.example", "seeds", &schema.AddItem{Url: "http://example.com/feed", Kind: schema.Kind_FEED}))
			began, version := w.clock, func() string { return fmt.Sprint(w.clock.Unix() / (5 * 86400)) }
			current, feed, bodies, unchanged := map[string]string{}, "", 0, 0
			for ; w.clock.Sub(began) < days*24*time.Hour; w.clock = w.clock.Add(time.Hour) {
				w.run()
				for _, i := range w.unfinished() {
					s, tag := w.out[i], version()
					if lies {
						tag = "1"
					}
					same := s.Etag == tag
					w.finish(i, func(o *schema.Outcome) {
						if o.Etag, o.Served = tag, s.Kind; same {
							o.Result, o.HttpStatus = schema.Outcome_UNCHANGED, 304
						}
					})
					switch {
					case same:
						unchanged++
					case s.Kind == schema.Kind_FEED:
						feed = version()
						w.append(&schema.Discovered{Host: "com.example", Body: &schema.Discovered_Listed{Listed: &schema.Listed{
							RowKey: s.RowKey, Rev: s.Rev, FetchedAt: w.clock.UnixMilli(), Ids: []uint32{7}, Hash: []byte(version())}}})
					default:
						if bodies++; current[s.RowKey] == version() {
							unchanged++
						}
						current[s.RowKey] = version()
						w.append(digestOf(s, version(), nil))
					}
				}
				w.out, w.done = nil, map[int]bool{}
			}
			late := 0
			for _, v := range current {
				if v != version() && v != fmt.Sprint(w.clock.Unix()/(5*86400)-1) {
					late++
				}
			}
			t.Logf("%d bodies, %d answers without a change, %d of %d pages more than one version behind", bodies, unchanged, late, len(current))
			if len(current) != pages || late > 0 || feed != version() {
				t.Errorf("%d of %d pages are more than one version behind; the feed is of %s, now it is %s", late, len(current), feed, version())
			}
			if !lies && bodies > pages*days/5*3/2 {
				t.Errorf("%d bodies of %d pages with %d versions", bodies, pages, days/5)
			}
		})
	}
}

// A 304 that forbids to index its page, which has a document, is followed by a request without
// validators at once.
func TestA304ThatForbidsToIndexIsLookedAtInFull(t *testing.T) {
	for kind, full := range map[string]bool{"robots_tag": true, "": false} {
		w := newWorld(t, func(o *Options) {
			o.Delay, o.Interval, o.MinInterval, o.MaxInterval = 0, 24*time.Hour, 24*time.Hour, 24*time.Hour
		})
		w.append(linksTo("com.example", ":http/a"))
		w.run()
		w.finish(0, func(o *schema.Outcome) { o.Etag = "x" })
		w.append(digestOf(w.out[0], "text", nil))
		conditional := 0
		for n := 1; conditional == 0 && n < 100; n++ { // now and then a look is without validators anyway
			w.clock = w.clock.Add(30 * time.Hour)
			w.run()
			s := w.out[len(w.out)-1]
			if s.Etag != "" {
				conditional = len(w.out)
				w.finish(len(w.out)-1, func(o *schema.Outcome) {
					o.Result, o.HttpStatus, o.Etag, o.ErrorKind = schema.Outcome_UNCHANGED, 304, "x", kind
				})
				continue
			}
			w.finish(len(w.out)-1, func(o *schema.Outcome) { o.Etag = "x" })
			w.append(digestOf(s, "text", nil))
		}
		w.clock = w.clock.Add(time.Minute)
		w.run()
		if more := len(w.out) - conditional; conditional == 0 || (more == 1 && w.out[len(w.out)-1].Etag == "") != full {
			t.Errorf("%q: conditional is request %d of %d: %v", kind, conditional, len(w.out), w.out[len(w.out)-1])
		}
	}
}
