package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
	"millrace/schema"
)

// linkCost tells what the texts of links and the ranks of pages cost a query: it fills two indexes
// with the same documents, one with them and one without, and asks both the same queries in turn.
// Every document has up to eight texts of links, of one to five words.
func linkCost(ctx context.Context, w io.Writer, documents made) error {
	dir, err := os.MkdirTemp("", "relevance")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	all := documents.makeUp()
	bare, err := linked(ctx, filepath.Join(dir, "bare"), all, false)
	if err != nil {
		return err
	}
	defer bare.close()
	full, err := linked(ctx, filepath.Join(dir, "full"), all, true)
	if err != nil {
		return err
	}
	defer full.close()
	fmt.Fprintf(w, "%d documents, with link texts and ranks, and without\nCPU ms a query    with p50    p99  without p50    p99   ratio p50   p99\n", documents.n)
	for i, k := range kinds() {
		r := rand.New(rand.NewPCG(5, uint64(i)))
		var with, without cost
		for n := range 600 {
			typed, _ := k.query(r)
			turns := []func() error{
				func() error { return with.spend(func() error { _, err := full.search(ctx, typed); return err }) },
				func() error { return without.spend(func() error { _, err := bare.search(ctx, typed); return err }) },
			}
			for t := range turns { // each is first as often as the other
				if err := turns[(n+t)%len(turns)](); err != nil {
					return err
				}
			}
		}
		fmt.Fprintf(w, "%-18s %s\n", k.name, beside(with.cpu, without.cpu))
	}
	return nil
}

// authorities are ranks of pages by their keys, as the table of package ranks has them in memory.
type authorities map[string]float64

// Authority implements shard.Authority.
func (a authorities) Authority(key string) float64 { return a[key] }

// linked fills an index, and merges it.
func linked(ctx context.Context, dir string, documents []document, links bool) (*own, error) {
	r := rand.New(rand.NewPCG(11, 12))
	o, opts, ranks := &own{}, shard.DefaultOptions(), authorities{}
	if links {
		opts.Ranks = ranks
	}
	for i := range shards {
		s, err := shard.Open(filepath.Join(dir, strconv.Itoa(i)), opts)
		if err != nil {
			return nil, err
		}
		o.shards = append(o.shards, s)
	}
	for from := 0; from < len(documents); from += batch * shards {
		batches := make([]shard.Batch, shards)
		for i, d := range documents[from:min(from+batch*shards, len(documents))] {
			doc := &shard.Document{
				Host: "example.com", Hash: shard.Digest(schema.RecordHash(d.key, []byte(d.body))),
				Shown: rank.Page{URL: "https://example.com/" + d.key, Title: d.title, Text: d.body, Lang: "en"},
			}
			if links {
				doc.Anchors, ranks[d.key] = anchors(r), r.ExpFloat64()
			}
			b := &batches[i%shards]
			b.Changes = append(b.Changes, shard.Change{Key: d.key, Document: doc})
		}
		for i, b := range batches {
			b.Next = o.shards[i].Offset() + int64(len(b.Changes))
			if _, err := o.shards[i].Apply(ctx, b); err != nil {
				return nil, err
			}
		}
	}
	for _, s := range o.shards {
		if err := s.Merge(ctx); err != nil {
			return nil, err
		}
	}
	var err error
	o.searcher, err = search.New(benchOptions(), o)
	return o, err
}

// anchors draws the texts of links to a page, from words as the queries have them.
func anchors(r *rand.Rand) (all []shard.Anchor) {
	for range r.IntN(9) {
		text := ""
		for range 1 + r.IntN(5) {
			text += word(int(zipf(r, 60000))) + " "
		}
		all = append(all, shard.Anchor{Text: text, Sites: 1 + r.IntN(5)})
	}
	return all
}
