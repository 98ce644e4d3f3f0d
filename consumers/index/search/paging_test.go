package search_test

import (
	"fmt"
	"strings"
	"testing"

	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
)

// Read by number, every page is listed once, though many have equal scores, and though only the
// best get a closer look.
func TestPagesByNumberHaveEachHitOnce(t *testing.T) {
	var pages []paper
	for i := range 70 {
		pages = append(pages, paper{url: fmt.Sprintf("a%d.test/%03d", i%9, (i*37)%70), title: strings.Repeat("Mill ", i%3) + "race",
			text: strings.Repeat("mill ", 1+i%2) + strings.Repeat("wheel ", i%5), lang: "en", day: 19000})
	}
	s := searcher(t, filled(t, shard.DefaultOptions(), pages...), func(o *search.Options) { o.Window, o.MaxSize, o.Rescore = 20, 10, 60 })
	for _, r := range []search.Request{{Query: "mill wheel OR race"}, {Query: "lang:en"}, {Query: "race", Newest: true}} {
		for _, r.Size = range []int{10, 7} {
			seen := map[string]int{}
			listed := int64(-1)
			for r.Offset = 0; ; r.Offset += r.Size {
				part := find(t, s, r)
				if listed = part.Listed; len(part.Hits) == 0 {
					break
				}
				for _, h := range part.Hits {
					seen[h.Key]++
					if seen[h.Key] > 1 {
						t.Fatalf("%+v: %s comes again", r, h.Key)
					}
				}
			}
			if int64(len(seen)) != listed || listed < 40 {
				t.Errorf("%+v: %d of %d hits", r, len(seen), listed)
			}
		}
	}
}
