package search_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
	"millrace/schema"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shards is a Source of shards; broken ones fail in the round they name.
type shards struct {
	all     []*shard.Shard
	broken  map[int]string
	missing []search.Gap
}

func (s *shards) View(context.Context) (search.View, error) {
	v := search.View{Gaps: s.missing}
	for i, sh := range s.all {
		snap, err := sh.Snapshot()
		if err != nil {
			return v, err
		}
		v.Shards = append(v.Shards, &fragile{snap, s.broken[i]})
	}
	return v, nil
}

// fragile is a snapshot that fails in one of the rounds.
type fragile struct {
	*shard.Snapshot
	fails string
}

var errBroken = errors.New("disk on fire")

func (f *fragile) Stats(ctx context.Context, w []rank.Word) (rank.Stats, error) {
	switch f.fails {
	case "stats":
		return rank.Stats{}, errBroken
	case "late":
		<-ctx.Done()
		return rank.Stats{}, ctx.Err()
	}
	return f.Snapshot.Stats(ctx, w)
}

func (f *fragile) Top(ctx context.Context, p *rank.Plan) (rank.Top, error) {
	if f.fails == "top" {
		return rank.Top{}, errBroken
	}
	return f.Snapshot.Top(ctx, p)
}

func (f *fragile) Page(ctx context.Context, r rank.Ref) (rank.Page, error) {
	if f.fails == "page" {
		return rank.Page{}, errBroken
	}
	return f.Snapshot.Page(ctx, r)
}

// corpus reads the documents of testdata.
func corpus(t testing.TB) []shard.Change {
	t.Helper()
	b, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []shard.Change
	for line := range strings.Lines(string(b)) {
		part := strings.SplitN(strings.TrimSpace(line), " | ", 3)
		head := strings.Fields(part[0])
		day, err := time.Parse(time.DateOnly, head[2])
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprintf("%s/%d", head[1], len(all))
		page := rank.Page{URL: "https://" + key, Site: "example", Title: part[1], Text: part[2], Lang: head[0],
			PublishedAt: day.UnixMilli(), Date: day.UnixMilli(), NoSnippet: len(head) > 3}
		all = append(all, shard.Change{Key: key, Document: &shard.Document{
			Host: head[1], Hash: shard.Digest(schema.RecordHash(key, []byte(line))), Shown: page,
		}})
	}
	return all
}

