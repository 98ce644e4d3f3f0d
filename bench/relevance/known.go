package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"millrace/bench/miniweb"
	"millrace/consumers/extract"
	"millrace/consumers/extract/page"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
	"millrace/consumers/links"
	"millrace/consumers/sketch"
	"millrace/schema"
)

// site holds the pages among which known items are searched: those of real hosts, read by our own
// extraction.
type site struct {
	pages   []*sitePage
	byURL   map[string]*sitePage
	ranks   map[string]float64 // by row key, as multiples of the mean
	anchors bool
	misses  bool // print what was not found
}

type sitePage struct {
	url, key, host string
	page.Result
	near  uint64
	words string   // of the text, as phrases are cut from it
	links []string // addresses of the same sites, once each
	in    schema.TargetRow
}

// knownItems looks for pages of which a phrase, the title or the text of a link is known, and
// prints how often they are found: with and without the texts of links and ranks.
func knownItems(ctx context.Context, w io.Writer, list string, hosts []string, misses bool) error {
	if len(hosts) == 0 {
		hosts = []string{"python.en.test", "postgres.en.test", "gimp.ru.test"}
	}
	s, err := readSite(ctx, list, hosts)
	if err != nil {
		return err
	}
	s.rank()
	s.misses = misses
	asked := s.items()
	fmt.Fprintf(w, "%d pages of %s\n", len(s.pages), strings.Join(hosts, ", "))
	fmt.Fprintln(w, "                             phrase first  title in 3  link text in 3")
	for _, how := range []struct {
		name           string
		anchors, ranks bool
	}{{"neither", false, false}, {"with link texts", true, false}, {"with link texts and ranks", true, true}} {
		s.anchors = how.anchors
		found, err := s.measure(ctx, w, how.ranks, asked)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%-28s %6.1f %% %6d  %5.1f %% %3d  %5.1f %% %5d\n", how.name, found[0], len(asked.phrases), found[1], len(asked.titles), found[2], len(asked.texts))
	}
	return nil
}

func readSite(ctx context.Context, list string, names []string) (*site, error) {
	hosts, err := miniweb.Load(ctx, list, filepath.Join(os.TempDir(), "millrace-miniweb"), names...)
	if err != nil {
		return nil, err
	}
	server, err := miniweb.Serve("127.0.0.1:0", hosts)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return nil, err
	}
	x, err := page.New(page.DefaultOptions(), canon, nil)
	if err != nil {
		return nil, err
	}
	s := &site{byURL: map[string]*sitePage{}}
	texts := map[string]bool{}
	for _, name := range names {
		walked, err := server.Walk(name)
		if err != nil {
			return nil, err
		}
		for _, u := range slices.Sorted(maps.Keys(walked)) {
			p, err := fetch(server, x, u, name)
			if err != nil {
				return nil, err
			}
			if p == nil || texts[name+p.Text] {
				continue // dedupe would leave it out
			}
			texts[name+p.Text] = true
			s.pages = append(s.pages, p)
			s.byURL[u] = p
		}
	}
	s.connect()
	return s, nil
}

func fetch(server *miniweb.Server, x *page.Extractor, u, host string) (*sitePage, error) {
	req, err := http.NewRequest(http.MethodGet, "http://"+server.Addr()+strings.TrimPrefix(u, "http://"+host), nil)
	if err != nil {
		return nil, err
	}
	req.Host = host
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	r := x.Extract(page.Input{URL: u, ContentType: resp.Header.Get("Content-Type"), Body: body})
	if r.Drop != page.NotDropped {
		return nil, nil
	}
	p := &sitePage{url: u, key: u, host: host, Result: r, near: sketch.Short(extract.Sketch(r.Title, r.Text)),
		words: spaced(r.Text)}
	return p, nil
}

// connect fills in who links to whom, and with which text: the first of a page, as the group links
// has it.
func (s *site) connect() {
	sizes := map[string]int64{}
	for _, p := range s.pages {
		sizes[p.host]++
	}
	for _, p := range s.pages {
		seen := map[string]bool{}
		for _, l := range p.Links {
			to := s.byURL[strings.Split(l.URL.String(), "#")[0]]
			if to == nil || to == p || seen[to.url] {
				continue
			}
			seen[to.url] = true
			p.links = append(p.links, to.url)
			to.linked(strings.Join(strings.Fields(l.Anchor), " "), sizes[to.host])
		}
	}
}

// linked counts one more page of the same host that links with a text.
func (p *sitePage) linked(text string, sitePages int64) {
	if p.in.Own == nil {
		p.in.Own = &schema.SiteEntry{SitePages: sitePages}
	}
	p.in.Own.Pages++
	if text == "" {
		return
	}
	for _, t := range p.in.Own.Texts {
		if strings.EqualFold(t.Text, text) {
			t.Pages, t.Followed = t.Pages+1, t.Followed+1
			return
		}
	}
	p.in.Own.Texts = append(p.in.Own.Texts, &schema.AnchorText{Text: text, Pages: 1, Followed: 1})
}

