package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"millrace/ops/deadletters"
	"millrace/ops/watch"
	"millrace/ops/web"
	"millrace/streams"
	"millrace/topics"
)

// made serves pages with made-up answers: every state in which a reader meets them.
type made struct {
	views []view
	close func() error
}

// serve starts two servers on loopback: of a crawl with pages, and of one that has just begun.
func serve() (*made, error) {
	ctx, cancel := context.WithCancel(context.Background())
	m := &made{}
	ended := make(chan error, 2)
	m.close = func() error {
		cancel()
		return errors.Join(<-ended, <-ended)
	}
	full, err := start(ctx, sources(), ended)
	if err != nil {
		cancel()
		return nil, err
	}
	empty, err := start(ctx, watch.Sources{Lag: lag(0), Positions: lag(0), Index: func() []watch.Shard { return []watch.Shard{{}} }}, ended)
	if err != nil {
		cancel()
		return nil, errors.Join(err, <-ended)
	}
	for _, q := range []string{"none", "one", "many", "partial", "long", "right", "copies"} {
		m.views = append(m.views, view{"query-" + q, full + "/?q=" + q})
	}
	for _, v := range []view{{"home", "/"}, {"end", "/?q=copies&from=90"}, {"wrong", "/?q=a+foo:bar"}, {"second", "/?q=many&from=10&sort=date"},
		{"dashboard", "/dashboard"}, {"why", "/why"}, {"story", "/why?url=known"}, {"lost", "/nothing"},
		{"text", "/text?url=page"}, {"file", "/text?url=file"}, {"no-text", "/text?url=none"}} {
		m.views = append(m.views, view{v.name, full + v.address})
	}
	for _, v := range []view{{"empty", "/"}, {"empty-none", "/?q=none"}, {"empty-dashboard", "/dashboard"}} {
		m.views = append(m.views, view{v.name, empty + v.address})
	}
	return m, nil
}

// start serves until ctx ends, and tells ended how it ended.
func start(ctx context.Context, from watch.Sources, ended chan<- error) (string, error) {
	w, err := watch.New(watch.DefaultOptions(), from)
	if err != nil {
		return "", err
	}
	o := web.DefaultOptions()
	o.Listen = "127.0.0.1:0"
	s, err := web.New(o, web.Deps{Watch: w, Token: strings.Repeat("0", 32), Logger: slog.New(slog.DiscardHandler), Search: search, Suggest: suggest, Text: text, Why: why,
		DeadLetters: func(context.Context, int) ([]deadletters.Letter, error) { return letters(), nil }})
	if err != nil {
		return "", err
	}
	go func() { ended <- s.Run(ctx) }()
	return "http://" + s.Addr(), nil
}

const (
	arabic = "تستخدم الطاحونة قوة الماء الجاري لطحن الحبوب، وتدور عجلتها حين يمر الماء في القناة الضيقة."
	hebrew = "טחנת המים משתמשת בכוחם של מים זורמים כדי לטחון חיטה."
	han    = "水磨利用流水的力量研磨谷物，水流经过狭窄的水渠时大轮子开始转动。"
)

