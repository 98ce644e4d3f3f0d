package shard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// plain is a page as the brute-force searcher sees it: its terms in order.
type plain struct {
	key         string
	title, body []string
	analyser    text.Analyser
}

func readPlain(c Change) plain {
	a := text.ForLanguage(c.Document.Shown.Lang)
	return plain{c.Key, terms(a, c.Document.Shown.Title), terms(a, c.Document.Shown.Text), a}
}

func terms(a text.Analyser, s string) []string {
	var out []string
	normal := text.NewNormaliser(a)
	for scan := text.Scan(s); ; {
		span, ok := scan.Next()
		if !ok {
			return out
		}
		out = append(out, a.Term(normal.Stem(s[span.Start:span.End])))
	}
}

func occurrences(in []string, w rank.Word) float64 {
	n := 0.0
	for _, term := range in {
		for _, t := range w.Terms {
			if t.Name == term {
				n++
			}
		}
	}
	return n
}

// slowScore is BM25F straight from its definition.
func slowScore(p plain, plan *rank.Plan) float64 {
	score := 0.0
	mean := plan.Lengths[p.analyser]
	fields := [rank.Fields][]string{rank.Title: p.title, rank.Body: p.body}
	for i, w := range plan.Words {
		sum := 0.0
		for f, tokens := range fields {
			b := plan.Params.B[f]
			sum += plan.Params.Weight[f] * occurrences(tokens, w) / (1 - b + b*float64(len(tokens))/mean[f])
		}
		score += plan.Weights[i] * sum / (plan.Params.K1 + sum)
	}
	return score
}

// slowMatch decides the matches of randomPlan.
func slowMatch(p plain, words []rank.Word, m rank.Match) bool {
	switch m.Op {
	case rank.All:
		return !slices.ContainsFunc(m.Args, func(a rank.Match) bool { return !slowMatch(p, words, a) })
	case rank.Some:
		return slices.ContainsFunc(m.Args, func(a rank.Match) bool { return slowMatch(p, words, a) })
	case rank.None:
		return !slices.ContainsFunc(m.Args, func(a rank.Match) bool { return slowMatch(p, words, a) })
	case rank.Has:
		return occurrences(p.title, words[m.Word])+occurrences(p.body, words[m.Word]) > 0
	case rank.HasTitle:
		return occurrences(p.title, words[m.Word]) > 0
	case rank.Row:
		return slices.ContainsFunc(m.Sequences, func(s rank.Sequence) bool { return hasRow(p.title, s.Names) || hasRow(p.body, s.Names) })
	case rank.RowTitle:
		return slices.ContainsFunc(m.Sequences, func(s rank.Sequence) bool { return hasRow(p.title, s.Names) })
	}
	return m.Op == rank.Every
}

func hasRow(in, row []string) bool {
	for i := 0; i+len(row) <= len(in); i++ {
		if slices.Equal(in[i:i+len(row)], row) {
			return true
		}
	}
	return false
}

func randomPlan(r *rand.Rand, stats rank.Stats, words []rank.Word) rank.Plan {
	plan := rank.Plan{Words: words, Weights: stats.Weights(), Lengths: stats.Lengths(), Params: rank.DefaultParams(), K: 1 + r.IntN(20)}
	if plan.Match = randomMatch(r, words, 2); r.IntN(3) == 0 { // the queries that people ask most
		plan.Match = rank.Match{Op: []rank.Op{rank.All, rank.Some}[r.IntN(2)]}
		for i := range words {
			plan.Match.Args = append(plan.Match.Args, rank.Match{Op: rank.Has, Word: i})
		}
	}
	return plan
}

func randomMatch(r *rand.Rand, words []rank.Word, depth int) rank.Match {
	word := r.IntN(len(words))
	switch op := r.IntN(8); {
	case op < 3 && depth > 0:
		m := rank.Match{Op: []rank.Op{rank.All, rank.Some, rank.None}[op]}
		for range 1 + r.IntN(3) {
			m.Args = append(m.Args, randomMatch(r, words, depth-1))
		}
		return m
	case op == 3:
		return rank.Match{Op: rank.Every}
	case op == 4:
		return rank.Match{Op: rank.HasTitle, Word: word}
	case op == 5:
		return rank.Match{Op: rank.Row, Sequences: sequences(words[word], words[r.IntN(len(words))])}
	case op == 6:
		return rank.Match{Op: rank.RowTitle, Sequences: sequences(words[word], words[r.IntN(len(words))])}
	}
	return rank.Match{Op: rank.Has, Word: word}
}

func sequences(x, y rank.Word) []rank.Sequence {
	var all []rank.Sequence
	for i, t := range x.Terms {
		all = append(all, rank.Sequence{Analyser: t.Analyser, Names: []string{t.Name, y.Terms[i].Name}, At: []int{0, 1}})
	}
	return all
}

