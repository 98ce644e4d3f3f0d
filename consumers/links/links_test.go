package links

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/streams/state/embedded"
	"millrace/streams/state/statetest"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is the group over one partition, with its own records in a list.
type world struct {
	t       *testing.T
	store   *breaking
	group   *Links
	log     []*schema.Found
	done    int // records before it are settled
	shown   []*schema.InLinks
	gone    []string
	graphed int
}

// breaking is a store whose next Write stops after so many groups.
type breaking struct {
	state.Store
	groups int // -1 = never
}

var errBroken = errors.New("broken off")

func (b *breaking) Write(ctx context.Context, groups ...[]state.Mutation) error {
	if b.groups < 0 {
		return b.Store.Write(ctx, groups...)
	}
	err := b.Store.Write(ctx, groups[:b.groups]...)
	b.groups = -1
	return errors.Join(errBroken, err)
}

func newWorld(t *testing.T) *world {
	store, err := embedded.Open(t.TempDir(), embedded.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: &breaking{store, -1}}
	if w.group, err = New(DefaultOptions(), Deps{w.store, canon, slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	return w
}

// run handles the records that are not settled yet, as a new owner, and appends its sends to
// links.found to the log.
func (w *world) run() error {
	rec := &streamstest.Recorder{}
	task := w.group.Task(rec.Partition(0, 1))
	for w.done < len(w.log) {
		end := len(w.log)
		var round []*streams.Record[*schema.Found]
		for i := w.done; i < end; i++ {
			round = append(round, &streams.Record[*schema.Found]{Offset: int64(i), Value: w.log[i].CloneVT()})
		}
		if p, ok := task.(streams.Preparer[*schema.Found]); ok {
			if err := p.Prepare(w.t.Context(), round); err != nil {
				return err
			}
		}
		for _, r := range round {
			if err := task.Handle(w.t.Context(), r); err != nil {
				return err
			}
		}
		w.take(rec.Take())
		if err := task.Settle(w.t.Context()); err != nil {
			return err
		}
		w.done = end
	}
	return nil
}

func (w *world) take(sends []streams.Send) {
	for _, s := range sends {
		switch s.Topic {
		case topics.Found().Name:
			m := &schema.Found{}
			if err := m.UnmarshalVT(s.Value); err != nil {
				w.t.Fatal(err)
			}
			w.log = append(w.log, m)
		case topics.Graph().Name:
			w.graphed++
		case topics.Links().Name:
			if s.Value == nil {
				w.gone = append(w.gone, s.Key)
				continue
			}
			m := &schema.InLinks{}
			if err := m.UnmarshalVT(s.Value); err != nil {
				w.t.Fatal(err)
			}
			w.shown = append(w.shown, m)
		}
	}
}

// page is a version of a page, "site/path", and its links in the form "site/path text".
func (w *world) page(name string, rev int64, links ...string) {
	p := &schema.PageLinks{RowKey: key(name), Site: site(name), Rev: rev, Gone: len(links) == 1 && links[0] == "gone"}
	if !p.Gone {
		for _, l := range links {
			target, text, _ := strings.Cut(l, " ")
			k := schema.RowKey(key(target))
			link := &schema.Link{Path: k.Path(), Kind: schema.Kind_PAGE, Anchor: strings.TrimSuffix(text, " nofollow")}
			if strings.HasSuffix(text, " nofollow") {
				link.Rel = 1
			}
			p.Hosts = append(p.Hosts, &schema.HostLinks{Host: string(k.Host()), Site: site(target), Links: []*schema.Link{link}})
		}
	}
	w.log = append(w.log, &schema.Found{Body: &schema.Found_Page{Page: p}})
}

func site(name string) string { s, _, _ := strings.Cut(name, "/"); return s }

func key(name string) string {
	s, path, _ := strings.Cut(name, "/")
	a, b, _ := strings.Cut(s, ".")
	return b + "." + a + ":https/" + path
}

func (w *world) settle() {
	w.t.Helper()
	if err := w.run(); err != nil {
		w.t.Fatal(err)
	}
}

// of returns the in-links of a page in one line.
func (w *world) of(name string) string {
	w.t.Helper()
	in, err := Of(w.t.Context(), w.store, key(name))
	if err != nil {
		w.t.Fatal(err)
	}
	if in == nil {
		return "none"
	}
	parts := []string{fmt.Sprintf("%d sites", in.Sites)}
	for _, l := range in.Links {
		parts = append(parts, fmt.Sprintf("%s %q %d", l.Site, l.Anchor, l.Pages))
	}
	return strings.Join(parts, ", ")
}

func (w *world) want(name, in string) {
	w.t.Helper()
	if got := w.of(name); got != in {
		w.t.Errorf("links to %s: %s\nwant %s", name, got, in)
	}
}

func TestAPageThatChangesOrGoesTakesItsLinksBack(t *testing.T) {
	w := newWorld(t)
	w.page("a.test/", 1, "a.test/x The mill", "b.test/y Weir", "c.test/z Race")
	w.settle()
	w.want("a.test/x", `1 sites, a.test "The mill" 1`)
	w.want("b.test/y", `1 sites, a.test "Weir" 1`)
	w.page("a.test/", 2, "a.test/x Another mill", "b.test/y Weir")
	w.settle()
	w.want("a.test/x", `1 sites, a.test "Another mill" 1`)
	w.want("b.test/y", `1 sites, a.test "Weir" 1`)
	w.want("c.test/z", "none")
	w.page("a.test/", 1, "c.test/z Late") // an old version that comes late
	w.settle()
	w.want("c.test/z", "none")
	w.page("a.test/", 3, "gone")
	w.settle()
	w.want("a.test/x", "none")
	w.want("b.test/y", "none")
}

// Sites beyond those that are listed are counted once, too, whatever their links say later.
func TestASiteBeyondTheListCountsOnce(t *testing.T) {
	w := newWorld(t)
	want := func(sites string) {
		t.Helper()
		w.settle()
		if got, _, _ := strings.Cut(w.of("b.test/y"), " sites"); got != sites {
			t.Errorf("%s sites link, want %s", got, sites)
		}
	}
	most := w.group.opts.MaxSites
	for i := range most + 6 {
		w.page(fmt.Sprintf("s%03d.test/", i), 1, "b.test/y Weir")
	}
	want(fmt.Sprint(most + 6))
	for rev := range int64(5) {
		w.page(fmt.Sprintf("s%03d.test/", most+3), rev+2, fmt.Sprint("b.test/y Weir ", rev))
	}
	want(fmt.Sprint(most + 6))
	for i := range 10 { // listed ones go, and there is room for one that was not
		w.page(fmt.Sprintf("s%03d.test/", i), 2, "gone")
	}
	w.page(fmt.Sprintf("s%03d.test/", most+4), 2, "b.test/y Another")
	w.page(fmt.Sprintf("s%03d.test/", most+5), 2, "gone")
	want(fmt.Sprint(most - 5))
}

func TestASiteCountsOnceAndTellsWhenItsPagesDouble(t *testing.T) {
	w := newWorld(t)
	for i := range 20 {
		w.page(fmt.Sprintf("a.test/%d", i), 1, "b.test/y Weir")
	}
	w.settle()
	w.want("b.test/y", `1 sites, a.test "Weir" 16`)
	if told := len(w.log) - 20; told != 5 {
		t.Errorf("told %d times, want at 1, 2, 4, 8 and 16 pages", told)
	}
	counts, err := Counts(t.Context(), w.store, []string{key("nobody.test/links"), key("b.test/y")})
	if want := []InCount{{}, {Sites: 1, Pages: 16}}; err != nil || !slices.Equal(counts, want) {
		t.Errorf("counts are %v, %v, want %v", counts, err, want)
	}
}

func TestTextsAreShownAgainWhenSitesDouble(t *testing.T) {
	w := newWorld(t)
	w.page("t.test/p", 1)
	for i := range 9 {
		w.page(fmt.Sprintf("s%d.test/", i), 1, "t.test/p The best mill")
		w.settle()
	}
	var got []int64
	for _, in := range w.shown {
		got = append(got, in.Sites)
	}
	if want := []int64{1, 2, 4, 8}; !slices.Equal(got, want) {
		t.Errorf("shown at %v sites, want %v", got, want)
	}
	shown, _, err := Shown(t.Context(), w.store, key("t.test/p"))
	if err != nil || len(shown) != 1 || shown[0].Times != 8 {
		t.Fatalf("shown %v: %v", shown, err)
	}
	for i := range 9 { // the text is shown no longer than somebody says it
		w.page(fmt.Sprintf("s%d.test/", i), 2)
	}
	w.settle()
	if shown, _, err = Shown(t.Context(), w.store, key("t.test/p")); err != nil || len(shown) != 0 {
		t.Errorf("nobody links, but %v is shown: %v", shown, err)
	}
	if len(w.gone) != 1 {
		t.Errorf("%d tombstones on the topic links, want 1", len(w.gone))
	}
}

func TestMenusNofollowAndEmptyWordsCountLittle(t *testing.T) {
	w := newWorld(t)
	for i := range 12 {
		links := []string{"a.test/p Products", "a.test/p2 Click here"}
		if i < 3 {
			links[0] = fmt.Sprintf("a.test/p Water wheel %d", i)
		}
		w.page(fmt.Sprintf("a.test/%d", i), 1, links...)
	}
	w.page("b.test/", 1, "a.test/p Casino nofollow")
	w.page("c.test/", 1, "a.test/p Water wheel 1")
	w.settle()
	w.page("a.test/p", 1)
	w.page("a.test/p2", 1)
	w.settle()
	shown, _, err := Shown(t.Context(), w.store, key("a.test/p"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range shown {
		got = append(got, fmt.Sprintf("%s %d", s.Text, s.Times))
	}
	if want := []string{"Water wheel 1 2", "Water wheel 0 1", "Water wheel 2 1"}; !slices.Equal(got, want) {
		t.Errorf("shown %q, want %q", got, want)
	}
	if shown, _, err = Shown(t.Context(), w.store, key("a.test/p2")); err != nil || len(shown) != 0 {
		t.Errorf("%q is shown: %v", shown, err)
	}
}

// On a store behind a network a round asks for rows of many pages at once: what it costs does not
// grow with the links of its pages.
func TestARoundReadsItsRowsTogether(t *testing.T) {
	w := newWorld(t)
	counting := &statetest.Counting{Store: w.store}
	w.group.deps.Store = counting
	for rev := int64(1); rev <= 2; rev++ {
		for from := range 20 {
			var links []string
			for to := range 20 {
				links = append(links, fmt.Sprintf("a.test/%d of %d", 100+from*20+to, rev), fmt.Sprintf("%c.test/%d", 'b'+to, int64(from)+10*rev))
			}
			w.page(fmt.Sprintf("a.test/%d", from), rev, links...)
		}
		counting.Gets, counting.Alls = 0, 0
		w.settle()
		if counting.Alls > 4 { // of two rounds
			t.Errorf("version %d: %d requests", rev, counting.Alls)
		}
	}
	if counting.Gets > 0 {
		t.Errorf("%d rows were read one by one in the second version", counting.Gets)
	}
}

// TestRowsAreAFunctionOfTheLog writes pages many times and stops writes after any group: the rows
// then follow from the last versions of the pages.
func TestRowsAreAFunctionOfTheLog(t *testing.T) {
	w := newWorld(t)
	r := rand.New(rand.NewPCG(1, 2))
	last := map[string][]string{}
	for rev := int64(1); rev <= 120; rev++ {
		for range 1 + r.IntN(4) {
			name := fmt.Sprintf("%c.test/%d", 'a'+r.IntN(3), r.IntN(4))
			var links []string
			for range r.IntN(4) {
				target := fmt.Sprintf("%c.test/%d", 'a'+r.IntN(3), r.IntN(4))
				if l := target + fmt.Sprintf(" text %d", r.IntN(2)); target != name && !slices.ContainsFunc(links, func(o string) bool { return strings.HasPrefix(o, target+" ") }) {
					links = append(links, l)
				}
			}
			if last[name] = links; len(links) == 0 && r.IntN(2) == 0 {
				links = []string{"gone"}
			}
			w.page(name, rev*10+int64(len(w.log)), links...)
		}
		w.group.opts.ReadAhead = r.IntN(2) == 0
		if w.store.groups = r.IntN(4) - 1; w.store.groups == 2 {
			w.store.groups = -1
		}
		if err := w.run(); err != nil && !errors.Is(err, errBroken) {
			t.Fatal(err)
		}
	}
	w.store.groups = -1
	w.settle()
	for s := range 3 {
		for n := range 4 {
			target := fmt.Sprintf("%c.test/%d", 'a'+s, n)
			w.wantPages(target, last)
		}
	}
}

// wantPages compares the number of pages of the own site, and the set of other sites.
func (w *world) wantPages(target string, last map[string][]string) {
	own, others := int64(0), map[string]bool{}
	for name, links := range last {
		for _, l := range links {
			if !strings.HasPrefix(l, target+" ") {
				continue
			}
			if site(name) == site(target) {
				own++
			} else {
				others[site(name)] = true
			}
		}
	}
	row, err := target2(w, target)
	if err != nil {
		w.t.Fatal(err)
	}
	if row.Own.GetPages() != own || len(row.Others) != len(others) || row.More != 0 {
		w.t.Errorf("%s: %d own pages, %d other sites, %d more; want %d, %d, 0", target, row.Own.GetPages(), len(row.Others), row.More, own, len(others))
	}
}

func target2(w *world, name string) (*schema.TargetRow, error) {
	return target(w.t.Context(), w.store, key(name))
}

// Records on links.found come from other processes: with any content, they are handled or made dead
// letters.
func FuzzFound(f *testing.F) {
	good := &schema.Found{Body: &schema.Found_Page{Page: &schema.PageLinks{RowKey: key("a.test/"), Site: "a.test", Rev: 1,
		Hosts: []*schema.HostLinks{{Host: "test.b", Site: "b.test", Links: []*schema.Link{{Path: ":https/", Anchor: "x"}}}}}}}
	f.Add(streams.Encode(good))
	store, err := embedded.Open(f.TempDir(), embedded.DefaultOptions())
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = store.Close() })
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		f.Fatal(err)
	}
	g, err := New(DefaultOptions(), Deps{store, canon, slog.New(slog.DiscardHandler)})
	if err != nil {
		f.Fatal(err)
	}
	offset := int64(0)
	f.Fuzz(func(t *testing.T, b []byte) {
		m := &schema.Found{}
		if m.UnmarshalVT(b) != nil {
			return
		}
		offset++
		rec := &streamstest.Recorder{}
		task := g.Task(rec.Partition(0, 1))
		var refused *streams.DeadLetterError
		if err := task.Handle(t.Context(), &streams.Record[*schema.Found]{Offset: offset, Value: m}); err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		}
		if err := task.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}
