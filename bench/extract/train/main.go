// Command train learns the model in consumers/extract/article from the shared page sets: a lexicon of element names and
// words, and two forests that say for each block of a page how likely it belongs to the main text.
//
//	go run ./bench/extract/train            cross-validate by site, then train on all and write the model
//	go run ./bench/extract/train -dry       cross-validate only
//	go run ./bench/extract/train -what ceiling   how far the choice of titles can get
//
// Pages are never copied into the model: it holds names and words that at least eight sites use, and thresholds of counts.
// Every figure that is printed was measured on pages of sites that the judging model had not seen.
package main

import (
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"time"

	"millrace/bench/extract/corpus"
	"millrace/bench/extract/grow"
	"millrace/consumers/extract/article"
	"millrace/consumers/extract/forest"
	"millrace/consumers/extract/page"
	"millrace/schema"
)

const folds = 4

func main() {
	dry := flag.Bool("dry", false, "do not write the model")
	out := flag.String("out", "", "folder of the model files; default: where they are compiled in")
	what := flag.String("what", "text", "text; choices: titles and days of publication (they look at the text: train it first); ceiling: how far titles can get")
	verbose := flag.Bool("v", false, "name the pages that went worst")
	flag.Parse()
	if err := run(*what, *out, *dry, verbose); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// sample is one page ready for training.
type sample struct {
	truth     *corpus.Page
	page      *article.Page
	hints     article.Hints
	y, weight []float32
	site      string
	fold      int
	reading   *article.Reading
	first     []float32 // rows with a lexicon of other sites
	p1, p2    []float32 // probabilities by forests of other sites
}

func run(what, out string, dry bool, verbose *bool) error {
	dir, err := corpus.Dir()
	if err != nil {
		return err
	}
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return err
	}
	x, err := page.New(page.DefaultOptions(), canon, nil)
	if err != nil {
		return err
	}
	switch what {
	case "text":
		if out == "" {
			out = "consumers/extract/article/model"
		}
		return trainText(x, dir, out, dry, verbose)
	case "choices":
		titles, days, err := trainChoices(x, dir, *verbose)
		if err != nil {
			return err
		}
		if dry {
			_, err = trainUseful(x, dir)
			return err
		}
		if out == "" {
			out = "consumers/extract/page/model"
		}
		useful, err := trainUseful(x, dir)
		if err != nil {
			return err
		}
		return page.WriteChoices(out, titles, days, useful)
	case "ceiling":
		return printCeiling(x, dir)
	}
	return fmt.Errorf("-what %q is none of text, choices, ceiling", what)
}

func trainText(x *page.Extractor, dir, out string, dry bool, verbose *bool) error {
	start := time.Now()
	samples, err := load(x, dir)
	if err != nil {
		return err
	}
	blocks := 0
	for _, s := range samples {
		blocks += len(s.y)
	}
	fmt.Printf("%d pages, %d blocks, loaded in %s\n", len(samples), blocks, time.Since(start).Round(time.Second))
	crossLexicon(samples)
	crossForest(samples, first)
	report(samples, func(s *sample) []float32 { return s.p1 }, "first reading")
	crossForest(samples, second)
	report(samples, func(s *sample) []float32 { return s.p2 }, "second reading")
	report(samples, mean, "mean of both")
	if *verbose {
		worst(samples)
	}
	fmt.Println("cross-validated in", time.Since(start).Round(time.Second))
	if dry {
		return nil
	}
	return write(out, samples)
}

func trainingSets() map[string]float32 {
	return map[string]float32{"scrapinghub_aeb": 2.5, "wcxb": 1.5, "daniel_waddle": 1, "fundus": 0.7, "newspaper4k_aed": 0.7,
		"mozilla_readability": 0.7, "cleanportaleval": 0.7, "trafilatura_eval": 1}
}

func load(x *page.Extractor, dir string) ([]*sample, error) {
	var samples []*sample
	for _, set := range []string{"scrapinghub_aeb", "wcxb", "daniel_waddle", "fundus", "newspaper4k_aed", "mozilla_readability", "cleanportaleval", "trafilatura_eval"} {
		pages, err := corpus.Load(dir, "extract/"+set)
		if err != nil {
			return nil, err
		}
		for i := range pages {
			samples = append(samples, prepare(x, &pages[i]))
		}
	}
	return samples, nil
}

func prepare(x *page.Extractor, p *corpus.Page) *sample {
	s := &sample{truth: p, site: p.Site()}
	s.page, s.hints = x.Blocks(page.Input{URL: p.Address(), ContentType: "text/html", Body: p.HTML})
	s.y, s.weight = labels(p, s.page.Blocks)
	scale := trainingSets()[p.Set]
	if p.Set == "daniel_waddle" && (p.Lang == "ru" || p.Lang == "zh") {
		scale *= 1.5
	}
	for i := range s.weight {
		s.weight[i] *= scale
	}
	h := fnv.New32a()
	h.Write([]byte(s.site))
	s.fold = int(h.Sum32() % folds)
	return s
}

// others returns the samples outside a fold.
func others(samples []*sample, fold int) []*sample {
	var out []*sample
	for _, s := range samples {
		if s.fold != fold {
			out = append(out, s)
		}
	}
	return out
}

// crossLexicon gives every page rows with a lexicon learned on other sites.
func crossLexicon(samples []*sample) {
	for fold := range folds {
		lex := learnLexicon(others(samples, fold))
		for _, s := range samples {
			if s.fold == fold {
				s.reading = article.Read(s.page, s.hints, lex)
				s.first = s.reading.First()
			}
		}
	}
}

// stage is one of the two readings: where its rows come from and where its answers go.
type stage struct {
	names []string
	rows  func(*sample) []float32
	set   func(*sample, []float32)
}

func stages() (first, second stage) {
	first = stage{article.FeatureNames(), func(s *sample) []float32 { return s.first }, func(s *sample, p []float32) { s.p1 = p }}
	second = stage{article.SecondNames(), func(s *sample) []float32 { return s.reading.Second(s.first, s.p1) }, func(s *sample, p []float32) { s.p2 = p }}
	return first, second
}

func first() stage  { f, _ := stages(); return f }
func second() stage { _, s := stages(); return s }

func crossForest(samples []*sample, which func() stage) {
	st := which()
	for fold := range folds {
		f := fit(others(samples, fold), st)
		for _, s := range samples {
			if s.fold == fold {
				st.set(s, f.Probabilities(st.rows(s), len(st.names)))
			}
		}
	}
}

func fit(samples []*sample, st stage) *forest.Forest {
	var data [][]float32
	var y, weight []float32
	for _, s := range samples {
		data = append(data, st.rows(s))
		y = append(y, s.y...)
		weight = append(weight, s.weight...)
	}
	return grow.Forest(len(st.names), data, y, weight, grow.DefaultSettings())
}

// write trains on everything, with the rows and first answers of cross-validation: so the second forest learns from answers as uncertain
// as those it will see.
func write(out string, samples []*sample) error {
	m := article.Model{Lexicon: learnLexicon(samples), First: fit(samples, first()), Second: fit(samples, second())}
	return m.Write(out)
}
