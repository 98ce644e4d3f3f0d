// Command peers lays millrace's extractor beside three Go libraries on the same pages in the same
// run: quality by the scores of each set, and pages of 20 KB per CPU-second.
//
//	cd bench/extract/peers && go run .
//
// It is a module of its own, so that millrace does not depend on what it is compared with.
//
// Caveats: millrace's model was trained on these very sets; its honest figures are the
// cross-validated ones that bench/extract/train prints. The libraries get what their documentation
// recommends: no fallback extractors for trafilatura, for they are the others in this table.
package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	readability "github.com/go-shiori/go-readability"
	distiller "github.com/markusmobius/go-domdistiller"
	"github.com/markusmobius/go-trafilatura"

	"millrace/bench/extract/corpus"
	"millrace/bench/extract/score"
	"millrace/consumers/extract/dates"
	"millrace/consumers/extract/page"
	"millrace/schema"
)

// peer reads a page; what it does not find is empty.
type peer struct {
	name string
	read func(p *corpus.Page) answer
}

type answer struct {
	text, title string
	day         time.Time
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := corpus.Dir()
	if err != nil {
		return err
	}
	ours, err := millrace()
	if err != nil {
		return err
	}
	peers := []peer{{"millrace", ours}, {"go-trafilatura v1.12.2", byTrafilatura}, {"go-readability 20251205", byReadability}, {"go-domdistiller v1.0.0", byDistiller}}
	sets := []string{"extract/scrapinghub_aeb", "extract/wcxb", "extract/daniel_waddle", "extract/trafilatura_eval"}
	for _, set := range sets {
		pages, err := corpus.Load(dir, set)
		if err != nil {
			return err
		}
		for _, lang := range languages(set) {
			for _, p := range peers {
				fmt.Printf("%-26s %-3s %-24s text %.3f%s\n", set, lang, p.name, quality(pages, lang, p), heads(pages, p))
			}
		}
	}
	typical, err := corpus.Typical(dir, sets)
	if err != nil {
		return err
	}
	for _, p := range peers {
		speed(typical, p)
	}
	return nil
}

func languages(set string) []string {
	if strings.HasSuffix(set, "daniel_waddle") {
		return []string{"ru", "zh"}
	}
	return []string{""}
}

// quality is the score that the data folder names for the set.
func quality(pages []corpus.Page, lang string, by peer) float64 {
	var shingles score.PR
	var snippets score.Snippets
	f1, n := 0.0, 0.0
	for i := range pages {
		p := &pages[i]
		if lang != "" && p.Lang != lang || p.Set != "trafilatura_eval" && p.Text == "" {
			continue
		}
		text := by.read(p).text
		n++
		snippets.Add(text, p.With, p.Without)
		s := score.Shingles(p.Text, text)
		shingles.P += s.P
		shingles.R += s.R
		f1 += score.Multiset(p.Text, text).F1()
	}
	switch pages[0].Set {
	case "scrapinghub_aeb":
		return score.PR{P: shingles.P / n, R: shingles.R / n}.F1()
	case "trafilatura_eval":
		return snippets.F1()
	}
	return f1 / n
}

// heads is the share of titles (same words) and days of publication that are right, where the set
// states them.
func heads(pages []corpus.Page, by peer) string {
	var titles, titlesOK, days, daysOK float64
	for i := range pages {
		p := &pages[i]
		want, dated := dates.Find(p.Date, dates.DayFirst)
		if p.Title == "" && !dated {
			continue
		}
		got := by.read(p)
		if p.Title != "" {
			titles++
			if score.SameTokens(p.Title, got.title) {
				titlesOK++
			}
		}
		if dated {
			days++
			if got.day.Format(time.DateOnly) == want.Day.Format(time.DateOnly) {
				daysOK++
			}
		}
	}
	if titles == 0 || days == 0 {
		return ""
	}
	return fmt.Sprintf("  titles %.3f  dates %.3f", titlesOK/titles, daysOK/days)
}

func speed(pages []corpus.Page, by peer) {
	bytes := 0
	start := corpus.CPUTime()
	for i := range pages {
		by.read(&pages[i])
		bytes += len(pages[i].HTML)
	}
	used := corpus.CPUTime() - start
	fmt.Printf("speed %-24s %4d pages of %.1f KB, %5.0f pages per CPU-second\n", by.name, len(pages),
		float64(bytes)/float64(len(pages))/1000, float64(len(pages))/used.Seconds())
}

func millrace() (func(*corpus.Page) answer, error) {
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return nil, err
	}
	x, err := page.New(page.DefaultOptions(), canon, nil)
	if err != nil {
		return nil, err
	}
	return func(p *corpus.Page) answer {
		r := x.Extract(page.Input{URL: p.Address(), ContentType: "text/html", Body: p.HTML})
		return answer{r.Text, r.Title, r.Published.Time}
	}, nil
}

func byTrafilatura(p *corpus.Page) answer {
	u, _ := url.Parse(p.Address())
	r, err := trafilatura.Extract(bytes.NewReader(p.HTML), trafilatura.Options{OriginalURL: u, ExcludeComments: true})
	if err != nil || r == nil {
		return answer{}
	}
	return answer{r.ContentText, r.Metadata.Title, r.Metadata.Date}
}

func byReadability(p *corpus.Page) answer {
	u, _ := url.Parse(p.Address())
	r, err := readability.FromReader(bytes.NewReader(p.HTML), u)
	if err != nil {
		return answer{}
	}
	a := answer{text: r.TextContent, title: r.Title}
	if r.PublishedTime != nil {
		a.day = *r.PublishedTime
	}
	return a
}

func byDistiller(p *corpus.Page) answer {
	u, _ := url.Parse(p.Address())
	r, err := distiller.ApplyForReader(bytes.NewReader(p.HTML), &distiller.Options{OriginalURL: u})
	if err != nil || r == nil {
		return answer{}
	}
	a := answer{text: r.Text, title: r.Title}
	if at, ok := dates.Parse(r.MarkupInfo.Article.PublishedTime); ok {
		a.day = at
	}
	return a
}
