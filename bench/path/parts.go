package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2"
	"golang.org/x/net/html"

	"millrace/bench/relevance/baseline"
	"millrace/consumers/index/shard"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/embedded"
	"millrace/topics"
)

// part is the cost of one bare part over the records of the crawl.
type part struct {
	Name  string
	Cost  cost
	Items int
	Bytes int
}

// storeMerger is the name that a directory of state/embedded is opened with.
const storeMerger = "millrace.row.1"

// batch is how many records, rows or documents the parts take at a time.
const batch = 100

// material holds the pages, documents and rows that the crawl left.
type material struct {
	pages []streams.Raw
	docs  []*schema.Doc
	rows  [][2][]byte
}

// parts measures the bare parts.
func (s settings) parts(ctx context.Context) ([]part, error) {
	m, err := s.material(ctx)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(s.dir, "parts")
	defer os.RemoveAll(dir)
	var out []part
	for _, p := range []struct {
		name string
		run  func() (n, size int, err error)
	}{
		{"pages through the broker and back", func() (int, int, error) { return m.broker(ctx, filepath.Join(dir, "log")) }},
		{"html.Parse of the pages", m.parse},
		{"rows of the store: Pebble set and get", func() (int, int, error) { return m.pebble(filepath.Join(dir, "rows")) }},
		{"documents into bleve as it comes", func() (int, int, error) { return m.bleve(filepath.Join(dir, "bleve")) }},
		{"documents into our shard", func() (int, int, error) { return m.shard(ctx, filepath.Join(dir, "shard")) }},
	} {
		var n, size int
		c, err := timed(func() (err error) { n, size, err = p.run(); return err })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		out = append(out, part{p.name, c, n, size})
	}
	return out, nil
}

