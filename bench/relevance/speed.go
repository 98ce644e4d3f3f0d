package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"millrace/bench/relevance/baseline"
)

// speed measures indexing and latency on a made-up collection. The indexes are left in keep, and
// used again if they are there; "" makes new ones and takes them away.
func speed(ctx context.Context, w io.Writer, documents made, keep string) error {
	dir := keep
	if keep == "" {
		var err error
		if dir, err = os.MkdirTemp("", "relevance"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	ourDir, theirDir := filepath.Join(dir, "own"), filepath.Join(dir, "bleve")
	if _, err := os.Stat(theirDir); err != nil {
		if err := fill(ctx, w, documents, ourDir, theirDir); err != nil {
			return err
		}
	}
	ours, err := newOwn(ourDir)
	if err != nil {
		return err
	}
	defer ours.close()
	theirs, err := baseline.Open(theirDir)
	if err != nil {
		return err
	}
	defer theirs.Close()
	text := size(documents.makeUp())
	if err := ours.tellBytes(w, text); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nas indexing left it")
	if err := latencies(ctx, w, ours, theirs); err != nil {
		return err
	}
	for _, s := range ours.shards {
		if err := s.Merge(ctx); err != nil {
			return err
		}
	}
	if err := theirs.Merge(ctx); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nall merged: own %.1f MB, bleve %.1f MB on disk\n", float64(diskUse(ourDir))/1e6, float64(diskUse(theirDir))/1e6)
	if err := ours.tellBytes(w, text); err != nil {
		return err
	}
	if err := latencies(ctx, w, ours, theirs); err != nil {
		return err
	}
	return whileIndexing(ctx, w, documents, ours, theirs)
}

// fill indexes the documents with both.
func fill(ctx context.Context, w io.Writer, documents made, ourDir, theirDir string) error {
	made := documents.makeUp()
	fmt.Fprintf(w, "\nspeed: %d made-up documents, %.1f MB\n", documents.n, float64(size(made))/1e6)
	if err := indexing(w, "own", ourDir, made, func() (engine, error) { return openOwn(ctx, ourDir) }); err != nil {
		return err
	}
	return indexing(w, "bleve", theirDir, made, func() (engine, error) { return newBleve(theirDir) })
}

// bleveBatch is how many documents go into one batch of bleve. It needs less CPU time a document
// with large batches.
const bleveBatch = 1000

// engine holds the functions of one index whose speed indexing measures.
type engine struct {
	batch int // documents of one call
	add   func([]document) error
	close func()
}

func openOwn(ctx context.Context, dir string) (engine, error) {
	o, err := newOwn(dir)
	return engine{batch * shards, func(d []document) error { return o.add(ctx, "en", d) }, func() { o.close() }}, err
}

func newBleve(dir string) (engine, error) {
	i, err := baseline.New(dir, "en", "bm25")
	return engine{bleveBatch, func(d []document) error { return addBaseline(i, d) }, func() { i.Close() }}, err
}

// indexing counts up to the end of closing, so that no work in the background runs into the next
// measurement.
func indexing(w io.Writer, name, dir string, documents []document, open func() (engine, error)) error {
	started, cpu := time.Now(), cpuTime()
	e, err := open()
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(documents, e.batch) {
		if err := e.add(chunk); err != nil {
			return err
		}
	}
	e.close()
	n := float64(len(documents))
	fmt.Fprintf(w, "indexing %-6s %6.0f documents/s  %6.0f documents a CPU second  %5.1f MB on disk\n", name,
		n/time.Since(started).Seconds(), n/(cpuTime()-cpu).Seconds(), float64(diskUse(dir))/1e6)
	return nil
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func diskUse(dir string) int64 {
	var sum int64
	filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if info, err := e.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}

// made says how many documents are made up, and how many times 450 words (2 KB) each has.
type made struct{ n, times int }

// makeUp makes documents with word frequencies like a language's.
func (m made) makeUp() []document { return m.makeMore(1) }

// makeMore makes others for each seed.
func (m made) makeMore(seed uint64) []document {
	r := rand.New(rand.NewPCG(seed, 2))
	out := make([]document, m.n)
	for i := range out {
		var body strings.Builder
		for range (150 + r.IntN(600)) * m.times {
			body.WriteString(word(int(zipf(r, 60000))))
			body.WriteByte(' ')
		}
		title := word(int(zipf(r, 60000))) + " " + word(int(zipf(r, 60000)))
		out[i] = document{"doc" + strconv.Itoa(int(seed-1)*m.n+i), title, body.String()}
	}
	return out
}

// zipf draws a rank below n with a frequency of about 1 / rank.
func zipf(r *rand.Rand, n uint64) uint64 {
	return rand.NewZipf(r, 1.05, 4, n-1).Uint64()
}

// word spells a rank in syllables: frequent words are short.
func word(rank int) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var b strings.Builder
	for n := rank + 1; ; n /= len(consonants) * len(vowels) {
		s := n % (len(consonants) * len(vowels))
		b.WriteByte(consonants[s%len(consonants)])
		b.WriteByte(vowels[s/len(consonants)])
		if n < len(consonants)*len(vowels) {
			return b.String()
		}
	}
}
