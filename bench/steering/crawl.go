package main

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"

	"millrace/cmd/wire"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// crawl holds the URLs that a crawl asked for and the documents that it published.
type crawl struct {
	fetched []string          // row keys, in the order of the requests
	text    map[string]string // text of each page that has one, by row key
	docs    map[string]bool   // row keys of the documents
}

// request is one answer.
type request struct {
	key string
	at  int64
}

// readCrawl reads the logs of a crawl that ended.
func readCrawl(ctx context.Context, dir string, log *slog.Logger) (*crawl, error) {
	cfg := wire.DefaultConfig()
	cfg.Data, cfg.Listen = dir, "127.0.0.1:0"
	sys, err := wire.Open(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	defer sys.Close()
	c := &crawl{text: map[string]string{}, docs: map[string]bool{}}
	var list []request
	err = each(ctx, sys.Reader, topics.Discovered(), func(r *streams.Record[*schema.Discovered]) error {
		if o := r.Value.GetOutcome(); o != nil && o.FetchedAt > 0 && o.Result != schema.Outcome_DEFERRED && o.Rule == "" {
			list = append(list, request{o.RowKey, o.FetchedAt})
		}
		if d := r.Value.GetDigest(); d != nil && d.DropReason == "" {
			c.text[d.RowKey] = string(d.TextHash)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b request) int { return cmp.Compare(a.at, b.at) })
	for _, x := range list {
		c.fetched = append(c.fetched, x.key)
	}
	return c, each(ctx, sys.Reader, topics.Unique(), func(r *streams.Record[*schema.Unique]) error {
		if r.Tombstone {
			delete(c.docs, r.Key)
			return nil
		}
		c.docs[r.Key] = true
		return nil
	})
}

// each calls fn for every record of a topic.
func each[T topics.Message](ctx context.Context, log *streams.Log, t topics.Topic[T], fn func(*streams.Record[T]) error) error {
	n, err := log.Partitions(ctx, t.Name)
	if err != nil {
		return err
	}
	for p := range n {
		end, err := log.End(ctx, t.Name, p)
		if err == nil {
			err = streams.Read(ctx, log, t, p, 0, end, fn)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// figures are what a crawl is measured by.
type figures struct {
	useful int     // fetches that brought a text that one comes for, each once
	found  float64 // share of what one comes for
	share  float64 // of fetches that are useful
	second float64 // the same, in the second half of the crawl
	after  []int   // useful pages after each fetch
}

// wanted are the texts of pages, as this crawl or another one has them, or, if none are named, of
// the documents of the other. A page that neither has is one that is missing.
func (c *crawl) wanted(other *crawl, pages []string) map[string]bool {
	if len(pages) == 0 {
		pages = slices.Collect(maps.Keys(other.docs))
	}
	out := map[string]bool{}
	for _, key := range pages {
		out[cmp.Or(c.text[key], other.text[key], "missing "+key)] = true
	}
	return out
}

// figures says how much of what one comes for a crawl brought.
func (c *crawl) figures(want map[string]bool) figures {
	had := map[string]bool{}
	var f figures
	for _, key := range c.fetched {
		if t := c.text[key]; want[t] && !had[t] {
			had[t] = true
			f.useful++
		}
		f.after = append(f.after, f.useful)
	}
	n := len(f.after)
	if n < 2 || len(want) == 0 {
		return f
	}
	half := f.after[n/2-1]
	f.found = float64(len(had)) / float64(len(want))
	f.share = float64(f.useful) / float64(n)
	f.second = float64(f.useful-half) / float64(n-n/2)
	return f
}
