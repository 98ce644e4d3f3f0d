// Command peers lays millrace's extractor beside three Go libraries on the same pages in the same run: quality by the scores
// of each set, and pages of 20 KB per CPU-second.
//
//	cd bench/extract/peers && go run .
//
// It is a module of its own, so that millrace does not depend on what it is compared with.
//
// Caveats: millrace's model was trained on these very sets; its honest figures are the cross-validated ones that
// bench/extract/train prints. The libraries get what their documentation recommends: no fallback extractors for trafilatura, for
// they are the others in this table.
package main

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"strings"

	readability "github.com/go-shiori/go-readability"
	distiller "github.com/markusmobius/go-domdistiller"
	"github.com/markusmobius/go-trafilatura"

	"millrace/bench/extract/corpus"
	"millrace/bench/extract/score"
	"millrace/consumers/extract/page"
	"millrace/schema"
)

// peer extracts the main text of a page, "" if it gives up.
type peer struct {
	name string
	text func(p *corpus.Page) string
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
				fmt.Printf("%-26s %-3s %-24s %.3f\n", set, lang, p.name, quality(pages, lang, p))
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
		text := by.text(p)
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

func speed(pages []corpus.Page, by peer) {
	bytes := 0
	start := corpus.CPUTime()
	for i := range pages {
		by.text(&pages[i])
		bytes += len(pages[i].HTML)
	}
	used := corpus.CPUTime() - start
	fmt.Printf("speed %-24s %4d pages of %.1f KB, %5.0f pages per CPU-second\n", by.name, len(pages),
		float64(bytes)/float64(len(pages))/1000, float64(len(pages))/used.Seconds())
}

func millrace() (func(*corpus.Page) string, error) {
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return nil, err
	}
	x, err := page.New(page.DefaultOptions(), canon, nil)
	if err != nil {
		return nil, err
	}
	return func(p *corpus.Page) string {
		r := x.Extract(page.Input{URL: p.Address(), ContentType: "text/html", Body: p.HTML})
		return r.Text
	}, nil
}

func byTrafilatura(p *corpus.Page) string {
	u, _ := url.Parse(p.Address())
	r, err := trafilatura.Extract(bytes.NewReader(p.HTML), trafilatura.Options{OriginalURL: u, ExcludeComments: true})
	if err != nil || r == nil {
		return ""
	}
	return r.ContentText
}

func byReadability(p *corpus.Page) string {
	u, _ := url.Parse(p.Address())
	r, err := readability.FromReader(bytes.NewReader(p.HTML), u)
	if err != nil {
		return ""
	}
	return r.TextContent
}

func byDistiller(p *corpus.Page) string {
	u, _ := url.Parse(p.Address())
	r, err := distiller.ApplyForReader(bytes.NewReader(p.HTML), &distiller.Options{OriginalURL: u})
	if err != nil || r == nil {
		return ""
	}
	return r.Text
}
