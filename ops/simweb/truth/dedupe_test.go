package truth

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"millrace/consumers/dedupe"
	"millrace/ops/simweb/profile"
	"millrace/ops/simweb/world"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state/embedded"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// crawl gives the pages of a web to dedupe and keeps what it publishes.
type crawl struct {
	*testing.T
	truth *Truth
	canon *schema.Canonicalizer
	link  streamstest.Recorder
	task  streams.Task[*schema.Extracted]
	next  int64 // offset, and version
	live  map[string]bool
}

// dedupe and the truth follow the same rules of copies and canonicals, in whatever
// order the pages of a web come, and go.
func TestDedupePublishesWhatTheTruthSays(t *testing.T) {
	chains, aliases, several := 0, 0, 0
	for seed := range uint64(25) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := newCrawl(t, seed)
			rng := rand.New(rand.NewPCG(seed, 1))
			urls := slices.Sorted(maps.Keys(c.truth.URLs))
			rng.Shuffle(len(urls), func(i, j int) { urls[i], urls[j] = urls[j], urls[i] })
			for _, url := range urls {
				c.come(url)
			}
			c.agree()
			for _, url := range urls {
				if to := c.truth.names(c.truth.URLs[url]); c.truth.names(c.truth.URLs[to]) != "" {
					chains++
				}
			}
			aliases += len(c.truth.Aliases)
			for _, d := range c.truth.Docs {
				several += min(len(d.Members)-1, 1)
			}
			for i, url := range urls { // some vanish, as twins and canonicals do
				if i%4 == 0 {
					c.gone(url)
				}
			}
			c.truth.Aliases, c.truth.Docs = map[string]string{}, map[string]*Doc{}
			c.truth.documents()
			c.agree()
		})
	}
	if chains < 20 || aliases < 100 || several < 100 {
		t.Errorf("%d chains, %d aliases, %d documents of several pages: too few to tell", chains, aliases, several)
	}
}

func newCrawl(t *testing.T, seed uint64) *crawl {
	p, err := profile.Load("fast")
	if err != nil {
		t.Fatal(err)
	}
	p.Hosts, p.HostsPerSite = 6, 3
	p.Pages.Min, p.Pages.Max = 20, 40
	p.Leaves = map[string]float64{"copy": 0.2, "alias": 0.2, "canonical_copy": 0.1, "noindex": 0.05}
	w, err := world.New(p, seed, world.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	c := &crawl{T: t, live: map[string]bool{}}
	var seeds []string
	for h := range p.Hosts {
		seeds = append(seeds, w.URL(w.Home(world.Host(h)), ""))
	}
	if c.truth, err = Compute(w, DefaultRules(w.Start(), seeds...)); err != nil {
		t.Fatal(err)
	}
	if c.canon, err = schema.NewCanonicalizer(schema.DefaultCanonOptions()); err != nil {
		t.Fatal(err)
	}
	store, err := embedded.Open(t.TempDir(), embedded.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	opts := dedupe.DefaultOptions()
	opts.Transactions, opts.ReadAhead = false, false
	group, err := dedupe.New(opts, dedupe.Deps{Store: store, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	c.task = group.Task(c.link.Partition(0, 1))
	return c
}

// key is the row key of a URL as the crawler asks for it.
func (c *crawl) key(url string) string {
	if url == "" {
		return ""
	}
	u, err := c.canon.Parse(url)
	if err != nil {
		c.Fatal(err)
	}
	return string(u.RowKey())
}

// come hands dedupe the document that extract makes of a page.
func (c *crawl) come(url string) {
	e := c.truth.URLs[url]
	if !e.hasDocument() {
		return
	}
	hash := binary.BigEndian.AppendUint64(nil, uint64(e.look.Text))
	canonical := e.look.Canonical
	if path(canonical) == "/" && !isHome(path(url)) {
		canonical = "" // extract does not believe it
	}
	c.handle(&schema.Extracted{Body: &schema.Extracted_Doc{Doc: &schema.Doc{
		RowKey: c.key(url), Url: url, Site: siteName(hostName(url)), Rev: c.next, Edition: 1,
		TextHash: hash, Text: fmt.Sprint(e.look.Text), Canonical: c.key(canonical),
	}}})
}

func (c *crawl) gone(url string) {
	if e := c.truth.URLs[url]; e.hasDocument() {
		delete(c.truth.URLs, url)
		c.handle(&schema.Extracted{Body: &schema.Extracted_Gone{Gone: &schema.Gone{
			RowKey: c.key(url), Url: url, Site: siteName(hostName(url)), Rev: c.next, Edition: 1, Reason: schema.Gone_NOT_FOUND,
		}}})
	}
}

// handle handles a record, and the pages that are asked for because of it.
func (c *crawl) handle(x *schema.Extracted) {
	c.Helper()
	r := &streams.Record[*schema.Extracted]{Offset: c.next, Value: x}
	c.next++
	if err := c.task.Handle(context.Background(), r); err != nil {
		c.Fatal(err)
	}
	var asked []string
	for _, s := range c.link.Take() {
		switch {
		case s.Topic == topics.Discovered().Name:
			d := &schema.Discovered{}
			if err := d.UnmarshalVT(s.Value); err != nil {
				c.Fatal(err)
			}
			asked = append(asked, d.GetRecheck().GetRowKey())
		case s.Topic != topics.Unique().Name:
		case s.Value == nil:
			delete(c.live, schema.RowKey(s.Key).URL())
		default:
			c.live[schema.RowKey(s.Key).URL()] = true
		}
	}
	if err := c.task.Settle(context.Background()); err != nil {
		c.Fatal(err)
	}
	for _, key := range asked {
		c.come(schema.RowKey(key).URL())
	}
}

func (c *crawl) agree() {
	c.Helper()
	missing, extra := c.truth.Differ(slices.Collect(maps.Keys(c.live)))
	for _, d := range missing {
		c.Errorf("missing: one of %v", d.Stands)
	}
	for _, url := range extra {
		c.Errorf("published: %s, alias of %q", url, c.truth.Aliases[url])
	}
}