func wordsOf(analysers []text.Analyser, all ...string) []rank.Word {
	var words []rank.Word
	for _, s := range all {
		var w rank.Word
		for _, a := range analysers {
			w.Terms = append(w.Terms, rank.Term{Analyser: a, Name: a.Term(text.NewNormaliser(a).Stem(s))})
		}
		words = append(words, w)
	}
	return words
}

// The two ways of scoring and every kind of match agree with the definition, over segments with
// deletions and several analysers.
func TestTopEqualsBruteForce(t *testing.T) {
	s := openShard(t, t.TempDir())
	changes := history(11, 1500)
	fold := map[string]plain{}
	for from := 0; from < len(changes); from += 150 {
		batch := changes[from : from+150]
		apply(t, s, int64(from+150), batch...)
		for _, c := range batch {
			delete(fold, c.Key)
			if c.Document != nil {
				fold[c.Key] = readPlain(c)
			}
		}
	}
	equalsBruteForce(t, s, fold)
	if err := s.Merge(t.Context()); err != nil {
		t.Fatal(err)
	}
	equalsBruteForce(t, s, fold)
}

func equalsBruteForce(t *testing.T, s *Shard, fold map[string]plain) {
	t.Helper()
	snap := snapshot(t, s)
	r := rand.New(rand.NewPCG(3, 4))
	vocabulary := strings.Fields("kafka stream index river mill water stone хлеб поле 北京 search the of page absent")
	together, union := 0, 0
	for round := range 300 {
		var picked []string
		for range 1 + r.IntN(5) {
			picked = append(picked, vocabulary[r.IntN(len(vocabulary))])
		}
		words := wordsOf(snap.Analysers(), picked...)
		stats, err := snap.Stats(t.Context(), words)
		if err != nil {
			t.Fatal(err)
		}
		plan := randomPlan(r, stats, words)
		if plan.Unscored() {
			continue
		}
		top, err := snap.Top(t.Context(), &plan)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := snap.segments[0].together(&plan); ok {
			together++
		}
		if snap.segments[0].covering(&plan) != nil {
			union++
		}
		if diff := compare(t.Context(), snap, top, &plan, fold); diff != "" {
			t.Fatalf("round %d, words %v, match %+v, k %d: %s", round, picked, plan.Match, plan.K, diff)
		}
		bothWays(t, snap, &plan)
	}
	if together < 10 || union < 10 {
		t.Errorf("%d plans have all words, %d one of them: too few to say anything", together, union)
	}
}

func compare(ctx context.Context, snap *Snapshot, top rank.Top, plan *rank.Plan, fold map[string]plain) string {
	var want []float64
	for _, p := range fold {
		if slowMatch(p, plan.Words, plan.Match) {
			want = append(want, slowScore(p, plan))
		}
	}
	slices.SortFunc(want, func(a, b float64) int { return cmp.Compare(b, a) })
	if int(top.Total) != len(want) || len(top.Hits) != min(plan.K, len(want)) {
		return fmt.Sprintf("%d in all and %d hits, want %d in all", top.Total, len(top.Hits), len(want))
	}
	for i, hit := range top.Hits {
		page, err := snap.Page(ctx, hit.Ref)
		if err != nil {
			return err.Error()
		}
		own := slowScore(fold[page.Key], plan)
		if math.Abs(hit.Score-own) > 1e-6 || math.Abs(hit.Score-want[i]) > 1e-6 {
			return fmt.Sprintf("hit %d (%s) scores %g, by definition %g; place %d deserves %g", i, page.Key, hit.Score, own, i, want[i])
		}
	}
	return ""
}

// bothWays runs page by page, MaxScore and word by word on every segment, whichever Top chose.
// Which pages without score fill up the best k is not decided, so these are left out.
func bothWays(t *testing.T, snap *Snapshot, plan *rank.Plan) {
	t.Helper()
	for i, view := range snap.segments {
		m := matching{ctx: t.Context(), view: view, words: plan.Words}
		pages, err := m.pages(plan.Match)
		if err != nil {
			t.Fatal(err)
		}
		var results [3][]rank.Scored
		for way := range results {
			b := newBest(plan.K, false)
			run := scoring{ctx: t.Context(), view: view, segment: i, pages: pages, best: b}
			for w := range plan.Words {
				if c := view.wordCursor(plan, w); c != nil {
					run.words = append(run.words, c)
				}
			}
			if err := []func() error{run.pageByPage, run.maxScore, func() error { _, err := run.wordByWord(); return err }}[way](); err != nil {
				t.Fatal(err)
			}
			hits := b.list()
			slices.SortFunc(hits, byPlace)
			for _, h := range hits {
				if h.Score > 0 {
					results[way] = append(results[way], *h)
				}
			}
		}
		if !slices.EqualFunc(results[0], results[1], func(x, y rank.Scored) bool { return x.Ref == y.Ref && math.Abs(x.Score-y.Score) < 1e-9 }) {
			t.Fatalf("page by page %v, MaxScore %v", results[0], results[1])
		}
		if !slices.EqualFunc(results[0], results[2], func(x, y rank.Scored) bool { return x.Ref == y.Ref && math.Abs(x.Score-y.Score) < 1e-9 }) {
			t.Fatalf("page by page %v, word by word %v", results[0], results[2])
		}
	}
}