func search(_ context.Context, a web.Question) (web.Results, error) {
	at := time.Date(2026, 9, 30, 10, 2, 3, 0, time.UTC)
	hit := func(n int) web.Hit {
		return web.Hit{URL: fmt.Sprintf("https://www.example.com/mills/%d.html", n), Title: fmt.Sprintf("Water mill %d", n), Site: "example.com", Lang: "en", Author: "Jane Doe",
			PublishedAt: at, FetchedAt: at, More: n % 3, Snippet: []web.Fragment{{Text: "A "}, {Text: "water", Mark: true}, {Text: " mill turns when the water passes through its channel …"}}}
	}
	r := web.Results{Total: 1, Listed: 1, Took: 3 * time.Millisecond, Seen: "S"}
	switch a.Query {
	case "one":
		r.Hits = []web.Hit{hit(1)}
	case "many", "partial", "copies":
		r.Total, r.Listed = 1234, 1234
		for n := range 10 {
			r.Hits = append(r.Hits, hit(n))
		}
		r.Facets = []web.Facet{{Name: "site", Values: []web.FacetValue{{Value: "example.com", Count: 1000, Query: "site:example.com"}, {Value: strings.Repeat("long", 20) + ".example.org", Count: 234, Query: "site:example.org"}}},
			{Name: "language", Values: []web.FacetValue{{Value: "en", Count: 1200, Query: "lang:en"}, {Value: "de", Count: 34, Query: "lang:de"}}}}
		if a.Query == "partial" {
			r.Warnings, r.Relaxed, r.Meant, r.Instead = []string{"shard 3 is missing: a quarter of the pages was not searched"}, true, "party", "parties"
		}
		if a.Query == "copies" {
			if r.Total, r.Listed = 40, 25; a.From > 0 {
				r.Hits = nil
			}
			for i := range r.Hits {
				r.Hits[i].Also = []web.Also{{URL: "https://copy.example.org/" + strings.Repeat("folder-", 30), Site: "example.org"}, {URL: "https://copy.example.org/b", Site: "example.org"}}
			}
		}
	case "long":
		for _, title := range []string{strings.Repeat("A title that does not end ", 28), strings.Repeat(han, 24), strings.Repeat("Donaudampfschifffahrt", 40), "<b>markup</b> & <script>alert(1)</script>", ""} {
			h := hit(1)
			h.Title, h.URL, h.Author = title, "https://example.com/"+strings.Repeat("segment-without-end", 40)+"?"+strings.Repeat("name=value&", 40), strings.Repeat("Author ", 40)
			h.Snippet = []web.Fragment{{Text: strings.Repeat("Rindfleischetikettierung", 20)}, {Text: strings.Repeat("water", 30), Mark: true}}
			r.Hits = append(r.Hits, h)
		}
	case "right":
		for _, in := range [][2]string{{"ar", arabic}, {"he", hebrew + " (water mill)"}, {"zh", han}} {
			h := hit(1)
			h.Lang, h.Title, h.Type, h.FilePage, h.Snippet = in[0], in[1], "pdf", 3, []web.Fragment{{Text: in[1]}, {Text: in[1], Mark: true}}
			r.Hits = append(r.Hits, h)
		}
	case "a foo:bar":
		return web.Results{}, &web.UserError{Message: "there is no operator foo: (at character 3)"}
	default:
		return web.Results{Meant: "one"}, nil
	}
	return r, nil
}

func suggest(_ context.Context, typed string, _ int) ([]string, error) {
	return []string{typed + " mill", typed + " wheel"}, nil
}

func text(_ context.Context, address string) (web.Text, bool, error) {
	t := web.Text{URL: "https://example.com/" + address, Title: arabic, Lang: "ar", Type: "html", FetchedAt: time.Unix(1.79e9, 0), Pages: []web.TextPage{{Text: arabic + "\n" + arabic}}}
	if address == "file" {
		t.Title, t.Lang, t.Type, t.Author, t.Pages = strings.Repeat("A manual of mills ", 12), "en", "pdf", "Jane Doe", nil
		for n := range 120 {
			t.Pages = append(t.Pages, web.TextPage{Number: n + 1, Text: strings.Repeat("The wheel turns. ", n%9)})
		}
	}
	return t, address != "none", nil
}

func why(context.Context, string) (web.Story, error) {
	long := "https://example.com/" + strings.Repeat("segment-without-end", 20)
	return web.Story{URL: long, Summary: "In the index. Fetched 2026-11-23T16:48:05Z", Sections: []web.Section{
		{Title: "URL", Facts: [][2]string{{"canonical form", long}, {"site", "example.com"}}}, {Title: "Index", Facts: [][2]string{{"title", hebrew}}},
	}}, nil
}

func letters() []deadletters.Letter {
	return []deadletters.Letter{{Since: time.Now(), Topic: "pages.fetched", Group: "extract", Kind: "panic", Key: "com.example:https/" + strings.Repeat("key", 80), Error: strings.Repeat("an error of many words ", 40)}}
}