// shown are the texts that the index gets, of the first ones that the group links keeps.
func (p *sitePage) shown() []*schema.ShownAnchor {
	row := &schema.TargetRow{}
	if own := p.in.Own; own != nil {
		row.Own = &schema.SiteEntry{Pages: own.Pages, SitePages: own.SitePages, Texts: own.Texts[:min(len(own.Texts), links.DefaultOptions().MaxOwn)]}
	}
	return links.Choose(row)
}

// rank computes PageRank, by 50 rounds.
func (s *site) rank() {
	n := float64(len(s.pages))
	now := map[string]float64{}
	for _, p := range s.pages {
		now[p.url] = 1
	}
	for range 50 {
		next, loose := map[string]float64{}, 0.0
		for _, p := range s.pages {
			if len(p.links) == 0 {
				loose += now[p.url]
			}
			for _, to := range p.links {
				next[to] += 0.85 * now[p.url] / float64(len(p.links))
			}
		}
		for _, p := range s.pages {
			next[p.url] += 0.15 + 0.85*loose/n
		}
		now = next
	}
	s.ranks = now
}

// Authority implements shard.Authority.
func (s *site) Authority(key string) float64 { return s.ranks[key] }

// measure indexes the pages and asks; it returns percents.
func (s *site) measure(ctx context.Context, w io.Writer, ranked bool, asked items) (found [3]float64, err error) {
	dir, err := os.MkdirTemp("", "known")
	if err != nil {
		return found, err
	}
	defer os.RemoveAll(dir)
	o := shard.DefaultOptions()
	if ranked {
		o.Ranks = s
	}
	own := &own{}
	for i := range shards {
		sh, err := shard.Open(filepath.Join(dir, strconv.Itoa(i)), o)
		if err != nil {
			return found, err
		}
		own.shards = append(own.shards, sh)
	}
	defer own.close()
	if err := own.apply(ctx, s.changes()); err != nil {
		return found, err
	}
	if ranked {
		text := 0
		for _, p := range s.pages {
			text += len(p.Title) + len(p.Text)
		}
		if err := own.tellBytes(w, text); err != nil {
			return found, err
		}
	}
	if own.searcher, err = search.New(benchOptions(), own); err != nil {
		return found, err
	}
	for i, c := range []struct {
		all []wanted
		top int
	}{{asked.phrases, 1}, {asked.titles, 3}, {asked.texts, 3}} {
		hits := 0
		for _, q := range c.all {
			got, err := own.searcher.Search(ctx, search.Request{Query: q.query, Explain: s.misses})
			if err != nil {
				return found, fmt.Errorf("%q: %w", q.query, err)
			}
			if slices.ContainsFunc(got.Hits[:min(c.top, len(got.Hits))], func(h search.Hit) bool { return q.pages[h.URL] }) {
				hits++
			} else if s.misses {
				tell(w, q, got)
			}
		}
		found[i] = 100 * float64(hits) / math.Max(1, float64(len(c.all)))
	}
	return found, nil
}

// tell prints what was found instead.
func tell(w io.Writer, q wanted, got *search.Result) {
	fmt.Fprintf(w, "missed %s: %v, relaxed %t\n", q.query, slices.Sorted(maps.Keys(q.pages)), got.Relaxed)
	for i, h := range got.Hits {
		if i < 3 || q.pages[h.URL] {
			fmt.Fprintf(w, "  %d %.3f %s %q also %v %v\n", i+1, h.Score, h.URL, h.Title, h.Also, h.Parts)
		}
	}
}

func (s *site) changes() []shard.Change {
	var all []shard.Change
	for _, p := range s.pages {
		d := &shard.Document{
			Host: p.host, Hash: shard.Digest(schema.RecordHash(p.key, []byte(p.Text))), Headings: p.Headings, LinkShare: p.LinkShare, Near: p.near,
			Shown: rank.Page{URL: p.url, Title: p.Title, Text: p.Text, Site: p.host, Lang: p.Lang},
		}
		if s.anchors {
			for _, a := range p.shown() {
				d.Anchors = append(d.Anchors, shard.Anchor{Text: a.Text, Sites: int(a.Times)})
			}
		}
		all = append(all, shard.Change{Key: p.key, Document: d})
	}
	return all
}

// apply spreads changes over the shards.
func (o *own) apply(ctx context.Context, changes []shard.Change) error {
	for chunk := range slices.Chunk(changes, batch) {
		batches := make([]shard.Batch, len(o.shards))
		for _, c := range chunk {
			h := fnv.New32a()
			h.Write([]byte(c.Key))
			i := h.Sum32() % uint32(len(o.shards))
			c.Offset = o.shards[i].Offset() + int64(len(batches[i].Changes))
			batches[i].Changes = append(batches[i].Changes, c)
		}
		for i, b := range batches {
			b.Next = o.shards[i].Offset() + int64(len(b.Changes))
			if _, err := o.shards[i].Apply(ctx, b); err != nil {
				return err
			}
		}
	}
	return nil
}
