package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"millrace/bench/relevance/baseline"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
	"millrace/schema"
)

// shards is how many shards our engine spreads a collection over, as in `run`.
const shards = 4

// batch is how many documents go into one batch.
const batch = 500

// own is our engine over a collection.
type own struct {
	shards   []*shard.Shard
	searcher *search.Searcher
}

func newOwn(dir string) (*own, error) {
	o := &own{}
	for i := range shards {
		s, err := shard.Open(filepath.Join(dir, strconv.Itoa(i)), shard.DefaultOptions())
		if err != nil {
			return nil, err
		}
		o.shards = append(o.shards, s)
	}
	var err error
	o.searcher, err = search.New(benchOptions(), o)
	return o, err
}

func benchOptions() search.Options {
	opts := search.DefaultOptions()
	opts.Limits.MaxTerms, opts.Limits.MaxBytes = 64, 4096 // some questions are long
	opts.Timeout = time.Minute                            // on a busy machine, too, every question is to be answered
	return opts
}

// View implements search.Source.
func (o *own) View(context.Context) (search.View, error) {
	var v search.View
	for _, s := range o.shards {
		snap, err := s.Snapshot()
		if err != nil {
			return v, err
		}
		v.Shards = append(v.Shards, snap)
	}
	return v, nil
}

func (o *own) close() {
	for _, s := range o.shards {
		s.Close()
	}
}

func (o *own) add(ctx context.Context, lang string, documents []document) error {
	batches := make([]shard.Batch, len(o.shards))
	for _, d := range documents {
		h := fnv.New32a()
		h.Write([]byte(d.key))
		i := h.Sum32() % uint32(len(o.shards))
		page := rank.Page{URL: "https://example.com/", Title: d.title, Text: d.body, Lang: lang}
		batches[i].Changes = append(batches[i].Changes, shard.Change{Offset: o.shards[i].Offset() + int64(len(batches[i].Changes)), Key: d.key,
			Document: &shard.Document{Host: "example.com", Hash: shard.Digest(schema.RecordHash(d.key, []byte(d.body))), Shown: page}})
	}
	for i, b := range batches {
		b.Next = o.shards[i].Offset() + int64(len(b.Changes))
		if _, err := o.shards[i].Apply(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// ask searches for a question as a person would type it, without punctuation.
func (o *own) ask(text string) ([]string, error) {
	return o.search(context.Background(), plain(text))
}

func (o *own) search(ctx context.Context, text string) ([]string, error) {
	r, err := o.searcher.Search(ctx, search.Request{Query: text})
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	var keys []string
	for _, h := range r.Hits {
		keys = append(keys, h.Key)
	}
	return keys, nil
}

// plain keeps letters and digits, so that no punctuation of a question is read as an operator.
func plain(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}), " ")
}

func addBaseline(i *baseline.Index, documents []document) error {
	var all []baseline.Document
	for _, d := range documents {
		all = append(all, baseline.Document{Key: d.key, Title: d.title, Body: d.body})
	}
	return i.Add(all)
}
