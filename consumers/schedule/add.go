package schedule

import (
	"context"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/schema"
	"millrace/streams"
)

// Producers whose URLs come from a page of the web. URLs of all other producers are an operator's.
const (
	producerFeeds    = "feeds"
	producerSitemaps = "sitemaps"
	producerRobots   = "robots"
	producerWebSub   = "websub"
	producerIndexNow = "indexnow"

	producerGuess = "guess" // a host that the frontier made up (guessHost)
)

// add handles URLs that do not come from links of pages. Those whose canonical host is another one
// are sent to the partition of that host.
func (t *intake) add(ctx context.Context, in input, name schema.Host, m *schema.Add) error {
	for _, item := range m.Items {
		if _, ok := schema.Kind_name[int32(item.Kind)]; !ok {
			return streams.DeadLetter("enum", "an added URL of kind %d", item.Kind)
		}
	}
	own, others := t.sortOut(in, name, m)
	if len(own) > 0 {
		if err := t.addOwn(ctx, in, name, m, own); err != nil {
			return err
		}
	}
	for host, items := range others {
		t.ledger.out.discovered.Send(&schema.Discovered{Host: string(host), DiscoveredAt: in.at, Rewritten: 1,
			Body: &schema.Discovered_Add{Add: &schema.Add{Producer: m.Producer, FeedRowKey: m.FeedRowKey, Items: items}}})
	}
	return nil
}

// sortOut returns the candidates of this host, and the items of other hosts. URLs that cannot be
// parsed or are too deep are dropped and counted.
func (t *intake) sortOut(in input, name schema.Host, m *schema.Add) ([]candidate, map[schema.Host][]*schema.AddItem) {
	var own []candidate
	others := map[schema.Host][]*schema.AddItem{}
	for i, item := range m.Items {
		u, err := t.group.deps.Canonicalizer.Parse(item.Url)
		if err != nil {
			t.ledger.drop(reasonOf(err), 1)
			continue
		}
		if most := t.ledger.opts.MaxDepth; most >= 0 && item.Depth > most {
			t.ledger.drop("depth", 1)
			continue
		}
		item, u := t.rewriteItem(in, item, u)
		key := u.RowKey()
		if host := key.Host(); host != name {
			others[host] = append(others[host], item)
			continue
		}
		own = append(own, candidate{
			index: int32(i), path: key.Path(), kind: item.Kind, depth: item.Depth, class: addClass(m, item, in.now),
			source: source(m), lastmod: max(item.Lastmod, item.PublishedAt), interval: item.IntervalHintMs,
		})
	}
	return own, others
}

// addClass returns the class of an added URL: the producer's ClassHint if there is one; ClassNow
// for items of feeds, announced URLs and news in sitemaps; ClassRest for other pages in sitemaps;
// else noClass.
func addClass(m *schema.Add, item *schema.AddItem, now int64) int32 {
	switch {
	case item.ClassHint != nil:
		return max(0, min(*item.ClassHint, policy.Classes-1))
	case m.Producer == producerFeeds, m.Producer == producerWebSub, m.Producer == producerIndexNow:
		return policy.ClassNow
	case m.Producer == producerSitemaps && (item.Kind == schema.Kind_PAGE || item.Kind == schema.Kind_KIND_UNSPECIFIED):
		if policy.IsNews(item.PublishedAt, now) {
			return policy.ClassNow
		}
		return policy.ClassRest
	}
	return noClass
}

// source names where an added URL was found: the row key of a feed or sitemap, else the producer.
func source(m *schema.Add) string {
	if m.FeedRowKey != "" {
		return m.FeedRowKey
	}
	return m.Producer
}

// speakerOf returns who names the URLs of an Add: the site of the feed, sitemap or robots.txt that
// lists them, or an operator. A web producer without a FeedRowKey counts as a stranger.
func speakerOf(m *schema.Add, h *hosts.Host) speaker {
	if m.FeedRowKey == "" {
		switch m.Producer {
		case producerFeeds, producerSitemaps, producerRobots, producerWebSub, producerIndexNow:
			return speaker{origin: policy.Stranger}
		case producerGuess:
			return speaker{origin: policy.OwnSite, site: h.Row.Site, madeUp: true}
		}
		return speaker{origin: policy.Operator}
	}
	from := schema.RowKey(m.FeedRowKey).Host()
	site := string(schema.SiteOf(from.Name()))
	if from == h.Name || site == h.Row.Site {
		return speaker{origin: policy.OwnSite, site: h.Row.Site, page: m.FeedRowKey, list: true}
	}
	return speaker{origin: policy.Stranger, site: site}
}

// addOwn handles the added URLs of this host. New ones get a row; a known one may become due
// (policy.Mention).
func (t *intake) addOwn(ctx context.Context, in input, name schema.Host, m *schema.Add, own []candidate) error {
	l := t.ledger
	h, err := l.hosts.Get(ctx, name)
	if err != nil {
		return err
	}
	if !t.inScope(h) {
		l.drop("scope", len(own))
		return nil
	}
	from := speakerOf(m, h)
	paths := make([]string, len(own))
	for i, c := range own {
		paths[i] = c.path
	}
	known, err := l.urls(ctx, h, paths...)
	if err != nil {
		return err
	}
	var unseen, told []candidate
	for _, c := range own {
		if known[c.path] != nil {
			told = append(told, c)
			continue
		}
		if c.kind = kindOr(c.kind); from.origin == policy.Stranger {
			c = c.plain()
		}
		unseen = append(unseen, c)
	}
	l.drop(knownLink, len(told))
	if err := t.discover(ctx, in, h, from, unseen, 0); err != nil {
		return err
	}
	for _, c := range told {
		t.mention(in, h, known[c.path], c, from)
	}
	return nil
}

// mention applies to a known URL what an Add says of it. What an operator names is due at once.
func (t *intake) mention(in input, h *hosts.Host, u *url, c candidate, from speaker) {
	if u.row.At >= in.ts {
		return
	}
	l := t.ledger
	class := min(c.class, policy.ClassRecrawl+1)
	if from.origin == policy.Operator {
		class = policy.ClassNow
	}
	before := tallyOf(u.row)
	first := l.hosts.Touch(h, in.ts)
	e, changed := l.opts.Mention(u.row, l.learner(h, first), policy.Mention{Origin: from.origin, Kind: c.kind, Lastmod: c.lastmod, Class: class}, in.now)
	if from.origin == policy.Operator && !u.row.Seeded {
		u.row.Seeded, changed = true, true
	}
	if from.origin == policy.Stranger {
		c = c.plain()
	}
	if n, nearer := l.opts.Nearer(u.row, c.depth, in.now); nearer {
		changed = true
		if e.Due == 0 {
			e.Due, e.Class = n.Due, n.Class
		}
	}
	if !changed {
		return
	}
	l.queueUp(in, h, u, e.Due, e.Class, first)
	l.write(h, u, before, in, first)
	l.front.Place(h.Lane, l.now)
}
