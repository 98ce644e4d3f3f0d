package page

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/rules"
)

// The least and most pages from which a rule is proposed.
const (
	LeastProposed = 2
	MostProposed  = 20
)

// Proposal is a rule that reads some pages of a site nearly as the models do, and what it finds
// beside what they find.
type Proposal struct {
	Rule  rules.Rule     `json:"rule"` // Content, Title and so on are empty where no selector was good enough
	Pages []ProposedPage `json:"pages"`
}

// ProposedPage is a page as the models read it, and as the rule does.
type ProposedPage struct {
	URL    string   `json:"url"`
	Drop   string   `json:"drop,omitempty"` // why it was not learnt from
	Model  Findings `json:"model"`
	Rule   Findings `json:"rule"`
	Shared float64  `json:"shared"` // F1 of the words of both texts
}

// Findings are what is found in a page.
type Findings struct {
	Title     string `json:"title,omitempty"`
	Author    string `json:"author,omitempty"`
	Published string `json:"published,omitempty"` // day
	Words     int    `json:"words"`
	Text      string `json:"text,omitempty"`
}

// learnable is a page with what the models find in it.
type learnable struct {
	in     Input
	result Result
	host   string
	path   string
	page   *article.Page
	keep   []bool
	values map[string]string // by selector: what a rule with it would find
	clock  clock
}

// Propose proposes a rule for pages of one site. A selector is proposed if it finds on most pages
// what the models find; of several the one that fits best, then the shortest. The same pages give
// the same rule.
func (e *Extractor) Propose(inputs []Input) (Proposal, error) {
	if len(inputs) < LeastProposed || len(inputs) > MostProposed {
		return Proposal{}, fmt.Errorf("a rule is learnt from %d to %d pages of a site, not from %d", LeastProposed, MostProposed, len(inputs))
	}
	bare := &Extractor{opts: e.opts, canon: e.canon, rules: (*rules.Set)(nil), chars: e.chars, langs: e.langs, learnt: e.learnt}
	var pages []*learnable
	p := Proposal{Pages: make([]ProposedPage, len(inputs))}
	for i, in := range inputs {
		l := bare.learnable(in)
		p.Pages[i] = ProposedPage{URL: in.URL, Drop: string(l.result.Drop), Model: findings(&l.result)}
		if l.result.Drop == NotDropped && l.result.Kind == HTML {
			pages = append(pages, l)
		}
	}
	if len(pages) < LeastProposed {
		return p, errors.New("too few of the pages have a text to learn from")
	}
	if err := whereItHolds(&p.Rule, pages); err != nil {
		return p, err
	}
	selectors(&p.Rule, pages)
	return p, bare.compare(&p, inputs)
}

// learnable reads a page as Extract does without rules, and keeps what a rule is learnt from.
func (e *Extractor) learnable(in Input) *learnable {
	l := &learnable{in: in, result: e.Extract(in)}
	if l.result.Drop != NotDropped || l.result.Kind != HTML {
		return l
	}
	x, p, f, linked := e.begin(in)
	l.page = p
	choice := x.choose(l.page, x.hints(f, linked), nil)
	l.keep, l.clock = choice.Keep, x.clock(f, linked)
	l.host, l.path = x.url.Hostname(), in.URL
	l.values = valuesBySelector(p.Boxes[0].Node)
	return l
}

// whereItHolds says for which pages the rule holds: those of the host that the pages have in
// common, and below the first folder if they share one.
func whereItHolds(r *rules.Rule, pages []*learnable) error {
	folder := ""
	for i, p := range pages {
		domain := strings.TrimPrefix(p.host, "www.")
		first := folderOf(p.path)
		if i == 0 {
			r.Domain, folder = domain, first
		}
		if domain != r.Domain {
			return fmt.Errorf("the pages are of several hosts, %s and %s: a rule is learnt from pages of one", r.Domain, domain)
		}
		if first != folder {
			folder = ""
		}
	}
	if r.Domain == "" {
		return errors.New("the pages have no address")
	}
	if folder != "" {
		r.URL = "^https?://[^/]+/" + regexp.QuoteMeta(folder) + "/"
	}
	return nil
}

// folderOf returns the first folder of a URL's path; "" if it has none.
func folderOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	_, rest, _ = strings.Cut(rest, "/")
	rest, _, _ = strings.Cut(rest, "?")
	folder, _, ok := strings.Cut(rest, "/")
	if !ok {
		return ""
	}
	return folder
}

