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
	return latencies(ctx, w, ours, theirs)
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

// latencies asks both the same queries of several kinds and has both show titles and snippets. Ours
// asks again with words missing if fewer than ten pages have all. What is told is the CPU time of a
// query, of all its threads: on a machine that does other work it says more than how long it took,
// and it is at least that for both.
func latencies(ctx context.Context, w io.Writer, ours *own, theirs *baseline.Index) error {
	fmt.Fprintln(w, "CPU ms a query     own p50    p99   bleve p50    p99   ratio p50   p99")
	for i, kind := range []struct {
		name   string
		words  int
		all    bool
		phrase bool
	}{
		{name: "1 word", words: 1, all: true}, {name: "2 words, all", words: 2, all: true}, {name: "3 words, all", words: 3, all: true},
		{name: "2 words, any", words: 2}, {name: "5 words, any", words: 5}, {name: "2 words, a phrase", words: 2, phrase: true},
	} {
		r := rand.New(rand.NewPCG(5, uint64(i)))
		var mine, other []time.Duration
		for range 200 {
			words := make([]string, kind.words)
			for i := range words {
				words[i] = word(int(zipf(r, 3000)) + 20)
			}
			text, join := strings.Join(words, " "), " "
			if !kind.all {
				join = " OR "
			}
			query := strings.Join(words, join)
			if kind.phrase {
				query = `"` + text + `"`
			}
			took, err := spent(func() error { _, err := ours.search(ctx, query); return err })
			if err != nil {
				return err
			}
			mine = append(mine, took)
			took, err = spent(func() error {
				_, err := theirs.Search(baseline.Request{Text: text, TitleBoost: 2, All: kind.all, Phrase: kind.phrase, Show: true, K: 10})
				return err
			})
			if err != nil {
				return err
			}
			other = append(other, took)
		}
		fmt.Fprintf(w, "%-18s %7.2f %6.2f %11.2f %6.2f %11.2f %5.2f\n", kind.name, at(mine, .5), at(mine, .99), at(other, .5), at(other, .99),
			at(mine, .5)/at(other, .5), at(mine, .99)/at(other, .99))
	}
	return nil
}

// spent is the CPU time of the process while fn runs.
func spent(fn func() error) (time.Duration, error) {
	before := cpuTime()
	err := fn()
	return cpuTime() - before, err
}

func at(d []time.Duration, q float64) float64 {
	slices.Sort(d)
	return float64(d[int(q*float64(len(d)-1))].Microseconds()) / 1000
}

// made says how many documents are made up, and how many times 450 words (2 KB) each has.
type made struct{ n, times int }

// makeUp makes documents with word frequencies like a language's.
func (m made) makeUp() []document {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]document, m.n)
	for i := range out {
		var body strings.Builder
		for range (150 + r.IntN(600)) * m.times {
			body.WriteString(word(int(zipf(r, 60000))))
			body.WriteByte(' ')
		}
		title := word(int(zipf(r, 60000))) + " " + word(int(zipf(r, 60000)))
		out[i] = document{"doc" + strconv.Itoa(i), title, body.String()}
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
