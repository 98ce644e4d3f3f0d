package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"millrace/bench/extract/corpus"
	"millrace/bench/extract/score"
	"millrace/consumers/extract/dates"
	"millrace/consumers/extract/page"
)

type measurement struct {
	dir, only string
	verbose   bool
	extractor *page.Extractor
	out       io.Writer
}

// sets in the order of the report.
func sets() []string {
	return []string{"extract/scrapinghub_aeb", "extract/wcxb", "extract/daniel_waddle", "extract/trafilatura_eval", "extract/fundus",
		"extract/newspaper4k_aed", "extract/newspaper4k_tests", "extract/mozilla_readability", "extract/cleanportaleval", "extract/goose3_tests",
		"dates/htmldate_default", "dates/htmldate_mediacloud"}
}

func (m *measurement) all() error {
	for _, set := range sets() {
		if m.only != "" && !strings.HasSuffix(set, m.only) {
			continue
		}
		if err := m.set(set); err != nil {
			return err
		}
	}
	return m.others()
}

// tally gathers the figures of one group of pages.
//
// It is large because a report has a column for each of its fields.
type tally struct {
	pages              int
	shingles, words    score.PR
	f1                 float64
	texts              int
	snippets           score.Snippets
	titles, titlesOK   int
	titleF1            float64
	authors, authorsOK int
	dates, datesOK     int
	took               time.Duration
	bytes              int
	worst              []worst
}

type worst struct {
	f1   float64
	note string
}

func (m *measurement) set(name string) error {
	pages, err := corpus.Load(m.dir, name)
	if err != nil {
		return err
	}
	groups := map[string]*tally{}
	for i := range pages {
		p := &pages[i]
		start := time.Now()
		r := m.extractor.Extract(input(p))
		took := time.Since(start)
		for _, g := range groupsOf(p) {
			if groups[g] == nil {
				groups[g] = &tally{}
			}
			groups[g].add(p, &r, took)
		}
	}
	for _, g := range slices.Sorted(mapsKeys(groups)) {
		groups[g].print(m.out, g, m.verbose)
	}
	return nil
}

func mapsKeys(m map[string]*tally) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func groupsOf(p *corpus.Page) []string {
	switch p.Set {
	case "wcxb":
		return []string{"wcxb", "wcxb/" + p.Type}
	case "daniel_waddle":
		return []string{"daniel_waddle", "daniel_waddle/" + p.Lang}
	}
	return []string{p.Set}
}

func input(p *corpus.Page) page.Input {
	in := page.Input{URL: p.URL, ContentType: "text/html", Body: p.HTML}
	if in.URL == "" {
		in.URL = "http://" + p.Host + "/"
	}
	return in
}

func (t *tally) add(p *corpus.Page, r *page.Result, took time.Duration) {
	t.pages++
	t.took += took
	t.bytes += len(p.HTML)
	if p.StatesText() {
		t.texts++
		s, w := score.Shingles(p.Text, r.Text), score.Multiset(p.Text, r.Text)
		t.shingles.P += s.P
		t.shingles.R += s.R
		t.words.P += w.P
		t.words.R += w.R
		t.f1 += w.F1()
		if w.F1() < 0.8 {
			t.worst = append(t.worst, worst{w.F1(), fmt.Sprintf("%s %s words P %.3f R %.3f", p.ID, p.URL, w.P, w.R)})
		}
	}
	t.snippets.Add(r.Text, p.With, p.Without)
	if p.Title != "" {
		t.titles++
		t.titleF1 += score.Multiset(p.Title, r.Title).F1()
		if score.SameTokens(p.Title, r.Title) {
			t.titlesOK++
		} else {
			t.worst = append(t.worst, worst{9, fmt.Sprintf("%s title want %q got %q (%s)", p.ID, p.Title, r.Title, r.TitleBy)})
		}
	}
	if a := p.Authors(); len(a) > 0 {
		t.authors++
		if score.SameTokens(strings.Join(a, " "), r.Author) || score.SameTokens(a[0], r.Author) {
			t.authorsOK++
		} else {
			t.worst = append(t.worst, worst{8, fmt.Sprintf("%s author want %q got %q (%s)", p.ID, a, r.Author, r.By)})
		}
	}
	t.addDate(p, r)
}

func (t *tally) addDate(p *corpus.Page, r *page.Result) {
	if p.Date == "" {
		return
	}
	want, ok := dates.Parse(p.Date)
	if !ok {
		return
	}
	t.dates++
	if sameDay(want, p.Date, r.Published) {
		t.datesOK++
		return
	}
	t.worst = append(t.worst, worst{10, fmt.Sprintf("%s date want %s got %s %q (%s) %s", p.ID, p.Date, r.Published.Time.Format(time.DateOnly), r.Published.Text, r.Published.From, p.URL)})
}

// sameDay compares days as they were written: the zone of the page is the reader's business.
func sameDay(want time.Time, stated string, got page.Date) bool {
	if want.Format(time.DateOnly) == got.Time.Format(time.DateOnly) {
		return true
	}
	return len(stated) >= 10 && len(got.Text) >= 10 && stated[:10] == got.Text[:10]
}

func (t *tally) print(out io.Writer, name string, verbose bool) {
	fmt.Fprintf(out, "%-28s pages %4d", name, t.pages)
	if n := float64(t.texts); n > 0 {
		fmt.Fprintf(out, "  shingles F1 %.3f  words F1 %.3f (P %.3f R %.3f)",
			score.PR{P: t.shingles.P / n, R: t.shingles.R / n}.F1(), t.f1/n, t.words.P/n, t.words.R/n)
	}
	if t.snippets.TP > 0 {
		fmt.Fprintf(out, "  snippets F1 %.3f", t.snippets.F1())
	}
	if t.titles > 0 {
		fmt.Fprintf(out, "  title words F1 %.3f", t.titleF1/float64(t.titles))
	}
	for _, f := range []struct {
		name    string
		ok, all int
	}{{"titles", t.titlesOK, t.titles}, {"authors", t.authorsOK, t.authors}, {"dates", t.datesOK, t.dates}} {
		if f.all > 0 {
			fmt.Fprintf(out, "  %s %.3f (%d)", f.name, float64(f.ok)/float64(f.all), f.all)
		}
	}
	fmt.Fprintf(out, "  %.2f ms and %d KB a page\n", t.took.Seconds()*1000/float64(t.pages), t.bytes/t.pages/1000)
	if verbose {
		slices.SortFunc(t.worst, func(a, b worst) int { return cmp.Compare(a.f1, b.f1) })
		for _, w := range t.worst {
			fmt.Fprintf(out, "    %.3f %s\n", w.f1, w.note)
		}
	}
}