// spread indexes the corpus over n shards.
func spread(t testing.TB, n int) *shards {
	t.Helper()
	s := &shards{broken: map[int]string{}}
	for i := range n {
		sh, err := shard.Open(filepath.Join(t.TempDir(), fmt.Sprint(i)), shard.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { sh.Close() })
		s.all = append(s.all, sh)
	}
	for i, c := range corpus(t) {
		if _, err := s.all[i%n].Apply(t.Context(), shard.Batch{Changes: []shard.Change{c}, Next: int64(i + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func searcher(t testing.TB, s search.Source, change func(*search.Options)) *search.Searcher {
	t.Helper()
	o := search.DefaultOptions()
	o.RelaxBelow = 1
	if change != nil {
		change(&o)
	}
	out, err := search.New(o, s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func ask(t testing.TB, s *search.Searcher, text string) *search.Result {
	t.Helper()
	r, err := s.Search(t.Context(), search.Request{Query: text})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

func queries() []string {
	return []string{
		`mill`, `mills water`, `the mill`, `the of`, `stream`, `"library of stones"`, `"stones library"`, `"stones of library"`,
		`university libraries`, `universe`, `kafka`, `kafka -streams`, `kafka OR herons`, `(kafka OR herons) water`,
		`intitle:library`, `intitle:"a mill race"`, `node.js`, `"node js"`, `c++`, `C`, `site:example.com mill`, `site:www.example.com`,
		`site:example.org library`, `lang:ru kafka`, `lang:zh 大学`, `after:2024-05 mill`, `before:2023 node`, `after:2024-05-20 before:2024-06-03 stream`,
		`мельница`, `самолёт`, `самолет аэродром`, `北京大学`, `"北京大学"`, `北京的大学在哪里`, `水`, `石磨 水车`, `Mühle`, `muhle`, `Haus`,
		`moulins`, `l'eau`, `młyn`, `mlyn`, `secret water`, `wheel unicorn`, `nothing here matches xyzzy`, `"unicorn"`,
	}
}

// write shows a result as the golden file has it: matches in brackets.
func write(b *strings.Builder, text string, r *search.Result) {
	fmt.Fprintf(b, "> %s\n%d found", text, r.Total)
	if r.Relaxed {
		b.WriteString(", words may be missing")
	}
	b.WriteString("\n")
	for _, h := range r.Hits {
		fmt.Fprintf(b, "%.4f  %s\n        ", h.Score, h.Title)
		for _, p := range h.Snippet {
			if p.Match {
				fmt.Fprintf(b, "[%s]", p.Text)
				continue
			}
			b.WriteString(p.Text)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

func TestResultsAreAsTheGoldenFileHasThem(t *testing.T) {
	s := searcher(t, spread(t, 3), func(o *search.Options) { o.SnippetBytes = 100 })
	var b strings.Builder
	for _, q := range queries() {
		write(&b, q, ask(t, s, q))
	}
	const file = "testdata/results.golden"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Fatalf("results changed; look at the difference after go test -update:\n%s", b.String())
	}
}

// A page scores the same wherever it lies: one shard, three, or one page a shard give one result.
func TestResultsDoNotDependOnTheNumberOfShards(t *testing.T) {
	var all []string
	for _, n := range []int{1, 3, 14} {
		s := searcher(t, spread(t, n), nil)
		var b strings.Builder
		for _, q := range queries() {
			r := ask(t, s, q)
			write(&b, q, r)
		}
		all = append(all, b.String())
	}
	if all[0] != all[1] || all[0] != all[2] {
		t.Fatalf("with one shard:\n%s\nwith three:\n%s", all[0], all[1])
	}
}

func TestMissingShardsAreNamedAndTheRestIsShown(t *testing.T) {
	for _, round := range []string{"stats", "top", "page", "late"} {
		s := spread(t, 3)
		whole := ask(t, searcher(t, s, nil), "mill OR kafka OR library")
		s.broken[1] = round
		r := ask(t, searcher(t, s, func(o *search.Options) { o.Timeout = 200 * time.Millisecond }), "mill OR kafka OR library")
		if len(r.Warnings) != 1 || len(r.Hits) == 0 || len(r.Hits) >= len(whole.Hits) {
			t.Errorf("%s: %d of %d hits, warnings %q", round, len(r.Hits), len(whole.Hits), r.Warnings)
		}
		for _, q := range []string{"data base", "mill whel"} { // what is offered instead asks the rest of the shards
			if _, err := searcher(t, s, nil).Search(t.Context(), search.Request{Query: q, Suggest: true}); err != nil {
				t.Errorf("%s: %s: %v", round, q, err)
			}
		}
	}
	s := spread(t, 1)
	s.missing = []search.Gap{{Partition: 1, Share: 1, Reason: "is not here"}}
	if r := ask(t, searcher(t, s, nil), "mill"); len(r.Warnings) != 1 || r.Warnings[0] != s.missing[0].String() {
		t.Errorf("warnings %q", r.Warnings)
	}
	s.broken[0] = "stats"
	if _, err := searcher(t, s, nil).Search(t.Context(), search.Request{Query: "mill"}); !errors.Is(err, search.ErrNoShard) {
		t.Errorf("without any shard: %v", err)
	}
}

func TestPagesOfResultsFitTogether(t *testing.T) {
	s := searcher(t, spread(t, 3), nil)
	const text = "mill OR water OR kafka OR library"
	whole := ask(t, s, text)
	var parts []search.Hit
	for from := 0; from < len(whole.Hits)+2; from += 2 {
		r, err := s.Search(t.Context(), search.Request{Query: text, Offset: from, Size: 2})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, r.Hits...)
	}
	if len(parts) < 8 || len(parts) != int(whole.Total) {
		t.Fatalf("%d hits in parts, %d in all", len(parts), whole.Total)
	}
	for i, h := range whole.Hits {
		if parts[i].Key != h.Key {
			t.Fatalf("hit %d is %s in parts, %s in the whole", i, parts[i].Key, h.Key)
		}
	}
	var refusal *query.Error
	for _, r := range []search.Request{{Query: "x", Size: 101}, {Query: "x", Offset: 999}, {Query: "x", Offset: -1}, {Query: "-x"}} {
		if _, err := s.Search(t.Context(), r); !errors.As(err, &refusal) {
			t.Errorf("%+v: %v, want a refusal", r, err)
		}
	}
}

// No query makes search fail in another way than by refusing it, and snippets keep their length.
func FuzzSearchAnswersOrRefuses(f *testing.F) {
	for _, q := range queries() {
		f.Add(q)
	}
	s := searcher(f, spread(f, 2), nil)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := s.Search(context.Background(), search.Request{Query: text})
		var refusal *query.Error
		if err != nil && !errors.As(err, &refusal) {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		for _, h := range r.Hits {
			n := 0
			for _, p := range h.Snippet {
				n += len(p.Text)
			}
			if n > 400 || h.Title == "" {
				t.Fatalf("hit %+v", h)
			}
		}
	})
}
