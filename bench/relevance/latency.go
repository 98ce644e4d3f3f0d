package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"millrace/bench/relevance/baseline"
)

// kind is a kind of query.
type kind struct {
	name   string
	words  int
	all    bool
	phrase bool
}

func kinds() []kind {
	return []kind{
		{name: "1 word", words: 1, all: true}, {name: "2 words, all", words: 2, all: true}, {name: "3 words, all", words: 3, all: true},
		{name: "2 words, any", words: 2}, {name: "5 words, any", words: 5}, {name: "2 words, a phrase", words: 2, phrase: true},
	}
}

// query draws words of middling frequency. It returns them also as the person types them.
func (k kind) query(r *rand.Rand) (typed, text string) {
	words := make([]string, k.words)
	for i := range words {
		words[i] = word(int(zipf(r, 3000)) + 20)
	}
	text = strings.Join(words, " ")
	switch {
	case k.phrase:
		return `"` + text + `"`, text
	case k.all:
		return text, text
	}
	return strings.Join(words, " OR "), text
}

func askBleve(i *baseline.Index, k kind, text string) error {
	_, err := i.Search(baseline.Request{Text: text, TitleBoost: 2, All: k.all, Phrase: k.phrase, Show: true, K: 10})
	return err
}

// cost holds the processor and wall times of queries.
type cost struct{ cpu, wall []time.Duration }

// spend adds one query.
func (c *cost) spend(fn func() error) error {
	started, before := time.Now(), cpuTime()
	err := fn()
	c.cpu, c.wall = append(c.cpu, cpuTime()-before), append(c.wall, time.Since(started))
	return err
}

// latencies asks both the same queries of several kinds and has both show titles and snippets. Ours
// asks again with words missing if fewer than ten pages have all. What is told first is the CPU
// time of a query, of all its threads: on a machine that does other work it says more than how long
// it took. Ours works in several threads, so it takes less time than that on a quiet machine.
func latencies(ctx context.Context, w io.Writer, ours *own, theirs *baseline.Index) error {
	fmt.Fprintln(w, "CPU ms a query     own p50    p99   bleve p50    p99   ratio p50   p99   time it took: own p50    p99   bleve p50    p99   ratio p50   p99")
	for i, k := range kinds() {
		r := rand.New(rand.NewPCG(5, uint64(i)))
		var mine, other cost
		for range 200 {
			typed, text := k.query(r)
			if err := mine.spend(func() error { _, err := ours.search(ctx, typed); return err }); err != nil {
				return err
			}
			if err := other.spend(func() error { return askBleve(theirs, k, text) }); err != nil {
				return err
			}
		}
		fmt.Fprintf(w, "%-18s %s              %s\n", k.name, beside(mine.cpu, other.cpu), beside(mine.wall, other.wall))
	}
	return nil
}

func beside(own, other []time.Duration) string {
	return fmt.Sprintf("%7.2f %6.2f %11.2f %6.2f %11.2f %5.2f", at(own, .5), at(own, .99), at(other, .5), at(other, .99),
		at(own, .5)/at(other, .5), at(own, .99)/at(other, .99))
}

func at(d []time.Duration, q float64) float64 {
	slices.Sort(d)
	return float64(d[int(q*float64(len(d)-1))].Microseconds()) / 1000
}

// pace is how many documents a second come in while whileIndexing asks.
const pace = 200

// whileIndexing tells how long queries take while documents come in, a batch each second. What was
// added stays in the indexes.
func whileIndexing(ctx context.Context, w io.Writer, documents made, ours *own, theirs *baseline.Index) error {
	documents.n = min(documents.n, 20_000)
	more := documents.makeMore(2)
	mine, err := asked(more, func(d []document) error { return ours.add(ctx, "en", d) }, func(_ kind, typed, _ string) error {
		_, err := ours.search(ctx, typed)
		return err
	})
	if err != nil {
		return err
	}
	other, err := asked(more, func(d []document) error { return addBaseline(theirs, d) }, func(k kind, _, text string) error { return askBleve(theirs, k, text) })
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nwhile %d documents a second are indexed\ntime it took, ms   own p50    p99   bleve p50    p99   ratio p50   p99\n", pace)
	for i, k := range kinds() {
		fmt.Fprintf(w, "%-18s %s\n", k.name, beside(mine[i].wall, other[i].wall))
	}
	return nil
}

// asked asks queries of each kind while documents are added, and returns what they took.
func asked(documents []document, add func([]document) error, ask func(k kind, typed, text string) error) ([]cost, error) {
	stop := make(chan struct{})
	var adding sync.WaitGroup
	var failed error
	adding.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for chunk := range slices.Chunk(documents, pace) {
			if failed = add(chunk); failed != nil {
				return
			}
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	})
	costs := make([]cost, len(kinds()))
	var err error
	for i, k := range kinds() {
		r := rand.New(rand.NewPCG(7, uint64(i)))
		for range 200 {
			typed, text := k.query(r)
			if err = costs[i].spend(func() error { return ask(k, typed, text) }); err != nil {
				break
			}
		}
	}
	close(stop)
	adding.Wait()
	if err == nil {
		err = failed
	}
	return costs, err
}
