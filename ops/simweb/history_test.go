package simweb

import (
	"slices"
	"testing"
	"time"

	"millrace/ops/simweb/profile"
	"millrace/ops/simweb/world"
)

// A page's history is the one its answers tell: there from the time it appears
// until it disappears, another text at each change, the same up to the next. That
// of a copy is the history of what it copies.
func TestHistoryIsWhatAnswersTell(t *testing.T) {
	p, err := Load("nasty")
	if err != nil {
		t.Fatal(err)
	}
	p = small(p)
	p.Leaves = map[string]float64{"copy": 0.3, "near": 0.1, "redirect": 0.1, "missing": 0.1, "gone": 0.1}
	p.Life = profile.Life{Born: 0.3, Dies: 0.3, Span: time.Hour}
	p.Change.Share, p.Change.Fastest = 1, time.Hour
	w, err := Build(p, 11, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	until := w.Start().Add(30 * time.Minute)
	changes, never, born, died := map[world.Role]int{}, 0, 0, 0
	for i := range 240 {
		h := world.Host(i % 8)
		url := w.URL(world.Ref{Host: h, Form: w.Main(h), Page: world.ID(world.Tree, uint64(i/8))}, "")
		history := w.History(url, until)
		tellsLife(t, w, url, history, until)
		tellsChanges(t, w, url, history, until)
		l, _ := w.Look(url, until)
		changes[l.Role] += len(history.Changes)
		switch {
		case history.Appears.IsZero():
			never++
		case history.Appears.After(w.Start()):
			born++
		case !history.Disappears.IsZero():
			died++
		}
	}
	if never*born*died*changes[world.Plain]*changes[world.Copy]*changes[world.Near] == 0 {
		t.Errorf("%d never, %d born, %d died, changes by role %v: shows nothing", never, born, died, changes)
	}
}

func tellsLife(t *testing.T, w *World, url string, h History, until time.Time) {
	t.Helper()
	times := []time.Time{w.Start(), until}
	if !h.Appears.IsZero() && h.Appears.After(w.Start()) {
		times = append(times, h.Appears.Add(-1), h.Appears)
	}
	if !h.Disappears.IsZero() {
		times = append(times, h.Disappears.Add(-1), h.Disappears)
	}
	for _, at := range times {
		l, _ := w.Look(url, at)
		there := l.Role != world.Missing && l.Role != world.Gone
		alive := !h.Appears.IsZero() && !at.Before(h.Appears) && (h.Disappears.IsZero() || at.Before(h.Disappears))
		if there != alive {
			t.Errorf("%s at %v: %v, history %v to %v", url, at, l.Role, h.Appears, h.Disappears)
		}
	}
}

func tellsChanges(t *testing.T, w *World, url string, h History, until time.Time) {
	t.Helper()
	if h.Appears.IsZero() || h.Appears.After(until) {
		if len(h.Changes) > 0 {
			t.Errorf("%s changes at %v before it appears", url, h.Changes)
		}
		return
	}
	text := func(at time.Time) world.TextID { l, _ := w.Look(url, at); return l.Text }
	end := until
	if !h.Disappears.IsZero() && !h.Disappears.After(until) {
		end = h.Disappears.Add(-1)
	}
	last := text(h.Appears)
	for _, at := range h.Changes {
		if text(at.Add(-1)) != last || text(at) == last {
			t.Errorf("%s: not so at %v of %v", url, at, h.Changes)
			return
		}
		last = text(at)
	}
	if text(end) != last {
		t.Errorf("%s changes after the last of %v", url, h.Changes)
	}
}

// An override of a near-duplicate, or of the page it was made from, leaves none;
// the others stay.
func TestOverridesHideNearDuplicates(t *testing.T) {
	p, err := Load("nasty")
	if err != nil {
		t.Fatal(err)
	}
	p = small(p)
	p.Leaves, p.Hosting.Soft404, p.Life = map[string]float64{"near": 0.3}, 0, profile.Life{}
	w, srv, sim := serve(t, p, 10)
	near := func() []NearDuplicate {
		t.Helper()
		tr, err := srv.Truth(DefaultRules(sim.Now(), w.Seeds(8, "")...))
		if err != nil {
			t.Fatal(err)
		}
		return w.NearDuplicates(tr)
	}
	before := near()
	if len(before) < 10 {
		t.Fatalf("only %d near-duplicates", len(before))
	}
	hidden, original := before[0].URL, before[len(before)-1].Of
	for _, url := range []string{hidden, original} {
		l, _ := w.Look(url, sim.Now()) // its links stay, so that nothing gets out of reach
		if err := srv.Override(url, Override{Title: "Another", Text: "page at " + url, Links: l.Links}); err != nil {
			t.Fatal(err)
		}
	}
	want := slices.DeleteFunc(slices.Clone(before), func(n NearDuplicate) bool { return n.URL == hidden || n.Of == original })
	if got := near(); !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("%v, want %v", got, want)
	}
}
