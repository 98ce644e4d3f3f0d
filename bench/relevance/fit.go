package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/search"
)

// measured is a collection in our engine.
type measured struct {
	c *collection
	o *own
}

// choice is one set of the parameters that are fitted.
type choice struct {
	rank.Params
	search.Feedback
}

// folds is the number of parts of the questions; each is measured with the choice that is best on
// the others.
const folds = 5

// maxQuestions bounds the questions of a collection that are asked for every choice.
const maxQuestions = 200

// fit draws choices of parameters at random (Bergstra, Bengio 2012), asks every question with each
// of them once, and keeps what each question got. From that table it prints, for every collection,
// the mean nDCG@10 of the parameters as they are, of the best choice, of the choices that are best
// on four fifths of the questions measured on the fifth, and of the choice that is best on the
// other collections. The last two are cross-validated. The first choice is the parameters as they
// are; another one must be better by more than chance moves it to be taken.
func fit(ctx context.Context, w io.Writer, all []collection, choices int) error {
	parts, done, err := measure(ctx, all)
	defer done()
	if err != nil {
		return err
	}
	tried := drawChoices(choices)
	table := make([][][]float64, len(tried)) // choice, collection, question
	for i, p := range tried {
		if table[i], err = scores(ctx, parts, p); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%d %.4f", i, aim(table[i], func(int, int) bool { return true }))
		for _, s := range table[i] {
			fmt.Fprintf(os.Stderr, " %.4f", average(s))
		}
		fmt.Fprintf(os.Stderr, " %s\n", p)
	}
	report(w, parts, tried, table)
	return nil
}

// measure fills an index for every collection.
func measure(ctx context.Context, all []collection) (parts []*measured, done func(), err error) {
	var undo []func()
	done = func() {
		for _, fn := range slices.Backward(undo) {
			fn()
		}
	}
	for i := range all {
		c := &all[i]
		dir, err := os.MkdirTemp("", "fit")
		if err != nil {
			return nil, done, err
		}
		undo = append(undo, func() { os.RemoveAll(dir) })
		o, err := newOwn(filepath.Join(dir, "own"))
		if err != nil {
			return nil, done, err
		}
		undo = append(undo, o.close)
		if err := o.add(ctx, c.lang, c.documents); err != nil {
			return nil, done, err
		}
		parts = append(parts, &measured{thin(c), o})
	}
	return parts, done, nil
}

// thin keeps every nth question that has an answer.
func thin(c *collection) *collection {
	every := (len(c.questions) + maxQuestions - 1) / maxQuestions
	out := *c
	out.questions = nil
	for i := 0; i < len(c.questions); i += every {
		if len(c.questions[i].relevant) > 0 {
			out.questions = append(out.questions, c.questions[i])
		}
	}
	return &out
}

// drawChoices returns the parameters as they are, and others drawn around them.
func drawChoices(n int) []choice {
	start := choice{rank.DefaultParams(), search.DefaultOptions().Feedback}
	all := []choice{start}
	r := rand.New(rand.NewPCG(3, 14))
	for len(all) < n {
		p := start
		p.K1 = pickOf(r, 1.2, 1.6, 2, 2.6)
		p.B[rank.Body] = pickOf(r, 0.4, 0.5, 0.6, 0.7, 0.8)
		p.Weight[rank.Title] = pickOf(r, 1, 1.5, 2, 3)
		p.Nearness = pickOf(r, 0, 0.25, 0.5, 0.8)
		p.OtherForm = pickOf(r, 0.6, 0.7, 0.8, 0.9, 1)
		p.OtherCut = pickOf(r, 0.2, 0.35, 0.5, 0.7)
		p.Feedback.Share = pickOf(r, 0, 0.2, 0.35, 0.5)
		p.Feedback.LeastWords = int(pickOf(r, 5, 6, 7, 8))
		p.Feedback.Pages = int(pickOf(r, 5, 8, 12))
		all = append(all, p)
	}
	return all
}