// material reads the log and the store of the crawl.
func (s settings) material(ctx context.Context) (*material, error) {
	broker, err := embedded.Open(filepath.Join(s.dir, "log"), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer broker.Close()
	log, err := streams.NewLog(streams.Options{Brokers: broker.Addrs(), Dial: broker.Dial})
	if err != nil {
		return nil, err
	}
	defer log.Close()
	m := &material{}
	err = each(ctx, log, topics.Pages().Name, func(r streams.Raw) error {
		m.pages = append(m.pages, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = each(ctx, log, topics.Unique().Name, func(r streams.Raw) error {
		var u schema.Unique
		if err := u.UnmarshalVT(r.Value); err != nil || u.GetDoc() == nil {
			return err
		}
		m.docs = append(m.docs, u.GetDoc())
		return nil
	})
	if err != nil {
		return nil, err
	}
	m.rows, err = rowsOf(filepath.Join(s.dir, "state"))
	return m, err
}

func each(ctx context.Context, log *streams.Log, topic string, fn func(streams.Raw) error) error {
	n, err := log.Partitions(ctx, topic)
	if err != nil {
		return err
	}
	for p := range n {
		end, err := log.End(ctx, topic, p)
		if err != nil {
			return err
		}
		if err := log.Scan(ctx, topic, p, 0, end, fn); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf reads a store as keys and values, whatever they mean.
func rowsOf(dir string) (rows [][2][]byte, err error) {
	merger := *pebble.DefaultMerger
	merger.Name = storeMerger
	db, err := pebble.Open(dir, &pebble.Options{ReadOnly: true, Merger: &merger, Logger: quiet{}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	it, err := db.NewIter(nil)
	if err != nil {
		return nil, err
	}
	for it.First(); it.Valid(); it.Next() {
		rows = append(rows, [2][]byte{bytes.Clone(it.Key()), bytes.Clone(it.Value())})
	}
	return rows, it.Close()
}

// broker appends the page records to a new broker and reads them again.
func (m *material) broker(ctx context.Context, dir string) (int, int, error) {
	b, err := embedded.Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		return 0, 0, err
	}
	defer b.Close()
	opts := streams.Options{Brokers: b.Addrs(), Dial: b.Dial}
	if err := streams.Provision(ctx, opts, streams.DefaultLayout(true)); err != nil {
		return 0, 0, err
	}
	size := 0
	sends := make([]streams.Send, 0, batch)
	for i, r := range m.pages {
		sends = append(sends, streams.Send{Topic: r.Topic, Partition: r.Partition, Key: r.Key, Value: r.Value, Headers: r.Headers})
		size += len(r.Value)
		if len(sends) == batch || i == len(m.pages)-1 {
			if err := streams.Append(ctx, opts, sends...); err != nil {
				return 0, 0, err
			}
			sends = sends[:0]
		}
	}
	log, err := streams.NewLog(opts)
	if err != nil {
		return 0, 0, err
	}
	defer log.Close()
	n := 0
	err = each(ctx, log, topics.Pages().Name, func(streams.Raw) error { n++; return nil })
	if err == nil && n != len(m.pages) {
		err = fmt.Errorf("%d of %d pages came back", n, len(m.pages))
	}
	return n, size, err
}

// parse parses the bodies and forgets them.
func (m *material) parse() (n, size int, err error) {
	for _, r := range m.pages {
		var p schema.Page
		if err := p.UnmarshalVT(r.Value); err != nil {
			return 0, 0, err
		}
		body := p.Body
		if p.ContentEncoding == "gzip" {
			if body, err = unzip(body); err != nil {
				return 0, 0, err
			}
		}
		if _, err := html.Parse(bytes.NewReader(body)); err != nil {
			return 0, 0, err
		}
		n, size = n+1, size+len(body)
	}
	return n, size, nil
}

func unzip(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// pebble writes every row once and reads it once. The crawl writes some rows
// several times.
func (m *material) pebble(dir string) (n, size int, err error) {
	db, err := pebble.Open(dir, &pebble.Options{Logger: quiet{}})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for rest := m.rows; len(rest) > 0; {
		b := db.NewBatch()
		for _, r := range rest[:min(batch, len(rest))] {
			if err := b.Set(r[0], r[1], nil); err != nil {
				return 0, 0, err
			}
			n, size = n+1, size+len(r[0])+len(r[1])
		}
		if err := b.Commit(pebble.Sync); err != nil {
			return 0, 0, err
		}
		rest = rest[min(batch, len(rest)):]
	}
	for _, r := range m.rows {
		_, c, err := db.Get(r[0])
		if err != nil {
			return 0, 0, err
		}
		if err := c.Close(); err != nil {
			return 0, 0, err
		}
	}
	return n, size, nil
}

// bleve indexes the documents with bleve's own mapping.
func (m *material) bleve(dir string) (n, size int, err error) {
	i, err := baseline.New(dir, "en", "bm25")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	var some []baseline.Document
	for k, d := range m.docs {
		some = append(some, baseline.Document{Key: d.RowKey, Title: d.Title, Body: d.Text})
		n, size = n+1, size+len(d.Title)+len(d.Text)
		if len(some) == batch || k == len(m.docs)-1 {
			if err := i.Add(some); err != nil {
				return 0, 0, err
			}
			some = some[:0]
		}
	}
	return n, size, nil
}

// shard indexes the documents with the shard that the index group uses.
func (m *material) shard(ctx context.Context, dir string) (n, size int, err error) {
	i, err := shard.Open(dir, shard.DefaultOptions())
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	var some []shard.Change
	for k, d := range m.docs {
		c := shard.Change{Offset: int64(k), Key: d.RowKey, Document: &shard.Document{Host: d.Host}}
		c.Document.Shown.URL, c.Document.Shown.Title, c.Document.Shown.Text = d.Url, d.Title, d.Text
		c.Document.Shown.Site, c.Document.Shown.Lang = d.Site, d.Lang
		some = append(some, c)
		n, size = n+1, size+len(d.Title)+len(d.Text)
		if len(some) == batch || k == len(m.docs)-1 {
			if _, err := i.Apply(ctx, shard.Batch{Changes: some, Next: int64(k) + 1}); err != nil {
				return 0, 0, err
			}
			some = nil
		}
	}
	return n, size, nil
}

// quiet is a Pebble logger for those who do not want one.
type quiet struct{}

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}