// lag is that of groups of which one in three has records left.
func lag(records int64) func(context.Context) streams.Lag {
	return func(context.Context) streams.Lag {
		l := streams.Lag{At: time.Now()}
		for i, g := range topics.Groups() {
			left := records
			if i%3 != 0 {
				left = 0
			}
			part := streams.PartitionLag{End: 5_000_000, Committed: 5_000_000 - left, Records: left, Seconds: float64(left)}
			group := streams.GroupLag{Group: g.Name, Topic: g.Reads, Records: 16 * left, Seconds: float64(left)}
			for p := range int32(16) {
				part.Partition = p
				group.Partitions = append(group.Partitions, part)
			}
			l.Groups = append(l.Groups, group)
		}
		if records > 0 {
			l.Readers = []streams.GroupLag{{Group: "a-team-that-reads-for-itself", Topic: topics.Unique().Name, Records: 4321, Seconds: 7}}
		}
		return l
	}
}

// sources are those of a crawl in which everything that the dashboard can show happens.
func sources() watch.Sources {
	counts := map[string]int64{"FETCHED": 1_234_567, "QUEUED": 7_654_321, "GONE": 53, "REFUSED": 2, "DROPPED": 107}
	return watch.Sources{
		Lag: lag(12_345), Positions: lag(12_345),
		Counts: func(context.Context) ([]streams.CountValue, error) { return nil, errors.New("the store is away") },
		Frontier: func(context.Context) (watch.Frontier, error) {
			f := watch.Frontier{Hosts: 98_765, HostsReady: 12, HostsWaiting: 4321, Queued: 7_654_321, InFlight: 256, Fetched: 1_234_567, Recovering: 3, Full: true, ByStatus: counts,
				ByReason: map[string]int64{"trap": 107, "not_found": 53, "robots": 2}, Drops: map[string]int64{"scope": 21_465_000, "nofollow": 492, "too_long": 7}}
			for day := range 7 {
				f.Days = append(f.Days, watch.Day{Date: fmt.Sprintf("2026-11-%02d", 17+day), Fetched: 1_000_000, Useful: 912_345, Documents: 900_001, Share: .912})
			}
			return f, nil
		},
		Index: func() []watch.Shard {
			return []watch.Shard{{Docs: 1_234_567, Offset: 98_765_432, Time: time.Now().Add(-90 * time.Second), Proven: 1}, {Partition: 1, Docs: 1, Frozen: true},
				{Partition: 2, Problem: "its files are damaged; it is being filled again from docs.unique"}, {Partition: 3, Member: "crawler-2.example.org:9090"}}
		},
		Pages: func(context.Context) (watch.Pages, error) {
			return watch.Pages{Documents: 1_200_000, SameText: 30_000}, nil
		},
		Freshness: func(context.Context) (*watch.Freshness, error) { return freshness(), nil },
		Notices: func(context.Context) ([]watch.Notice, error) {
			return []watch.Notice{{Text: "docs.unique is full: begin another crawl"}}, nil
		},
		DeadLetters: func(context.Context) (int64, error) { return 3, nil },
		Members: func(context.Context) ([]watch.Member, error) {
			var groups []string
			for _, g := range topics.Groups() {
				groups = append(groups, g.Name)
			}
			return []watch.Member{{ID: "crawler-1.example.org-4711", Addr: "10.0.0.1:9090", Groups: groups, SeenAt: time.Now()}}, nil
		},
	}
}

func freshness() *watch.Freshness {
	of := watch.Currency{Pages: 1_230_000, Current: .943, StaleDays: 1.25, AgeP50: 40_000, AgeP90: 400_000, AgeP99: 4_000_000, Overdue: .02,
		Intervals: []watch.IntervalGroup{{Name: "up to 1 day", Most: 86400, Pages: 1_000_000}, {Name: "up to 30 days", Most: 30 * 86400, Pages: 200_000}, {Name: "more, or never", Pages: 30_000}}}
	f := &watch.Freshness{At: time.Now(), Currency: of, Sampled: true, Rows: 100_000, Budget: &watch.Bought{Half: .9, Now: .94, Twice: .97}, Arrived: &watch.Arrived{Items: 59, P50: 30, P99: 61.3}}
	for _, site := range []string{"example.com", strings.Repeat("a-long-name-", 5) + "example.org"} {
		f.Sites = append(f.Sites, watch.Site{Site: site, Currency: of})
	}
	return f
}
