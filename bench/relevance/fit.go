package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/search"
)

// fitting chooses parameters and says what they are worth on what they were not chosen with.
type fitting struct {
	w     io.Writer
	parts []*measured
	known map[choice][][]float64 // by collection, by question
}

// measured is a collection in our engine.
type measured struct {
	c *collection
	o *own
}

// choice is what is fitted.
type choice struct {
	rank.Params
	search.Feedback
}

// folds is the number of parts of the questions; each is measured with parameters chosen on the others.
const folds = 5

// fit prints, for every collection, the mean nDCG@10 of the parameters as they are, of those chosen by five-fold
// cross-validation over the questions of all collections, and of those chosen on the other collections only.
func fit(ctx context.Context, w io.Writer, all []collection) error {
	f := &fitting{w: w, known: map[choice][][]float64{}}
	for i := range all {
		c := &all[i]
		dir, err := os.MkdirTemp("", "fit")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o, err := newOwn(filepath.Join(dir, "own"))
		if err != nil {
			return err
		}
		defer o.close()
		if err := o.add(ctx, c.lang, c.documents); err != nil {
			return err
		}
		f.parts = append(f.parts, &measured{thin(c), o})
	}
	return f.report()
}

// maxQuestions bounds the questions of a collection that are asked for every choice.
const maxQuestions = 400

// thin keeps every nth question.
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

func (f *fitting) report() error {
	start := choice{rank.DefaultParams(), search.DefaultOptions().Feedback}
	now, err := f.scores(start)
	if err != nil {
		return err
	}
	every := func(int, int) bool { return true }
	best, err := f.ascend(start, every)
	if err != nil {
		return err
	}
	fitted, err := f.scores(best)
	if err != nil {
		return err
	}
	held := make([][]float64, len(f.parts))
	for fold := range folds {
		chosen, err := f.ascend(start, func(_, q int) bool { return q%folds != fold })
		if err != nil {
			return err
		}
		s, err := f.scores(chosen)
		if err != nil {
			return err
		}
		for i := range s {
			for q := fold; q < len(s[i]); q += folds {
				held[i] = append(held[i], s[i][q])
			}
		}
	}
	fmt.Fprintln(f.w, "nDCG@10              as it is  fitted to all  held-out questions  held-out collection")
	for i, p := range f.parts {
		chosen, err := f.ascend(start, func(c, _ int) bool { return c != i })
		if err != nil {
			return err
		}
		s, err := f.scores(chosen)
		if err != nil {
			return err
		}
		fmt.Fprintf(f.w, "%-20s %9.4f %14.4f %19.4f %20.4f\n", p.c.name, average(now[i]), average(fitted[i]), average(held[i]), average(s[i]))
	}
	fmt.Fprintf(f.w, "fitted to all: %+v\n", best)
	return nil
}

// ascend changes one parameter at a time as long as that helps (coordinate ascent: Metzler, Croft 2007). The aim is
// the mean over the collections; a question counts if use says so.
func (f *fitting) ascend(p choice, use func(collection, question int) bool) (choice, error) {
	best, err := f.aim(p, use)
	if err != nil {
		return p, err
	}
	for improved := true; improved; {
		improved = false
		for _, knob := range knobs() {
			for _, v := range knob.values {
				q := p
				knob.set(&q, v)
				got, err := f.aim(q, use)
				if err != nil {
					return p, err
				}
				fmt.Fprintf(os.Stderr, "%.4f %+v\n", got, q)
				if got > best+1e-4 {
					best, p, improved = got, q, true
				}
			}
		}
	}
	return p, nil
}

type knob struct {
	set    func(*choice, float64)
	values []float64
}

func knobs() []knob {
	return []knob{
		{func(p *choice, v float64) { p.K1 = v }, []float64{1.2, 1.6, 2, 2.6}},
		{func(p *choice, v float64) { p.B[rank.Body] = v }, []float64{0.45, 0.6, 0.75}},
		{func(p *choice, v float64) { p.OtherForm = v }, []float64{0.7, 0.8, 0.9, 1}},
		{func(p *choice, v float64) { p.Share = v }, []float64{0, 0.2, 0.35, 0.5}},
		{func(p *choice, v float64) { p.LeastWords = int(v) }, []float64{5, 7, 9}},
	}
}

// aim is the mean over the collections of the mean over their questions.
func (f *fitting) aim(p choice, use func(collection, question int) bool) (float64, error) {
	scores, err := f.scores(p)
	if err != nil {
		return 0, err
	}
	sum, n := 0.0, 0
	for i, s := range scores {
		var used []float64
		for q, v := range s {
			if use(i, q) {
				used = append(used, v)
			}
		}
		if len(used) > 0 {
			sum, n = sum+average(used), n+1
		}
	}
	return sum / float64(n), nil
}

func average(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(1, len(v)))
}

// scores measures every question, once for each choice of parameters.
func (f *fitting) scores(p choice) ([][]float64, error) {
	if s := f.known[p]; s != nil {
		return s, nil
	}
	all := make([][]float64, len(f.parts))
	for i, m := range f.parts {
		opts := benchOptions()
		opts.Params, opts.Feedback = p.Params, p.Feedback
		s, err := search.New(opts, m.o)
		if err != nil {
			return nil, err
		}
		all[i] = make([]float64, len(m.c.questions))
		var failed atomic.Value
		var asking sync.WaitGroup
		for part := range workers {
			asking.Go(func() {
				for q := part; q < len(m.c.questions); q += workers {
					if err := m.ask(s, q, &all[i][q]); err != nil {
						failed.Store(err)
					}
				}
			})
		}
		if asking.Wait(); failed.Load() != nil {
			return nil, failed.Load().(error)
		}
	}
	f.known[p] = all
	return all, nil
}

// workers ask at a time.
const workers = 4

func (m *measured) ask(s *search.Searcher, question int, into *float64) error {
	q := m.c.questions[question]
	r, err := s.Search(context.Background(), search.Request{Query: plain(q.text), PerSite: -1})
	if err != nil {
		return err
	}
	var keys []string
	for _, h := range r.Hits {
		keys = append(keys, h.Key)
	}
	*into = ndcg(keys, q.relevant, 10)
	return nil
}

// named keeps the collections with these names; none = all.
func named(all []collection, names []string) []collection {
	if len(names) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(c collection) bool { return !slices.Contains(names, c.name) })
}