// selectors sets the selectors of the rule.
func selectors(r *rules.Rule, pages []*learnable) {
	r.Content = contentSelector(pages)
	if r.Content != "" {
		r.Without = strings.Join(withoutSelectors(pages, r.Content), ", ")
	}
	r.Title = valueSelector(pages, func(p *learnable) string { return p.result.Title }, func(_ *learnable, v string) string { return v })
	r.Author = valueSelector(pages, func(p *learnable) string { return p.result.Author }, func(_ *learnable, v string) string { return v })
	r.Date = valueSelector(pages, func(p *learnable) string { return day(p.result.Published.Time) }, func(p *learnable, v string) string {
		d, _ := p.clock.date(v, "rule")
		return day(d.Time)
	})
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// fitsFrom is the least mean F1 by words, over the pages, of a content selector, and the least
// share of the pages on which a selector of a value finds it.
const (
	contentFrom = 0.6
	valueFrom   = 0.6
)

// contentSelector returns the selector whose elements have the kept blocks, and few others; "" if
// none is good enough.
func contentSelector(pages []*learnable) string {
	fit := map[string]float64{}
	for _, p := range pages {
		total := 0
		in, kept := map[string]int{}, map[string]int{}
		for i := range p.page.Blocks {
			words := p.page.Blocks[i].Words
			if p.keep[i] {
				total += words
			}
			for _, s := range p.above(i) {
				in[s] += words
				if p.keep[i] {
					kept[s] += words
				}
			}
		}
		for s, n := range kept {
			fit[s] += 2 * float64(n) / float64(in[s]+total) / float64(len(pages))
		}
	}
	best := bestSelector(fit)
	if fit[best] < contentFrom {
		return ""
	}
	return best
}

// bestSelector returns the selector with the highest figure; of equal ones the shortest, then the
// first by name.
func bestSelector(fit map[string]float64) string {
	return bestOf(slices.Collect(maps.Keys(fit)), func(s string) float64 { return fit[s] })
}

func bestOf(list []string, fit func(string) float64) string {
	if len(list) == 0 {
		return ""
	}
	return slices.MinFunc(list, func(a, b string) int {
		// Sums of shares in another order differ in the last bits.
		x, y := int64(fit(a)*1e9+0.5), int64(fit(b)*1e9+0.5)
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}

// above returns the selectors of the elements around a block, without repeats.
func (p *learnable) above(block int) []string {
	var out []string
	for box := p.page.Blocks[block].Box; box >= 0; box = p.page.Boxes[box].Parent {
		for _, s := range selectorsOf(p.page.Boxes[box].Node) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// The bounds of what is taken out of the content.
const (
	mostWithout  = 5    // selectors
	fewestTaken  = 5    // words that one must take out, over all pages
	keptTolerate = 0.05 // most share of wanted words in it
)

// withoutSelectors returns selectors of parts of the content of which the models keep nearly
// nothing, on at least half of the pages; the one with the most words first.
func withoutSelectors(pages []*learnable, content string) []string {
	var out []string
	for len(out) < mostWithout {
		dropped, kept, on := map[string]int{}, map[string]int{}, map[string]int{}
		for _, p := range pages {
			seen := map[string]bool{}
			for i := range p.page.Blocks {
				for _, s := range p.within(i, content, out) {
					if p.keep[i] {
						kept[s] += p.page.Blocks[i].Words
						continue
					}
					dropped[s] += p.page.Blocks[i].Words
					if !seen[s] {
						seen[s] = true
						on[s]++
					}
				}
			}
		}
		var fit []string
		for s, n := range dropped {
			if n >= fewestTaken && 2*on[s] >= len(pages) && float64(kept[s]) <= keptTolerate*float64(n) {
				fit = append(fit, s)
			}
		}
		s := bestOf(fit, func(s string) float64 { return float64(dropped[s] - kept[s]) })
		if s == "" {
			return out
		}
		out = append(out, s)
	}
	return out
}

// within returns the selectors between a block and the content around it; none if the block is not
// in the content, or is taken out.
func (p *learnable) within(block int, content string, without []string) []string {
	var out []string
	for box := p.page.Blocks[block].Box; box >= 0; box = p.page.Boxes[box].Parent {
		names := selectorsOf(p.page.Boxes[box].Node)
		if slices.Contains(names, content) {
			return out
		}
		for _, s := range names {
			if slices.Contains(without, s) {
				return nil
			}
			out = append(out, s)
		}
	}
	return nil
}

// valueSelector returns the selector that finds on most pages the value that the models found; ""
// if none finds it on enough of the pages that have one. read turns what a selector finds into the
// form of the value.
func valueSelector(pages []*learnable, value func(*learnable) string, read func(*learnable, string) string) string {
	fit, have := map[string]float64{}, 0
	for _, p := range pages {
		want := value(p)
		if want == "" {
			continue
		}
		have++
		for s, v := range p.values {
			if len(v) < maxValue && read(p, v) == want {
				fit[s]++
			}
		}
	}
	best := bestSelector(fit)
	if have < LeastProposed || fit[best] < max(LeastProposed, valueFrom*float64(have)) {
		return ""
	}
	return best
}