func TestTopStopsWhenItsTimeIsUp(t *testing.T) {
	s := openShard(t, t.TempDir())
	apply(t, s, 1, put("a", "en", "Water", "over the mill"))
	snap := snapshot(t, s)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := snap.Top(ended, &rank.Plan{Match: rank.Match{Op: rank.Every}, K: 1}); !errors.Is(err, context.Canceled) {
		t.Fatalf("Top after the end: %v", err)
	}
}

func TestPagesOfAFilterComeNewestFirst(t *testing.T) {
	s := openShard(t, t.TempDir())
	days := map[string]int64{}
	changes := history(5, 400)
	for i, c := range changes {
		delete(days, c.Key)
		if c.Document != nil {
			days[c.Key] = c.Document.Shown.Date / 86400000
		}
		if i%50 == 49 {
			apply(t, s, int64(i+1), changes[i-49:i+1]...)
		}
	}
	var want []int64
	for _, day := range days {
		want = append(want, day)
	}
	slices.SortFunc(want, func(a, b int64) int { return int(b - a) })
	snap := snapshot(t, s)
	top, err := snap.Top(t.Context(), &rank.Plan{Match: rank.Match{Op: rank.Host, Value: "com"}, K: 25})
	if err != nil || len(top.Hits) != 25 || int(top.Total) != len(days) {
		t.Fatalf("%d of %d hits, %v; want 25 of %d", len(top.Hits), top.Total, err, len(days))
	}
	for i, h := range top.Hits {
		p, err := snap.Page(t.Context(), h.Ref)
		if err != nil {
			t.Fatal(err)
		}
		if days[p.Key] != want[i] || h.Score != float64(want[i]-int64(firstDay())) {
			t.Fatalf("hit %d is of day %d with score %g, want day %d", i, days[p.Key], h.Score, want[i])
		}
	}
}

func TestFiltersOfHostLanguageAndDay(t *testing.T) {
	s := openShard(t, t.TempDir())
	var changes []Change
	for i, host := range []string{"example.com", "www.example.com", "example.org", "notexample.com", "192.0.2.1"} {
		c := put(fmt.Sprint(i), []string{"en", "ru", "zh-Hant", "en-GB", ""}[i], "T", "text")
		c.Document.Host = host
		c.Document.Shown.Date = int64(19844+i) * 86400000 // 2024-05-01 and the days after it
		changes = append(changes, c)
	}
	apply(t, s, 5, changes...)
	snap := snapshot(t, s)
	cases := []struct {
		match rank.Match
		want  string
	}{
		{rank.Match{Op: rank.Host, Value: "example.com"}, "0 1"},
		{rank.Match{Op: rank.Host, Value: "com"}, "0 1 3"},
		{rank.Match{Op: rank.Host, Value: "www.example.com"}, "1"},
		{rank.Match{Op: rank.Host, Value: "192.0.2.1"}, "4"},
		{rank.Match{Op: rank.Host, Value: "2.1"}, ""},
		{rank.Match{Op: rank.Lang, Value: "en"}, "0 3"},
		{rank.Match{Op: rank.Lang, Value: "zh"}, "2"},
		{rank.Match{Op: rank.Days, From: 19845, To: 19847}, "1 2"},
		{rank.Match{Op: rank.Days, From: math.MinInt32, To: 19845}, "0"},
		{rank.Match{Op: rank.Days, From: 19846, To: math.MaxInt32}, "2 3 4"},
		{rank.Match{Op: rank.Days, From: 19723, To: 20089}, "0 1 2 3 4"}, // all of 2024
		{rank.Match{Op: rank.Days, From: 19844, To: 19844}, ""},
	}
	for _, c := range cases {
		top, err := snap.Top(t.Context(), &rank.Plan{Match: c.match, K: 10})
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, h := range top.Hits {
			p, err := snap.Page(t.Context(), h.Ref)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, p.Key)
		}
		slices.Sort(keys)
		if got := strings.Join(keys, " "); got != c.want || int(top.Total) != len(keys) {
			t.Errorf("%+v found %q, want %q", c.match, got, c.want)
		}
	}
}
