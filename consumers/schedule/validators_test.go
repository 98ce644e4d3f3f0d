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
