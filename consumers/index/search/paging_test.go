package search_test

import (
	"fmt"
	"strings"
	"testing"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
	"millrace/schema"
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

// Read on with what was seen, every hit that stays is listed once, though the index grows between
// two pages: new hits push others down, and others move up.
func TestPagesAreStableWhileTheIndexGrows(t *testing.T) {
	text := func(i int) string { return strings.Repeat("mill ", 1+i%7) + strings.Repeat("wheel ", i%5) }
	var pages []paper
	for i := range 60 {
		pages = append(pages, paper{url: fmt.Sprintf("a%d.test/%03d", i%9, i), title: "Mill", text: text(i), lang: "en", day: 19000})
	}
	held := filled(t, shard.DefaultOptions(), pages...)
	s := searcher(t, held, func(o *search.Options) { o.Window, o.MaxSize = 20, 10 })
	listed, twice := map[string]int{}, 0
	r := search.Request{Query: "mill", Size: 10, PerSite: -1}
	for ; ; r.Offset += r.Size {
		part := find(t, s, r)
		for _, h := range part.Hits {
			if listed[h.Key]++; listed[h.Key] > 1 {
				twice++
			}
		}
		if r.Seen = part.Seen; r.Seen == "" {
			break
		}
		for i := range 10 { // better ones, and one that was low moves up
			key := fmt.Sprintf("new.test/%d-%d", r.Offset, i)
			if i == 0 {
				key = pages[(r.Offset*7+3)%60].url
			}
			grow(t, held.all[i%3], key, strings.Repeat("mill ", 30))
		}
	}
	missing := 0
	for _, p := range pages {
		if listed[p.url] == 0 {
			missing++
		}
	}
	if twice > 0 || missing > 0 {
		t.Errorf("%d of 60 hits were listed twice, %d never", twice, missing)
	}
	for _, bad := range []string{"!", "AAAA", strings.Repeat("A", 9000)} {
		if _, err := s.Search(t.Context(), search.Request{Query: "mill", Seen: bad}); err == nil || !strings.Contains(err.Error(), "seen is not the token") {
			t.Errorf("seen=%.10s: %v", bad, err)
		}
	}
}

// Every page of results names the one behind it until all hits were listed, also where the first
// hits end, and though some of them are copies that are not listed.
func TestPagesGoOnBehindTheFirstHits(t *testing.T) {
	var pages []paper
	for i := range 70 {
		near := uint64(0)
		if i%5 == 0 { // copies on one site
			near = 0x1234567812345678
		}
		pages = append(pages, paper{url: fmt.Sprintf("a.test/%03d", i), title: "Mill", text: "mill " + strings.Repeat("wheel ", i%7), near: near, lang: "en", day: 19000})
	}
	s := searcher(t, filled(t, shard.DefaultOptions(), pages...), func(o *search.Options) { o.Window, o.MaxSize = 40, 20 })
	for _, size := range []int{1, 5, 8, 10, 13, 20} {
		r := search.Request{Query: "mill", Size: size}
		met := map[string]bool{}
		var total int64
		for {
			part := find(t, s, r)
			total = part.Total
			for _, h := range part.Hits {
				if met[h.Key] {
					t.Fatalf("size %d: %s comes again", size, h.Key)
				}
				met[h.Key] = true
			}
			if r.Offset, r.Seen = r.Offset+size, part.Seen; r.Seen == "" {
				break
			}
			if len(part.Hits) != size {
				t.Fatalf("size %d: %d hits before %d, and more follow", size, len(part.Hits), r.Offset)
			}
		}
		if total != 70 || len(met) < 57 { // 14 are copies of one
			t.Errorf("size %d: %d of %d hits", size, len(met), total)
		}
	}
}

// Walked over with cursors, every page that does not change is met once, though others come, go and
// change meanwhile, and with them how rare words are and how long pages.
func TestCursorsAreStableWhileTheIndexChanges(t *testing.T) {
	var pages []paper
	for i := range 90 {
		text := strings.Repeat("mill ", 1+i%7) + strings.Repeat("wheel ", 1+i%5) + strings.Repeat("stone ", 3*(i%11))
		pages = append(pages, paper{url: fmt.Sprintf("a%d.test/%03d", i%9, i), title: "Mill", text: text, lang: "en", day: 19000})
	}
	for _, query := range []string{"mill wheel", "mill OR wheel", "mill wheel windlass"} {
		held := filled(t, shard.DefaultOptions(), pages...)
		s := searcher(t, held, nil)
		met := map[string]int{}
		r := search.Request{Query: query, Size: 10, Cursor: search.Start}
		for n := 0; r.Cursor != ""; n++ {
			part := find(t, s, r)
			for _, h := range part.Hits {
				met[h.Key]++
			}
			r.Cursor = part.Next
			for i := range 20 * (1 - n/12) {
				grow(t, held.all[i%3], fmt.Sprintf("new.test/%d-%d", n, i), strings.Repeat("wheel ", 40)+strings.Repeat("pond ", 40*n))
			}
		}
		for _, p := range pages {
			if met[p.url] != 1 {
				t.Errorf("%s: %s was met %d times", query, p.url, met[p.url])
			}
		}
	}
}

func grow(t *testing.T, sh *shard.Shard, key, text string) {
	t.Helper()
	host, _, _ := strings.Cut(key, "/")
	d := &shard.Document{Host: host, Hash: shard.Digest(schema.RecordHash(key, []byte(text))), Shown: rank.Page{URL: "https://" + key, Title: "Mill", Text: text, Lang: "en", Site: host}}
	if _, err := sh.Apply(t.Context(), shard.Batch{Changes: []shard.Change{{Key: key, Document: d}}, Next: sh.Offset() + 1}); err != nil {
		t.Fatal(err)
	}
}
