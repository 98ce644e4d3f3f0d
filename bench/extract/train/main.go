// Command train makes the models of consumers/extract from the shared page sets: a lexicon of
// element names and words, two forests that say for each block of a page how likely it belongs to
// the main text, two that choose title and day of publication, one that judges whether a page is
// useful, and one for each type of page.
//
//	go run ./bench/extract/train all        cross-validate by site, then train on all, write the models
//	go run ./bench/extract/train all -dry   cross-validate only
//	go run ./bench/extract/train all -check train, write nothing, and fail unless the shipped models
//	                                        come out again, byte for byte; prints the hash of each
//	go run ./bench/extract/train all -without daniel_waddle
//	                                        what the text costs without a set: no model has seen it
//	go run ./bench/extract/train ceiling    how far the choice of titles can get
//
// The same sets give the same models, byte for byte, whatever the number of processors and
// whichever models are compiled in: no answer of a shipped model is learnt from. On processors that
// are not amd64 the compiler may fuse a product and a sum, which can change the last digit of a
// threshold. Pages are never copied into a model: it holds names and words that at least eight
// sites use, and thresholds of counts. Every figure that is printed was measured on pages of sites
// that the judging models had not seen. CORPORA.md says where the sets are from and which ones may
// be trained on.
package main

import (
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
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
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// trainer is one run of the command.
type trainer struct {
	dir     string // of the shared data
	out     string // root of the repository that the models are written into
	without string // a set that is judged and not learnt from; only the text is cross-validated then
	dry     bool
	check   bool // compare with the models in out, and write none
	verbose bool
	canon   *schema.Canonicalizer
}

func run(args []string) error {
	if len(args) == 0 || args[0] != "all" && args[0] != "ceiling" {
		return errors.New("say what to do: train all [-dry] [-check] [-v] [-out DIR], or train ceiling")
	}
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	t := &trainer{}
	flags.BoolVar(&t.dry, "dry", false, "write no model")
	flags.BoolVar(&t.check, "check", false, "write no model, and fail unless those below -out are the ones that come out")
	flags.StringVar(&t.without, "without", "", "cross-validate the text with models that have not seen this `set`, and write nothing")
	flags.BoolVar(&t.verbose, "v", false, "name the pages that went worst")
	flags.StringVar(&t.out, "out", ".", "root of the repository whose models are written")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	var err error
	if t.dir, err = corpus.Dir(); err != nil {
		return err
	}
	if t.canon, err = schema.NewCanonicalizer(schema.DefaultCanonOptions()); err != nil {
		return err
	}
	models, err := page.LoadModels()
	if err != nil && args[0] != "all" { // where the models do not fit the code any more they are made anew
		return err
	}
	if args[0] == "ceiling" {
		x, err := t.extractor(models)
		if err != nil {
			return err
		}
		return printCeiling(x, t.dir)
	}
	return t.all(models)
}

func (t *trainer) extractor(m page.Models) (*page.Extractor, error) {
	return page.NewWith(m, page.DefaultOptions(), t.canon, nil)
}

// all trains in the order in which the models build on each other: text, then titles and days, then
// the judgement of usefulness, which looks at all of them.
func (t *trainer) all(m page.Models) error {
	x, err := t.extractor(m)
	if err != nil {
		return err
	}
	samples, err := load(x, t.dir)
	if err != nil {
		return err
	}
	if err := leaveOut(samples, t.without); err != nil {
		return err
	}
	t.crossValidate(samples)
	if t.without != "" {
		return nil
	}
	m.Text = &article.Model{Lexicon: learnLexicon(samples), First: fit(samples, first()), Second: fit(samples, second())}
	if m.Text, err = m.Text.AsWritten(); err != nil { // titles and days are chosen beside the text that is shipped
		return err
	}
	if x, err = t.extractor(m); err != nil {
		return err
	}
	if m.Titles, m.Days, err = trainChoices(x, t.dir, probabilities(samples), t.verbose); err != nil {
		return err
	}
	if x, err = t.extractor(m); err != nil {
		return err
	}
	m.Useful, m.Types = trainUseful(x, samples)
	switch {
	case t.check:
		return compare(m, t.out, os.Stdout)
	case t.dry:
		return nil
	}
	return write(m, t.out)
}

// probabilities are those of cross-validation, by page.
func probabilities(samples []*sample) map[string][]float32 {
	out := make(map[string][]float32, len(samples))
	for _, s := range samples {
		out[s.truth.Key()] = mean(s)
	}
	return out
}

// sample is one page ready for training.
type sample struct {
	truth     *corpus.Page
	page      *article.Page
	hints     article.Hints
	y, weight []float32
	site      string
	fold      int
	left      bool // judged, and not learnt from
	reading   *article.Reading
	first     []float32 // rows with a lexicon of other sites
	p1, p2    []float32 // probabilities by forests of other sites
}

func (t *trainer) crossValidate(samples []*sample) {
	start := time.Now()
	blocks := 0
	for _, s := range samples {
		blocks += len(s.y)
	}
	fmt.Printf("%d pages, %d blocks\n", len(samples), blocks)
	crossLexicon(samples)
	crossForest(samples, first)
	report(samples, func(s *sample) []float32 { return s.p1 }, "first reading")
	crossForest(samples, second)
	report(samples, func(s *sample) []float32 { return s.p2 }, "second reading")
	report(samples, mean, "mean of both")
	if t.verbose {
		worst(samples)
	}
	fmt.Fprintln(os.Stderr, "cross-validated in", time.Since(start).Round(time.Second))
}

// A set of pages that may be trained on (CORPORA.md), with the weight of its pages.
type set struct {
	name   string
	weight float32
}

func trainingSets() []set {
	return []set{
		{"scrapinghub_aeb", 2.5}, {"wcxb", 1.5}, {"daniel_waddle", 1}, {"fundus", 0.7}, {"newspaper4k_aed", 0.7},
		{"mozilla_readability", 0.7}, {"trafilatura_eval", 1},
	}
}

func load(x *page.Extractor, dir string) ([]*sample, error) {
	var samples []*sample
	for _, set := range trainingSets() {
		pages, err := corpus.Load(dir, "extract/"+set.name)
		if err != nil {
			return nil, err
		}
		for i := range pages {
			samples = append(samples, prepare(x, &pages[i], set.weight))
		}
	}
	return samples, nil
}

func prepare(x *page.Extractor, p *corpus.Page, scale float32) *sample {
	s := &sample{truth: p, site: p.Site()}
	s.page, s.hints = x.Blocks(input(p))
	s.y, s.weight = labels(p, s.page.Blocks)
	switch {
	case p.Set == "daniel_waddle" && (p.Lang == "ru" || p.Lang == "zh"):
		scale *= 1.5
	case p.Set == "wcxb" && p.Type != "article":
		scale *= 2 // few pages stand for all that is no article
	}
	for i := range s.weight {
		s.weight[i] *= scale
	}
	h := fnv.New32a()
	h.Write([]byte(s.site))
	s.fold = int(h.Sum32() % folds)
	return s
}

// leaveOut marks the pages of a set, if one is named: they are judged, and no model learns from
// them.
func leaveOut(samples []*sample, set string) error {
	for _, s := range samples {
		s.left = s.truth.Set == set
	}
	if set != "" && !slices.ContainsFunc(samples, func(s *sample) bool { return s.left }) {
		return fmt.Errorf("no page of a set %q: name one of %v", set, trainingSets())
	}
	return nil
}

// others returns the samples outside a fold that may be learnt from.
func others(samples []*sample, fold int) []*sample {
	var out []*sample
	for _, s := range samples {
		if s.fold != fold && !s.left {
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
				st.set(s, exactly(f, st.rows(s), len(st.names)))
			}
		}
	}
}

// exactly is Probabilities by all trees for every row: what is learnt from has no shortcut in it.
func exactly(f *forest.Forest, rows []float32, columns int) []float32 {
	var p []float32
	for row := range slices.Chunk(rows, columns) {
		p = append(p, forest.Probability(f.Odds(row)))
	}
	return p
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

func input(p *corpus.Page) page.Input {
	return page.Input{URL: p.Address(), ContentType: "text/html", Body: p.HTML}
}