func pickOf(r *rand.Rand, values ...float64) float64 { return values[r.IntN(len(values))] }

// String names the numbers that are drawn.
func (p choice) String() string {
	return fmt.Sprintf("k1 %g b %g title %g near %g form %g cut %g feedback %+v", p.K1, p.B[rank.Body], p.Weight[rank.Title], p.Nearness,
		p.OtherForm, p.OtherCut, p.Feedback)
}

func report(w io.Writer, parts []*measured, tried []choice, table [][][]float64) {
	best := argBest(table, func(int, int) bool { return true })
	held := make([][]float64, len(parts))
	for fold := range folds {
		chosen := argBest(table, func(_, q int) bool { return q%folds != fold })
		for c, s := range table[chosen] {
			for q := fold; q < len(s); q += folds {
				held[c] = append(held[c], s[q])
			}
		}
	}
	fmt.Fprintf(w, "nDCG@10, %d choices    as it is  best in sample  held-out questions  held-out collection\n", len(tried))
	for c, p := range parts {
		other := argBest(table, func(collection, _ int) bool { return collection != c })
		fmt.Fprintf(w, "%-20s %10.4f %15.4f %19.4f %20.4f\n", p.c.name, average(table[0][c]), average(table[best][c]), average(held[c]), average(table[other][c]))
	}
	fmt.Fprintf(w, "best in sample: %s\n", tried[best])
}

// argBest is the choice with the greatest aim over the questions that use keeps; the parameters as
// they are, if none is better by a thousandth.
func argBest(table [][][]float64, use func(collection, question int) bool) int {
	best, most := 0, aim(table[0], use)+1e-3
	for i := 1; i < len(table); i++ {
		if got := aim(table[i], use); got > most {
			best, most = i, got
		}
	}
	return best
}

// aim is the mean over the collections of the mean over their questions.
func aim(scores [][]float64, use func(collection, question int) bool) float64 {
	sum, n := 0.0, 0
	for c, s := range scores {
		var used []float64
		for q, v := range s {
			if use(c, q) {
				used = append(used, v)
			}
		}
		if len(used) > 0 {
			sum, n = sum+average(used), n+1
		}
	}
	return sum / float64(max(1, n))
}

func average(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(1, len(v)))
}

// workers ask at a time.
const workers = 2

// scores asks every question with a choice.
func scores(ctx context.Context, parts []*measured, p choice) ([][]float64, error) {
	all := make([][]float64, len(parts))
	for i, m := range parts {
		opts := benchOptions()
		opts.Params, opts.Feedback = p.Params, p.Feedback
		opts.SnippetBytes, opts.ScanBytes = 40, 40 // nobody reads them
		s, err := search.New(opts, m.o)
		if err != nil {
			return nil, err
		}
		all[i] = make([]float64, len(m.c.questions))
		errs := make([]error, workers)
		var asking sync.WaitGroup
		for part := range workers {
			asking.Go(func() {
				for q := part; q < len(m.c.questions) && errs[part] == nil; q += workers {
					all[i][q], errs[part] = m.ask(ctx, s, q)
				}
			})
		}
		if asking.Wait(); errors.Join(errs...) != nil {
			return nil, errors.Join(errs...)
		}
	}
	return all, nil
}

func (m *measured) ask(ctx context.Context, s *search.Searcher, question int) (float64, error) {
	q := m.c.questions[question]
	r, err := s.Search(ctx, search.Request{Query: plain(q.text), PerSite: -1})
	if err != nil {
		return 0, err
	}
	keys := make([]string, 0, len(r.Hits))
	for _, h := range r.Hits {
		keys = append(keys, h.Key)
	}
	return ndcg(keys, q.relevant, 10), nil
}

// named keeps the collections with these names; none = all.
func named(all []collection, names []string) []collection {
	if len(names) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(c collection) bool { return !slices.Contains(names, c.name) })
}
