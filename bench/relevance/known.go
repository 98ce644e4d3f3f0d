package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"millrace/bench/miniweb"
	"millrace/consumers/extract/page"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
	"millrace/schema"
)

// site is what known items are looked for in: pages of real hosts, read by our own extraction.
type site struct {
	pages   []*sitePage
	byURL   map[string]*sitePage
	ranks   map[string]float64 // by row key, as multiples of the mean
	anchors bool
}

type sitePage struct {
	url, key, host string
	page.Result
	links   []string       // addresses of the same sites, once each
	anchors map[string]int // texts of links to it, with the number of pages that have them
}

// knownItems looks for pages of which a phrase, the title or the text of a link is known, and prints how often they
// are found: with and without the texts of links and ranks.
func knownItems(ctx context.Context, w io.Writer, list string, hosts []string) error {
	s, err := readSite(ctx, list, hosts)
	if err != nil {
		return err
	}
	s.rank()
	phrases, titles, texts := s.questions()
	fmt.Fprintf(w, "%d pages of %s\n", len(s.pages), strings.Join(hosts, ", "))
	fmt.Fprintln(w, "                             phrase first  title in 3  link text in 3")
	for _, how := range []struct {
		name           string
		anchors, ranks bool
	}{{"neither", false, false}, {"with link texts", true, false}, {"with link texts and ranks", true, true}} {
		s.anchors = how.anchors
		found, err := s.measure(ctx, how.ranks, phrases, titles, texts)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%-28s %6.1f %% %6d  %5.1f %% %3d  %5.1f %% %5d\n", how.name, found[0], len(phrases), found[1], len(titles), found[2], len(texts))
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
	p := &sitePage{url: u, key: u, host: host, Result: r, anchors: map[string]int{}}
	return p, nil
}

// connect fills in who links to whom, and with which text.
func (s *site) connect() {
	for _, p := range s.pages {
		seen := map[string]bool{}
		for _, l := range p.Links {
			to := s.byURL[strings.Split(l.URL.String(), "#")[0]]
			text := strings.Join(strings.Fields(l.Anchor), " ")
			if to == nil || to == p || seen[to.url+"\x00"+text] {
				continue
			}
			if seen[to.url+"\x00"+text] = true; !slices.Contains(p.links, to.url) {
				p.links = append(p.links, to.url)
			}
			if text != "" {
				to.anchors[text]++
			}
		}
	}
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

// wanted is a question with the pages that answer it.
type wanted struct {
	query string
	pages []string
}

const phraseWords = 8

// questions draws 200 phrases of eight words that stand on one page only, 200 titles that one page has, and 100 texts
// of one to four words by which other pages link to one page only.
func (s *site) questions() (phrases, titles, texts []wanted) {
	r := rand.New(rand.NewPCG(7, 12))
	order := r.Perm(len(s.pages))
	count := map[string]int{}
	targets := map[string]map[string]bool{}
	for _, p := range s.pages {
		count[p.Title]++
		for a := range p.anchors {
			key := strings.ToLower(a)
			if targets[key] == nil {
				targets[key] = map[string]bool{}
			}
			targets[key][p.url] = true
		}
	}
	for _, i := range order {
		p := s.pages[i]
		words := strings.Fields(plain(p.Text))
		if len(words) > 5*phraseWords && len(phrases) < 200 {
			at := r.IntN(len(words) - phraseWords)
			phrase := strings.Join(words[at:at+phraseWords], " ")
			if s.standsOnce(phrase) {
				phrases = append(phrases, wanted{`"` + phrase + `"`, []string{p.url}})
			}
		}
		if t := plain(p.Title); count[p.Title] == 1 && len(strings.Fields(t)) > 1 && len(titles) < 200 {
			titles = append(titles, wanted{t, []string{p.url}})
		}
	}
	for _, i := range order {
		p := s.pages[i]
		for _, a := range slices.Sorted(maps.Keys(p.anchors)) {
			n := len(strings.Fields(plain(a)))
			if len(texts) < 100 && n >= 1 && n <= 4 && len(plain(a)) > 3 && len(targets[strings.ToLower(a)]) == 1 && !digits(a) {
				texts = append(texts, wanted{plain(a), []string{p.url}})
				break
			}
		}
	}
	return phrases, titles, texts
}

// standsOnce reports a phrase that only one page has.
func (s *site) standsOnce(phrase string) bool {
	n := 0
	for _, p := range s.pages {
		if strings.Contains(strings.Join(strings.Fields(plain(p.Text)), " "), phrase) {
			n++
		}
	}
	return n == 1
}

func digits(s string) bool {
	return strings.ContainsAny(s, "0123456789") && len(strings.Fields(s)) == 1
}

// measure indexes the pages and asks; it returns percents.
func (s *site) measure(ctx context.Context, ranked bool, phrases, titles, texts []wanted) (found [3]float64, err error) {
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
	if own.searcher, err = search.New(benchOptions(), own); err != nil {
		return found, err
	}
	for i, c := range []struct {
		all []wanted
		top int
	}{{phrases, 1}, {titles, 3}, {texts, 3}} {
		hits := 0
		for _, q := range c.all {
			keys, err := own.search(ctx, q.query)
			if err != nil {
				return found, err
			}
			if slices.ContainsFunc(keys[:min(c.top, len(keys))], func(k string) bool { return slices.Contains(q.pages, k) }) {
				hits++
			}
		}
		found[i] = 100 * float64(hits) / math.Max(1, float64(len(c.all)))
	}
	return found, nil
}

func (s *site) changes() []shard.Change {
	var all []shard.Change
	for _, p := range s.pages {
		d := &shard.Document{
			Host: p.host, Hash: shard.Digest(schema.RecordHash(p.key, []byte(p.Text))), Headings: p.Headings, LinkShare: p.LinkShare,
			Shown: rank.Page{URL: p.url, Title: p.Title, Text: p.Text, Site: p.host, Lang: p.Lang},
		}
		if s.anchors {
			for _, a := range slices.Sorted(maps.Keys(p.anchors)) {
				d.Anchors = append(d.Anchors, shard.Anchor{Text: a, Sites: 1}) // they are all of one site
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
