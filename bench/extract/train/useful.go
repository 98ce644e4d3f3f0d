package main

import (
	"fmt"
	"maps"
	"slices"

	"millrace/bench/extract/grow"
	"millrace/bench/extract/score"
	"millrace/consumers/extract/forest"
	"millrace/consumers/extract/page"
)

// judged is a page that people have called an article or something else.
type judged struct {
	*sample
	row   []float32
	y     float32
	known bool // people have said what it is; others are judged and not learnt from
}

// kind groups the pages that are reported together.
func (j *judged) kind() string {
	if j.truth.Type != "" {
		return j.truth.Set + "/" + j.truth.Type
	}
	return j.truth.Set
}

// useful reports what people say of the page: wcxb states types; the news sets hold articles alone.
func useful(s *sample) (y float32, known bool) {
	switch s.truth.Set {
	case "wcxb":
		if t := s.truth.Type; t == "article" || t == "documentation" {
			return 1, true
		}
		return 0, true
	case "fundus", "newspaper4k_aed", "scrapinghub_aeb", "daniel_waddle":
		return 1, true
	}
	return 0, false
}

// trainUseful learns to tell articles and manual pages, which people open to read them, from
// other pages. What a page is judged by comes from text models that have not seen its site, so the
// figures are those of new sites. It prints, too, how good the text is with the caution that each
// page gets.
func trainUseful(x *page.Extractor, samples []*sample) (*forest.Forest, page.Types) {
	all := make([]judged, len(samples))
	for i, s := range samples {
		all[i] = judged{sample: s, row: x.UsefulRow(input(s.truth), mean(s))}
		all[i].y, all[i].known = useful(s)
	}
	says := make([]bool, len(all))
	for fold := range folds {
		f := growUseful(all, fold)
		for i := range all {
			if all[i].fold == fold {
				says[i] = float64(forest.Probability(f.Odds(all[i].row))) >= page.DefaultOptions().UsefulFrom
			}
		}
	}
	reportUseful(all, says)
	types, odds := crossTypes(all)
	reportTypes(all, types)
	reportCautions(all, types)
	reportShipped(all, odds)
	return growUseful(all, -1), growTypes(all, -1)
}

// reportUseful prints how many pages were judged right.
func reportUseful(all []judged, says []bool) {
	fmt.Println("articles and documentation against other pages")
	right, total := map[string]int{}, map[string]int{}
	for i := range all {
		if !all[i].known {
			continue
		}
		for _, k := range []string{all[i].kind(), "all " + all[i].truth.Set} {
			total[k]++
			if says[i] == (all[i].y == 1) {
				right[k]++
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(total)) {
		fmt.Printf("  %-26s %4d pages, judged right %.3f\n", k, total[k], float64(right[k])/float64(total[k]))
	}
}

// tally collects the scores of a group of pages.
type tally struct {
	n        int
	words    float64
	shingles score.PR
	snippets score.Snippets
}

func (t *tally) add(s *sample, text string) {
	t.snippets.Add(text, s.truth.With, s.truth.Without)
	t.n++
	if !s.truth.StatesText() {
		return
	}
	t.words += score.Multiset(s.truth.Text, text).F1()
	x := score.Shingles(s.truth.Text, text)
	t.shingles.P += x.P
	t.shingles.R += x.R
}

// f1 is the score that the set's own papers use.
func (t *tally) f1(set string) float64 {
	switch set {
	case "scrapinghub_aeb":
		return score.PR{P: t.shingles.P / float64(t.n), R: t.shingles.R / float64(t.n)}.F1()
	case "trafilatura_eval":
		return t.snippets.F1()
	}
	return t.words / float64(t.n)
}

// reportShipped prints the quality of the text as millrace makes it: both readings, and the caution
// that follows from the types that the page is judged to be of.
func reportShipped(all []judged, odds [][]float32) {
	fmt.Println("as shipped: text, with the caution that each page gets")
	lines, sets := map[string]*tally{}, map[string]string{}
	cautions := page.DefaultCautions()
	for i := range all {
		s := all[i].sample
		text := kept(s, mean(s), cautions.Weighted(odds[i]))
		for _, g := range []string{s.truth.Set, group(s)} {
			if g == "" {
				continue
			}
			if lines[g] == nil {
				lines[g], sets[g] = &tally{}, s.truth.Set
			}
			lines[g].add(s, text)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(lines)) {
		fmt.Printf("  %-26s %4d pages %.3f\n", k, lines[k].n, lines[k].f1(sets[k]))
	}
}

// worth is how much a page of a set says about usefulness. Only wcxb states what is not an
// article; the thousand sparse old news pages of daniel_waddle would drown its manuals.
func worth(s *sample) float32 {
	switch s.truth.Set {
	case "wcxb":
		return 1
	case "daniel_waddle":
		return 0.15
	}
	return 0.3
}

// growUseful leaves one fold out; -1 leaves out none. Useful pages are weighed down to half of the
// evidence.
func growUseful(all []judged, without int) *forest.Forest {
	var data [][]float32
	var y, weight []float32
	var yes, no float32
	for i := range all {
		switch {
		case !all[i].known:
		case all[i].y == 1:
			yes += worth(all[i].sample)
		default:
			no += worth(all[i].sample)
		}
	}
	for i := range all {
		j := &all[i]
		if !j.known || j.fold == without {
			continue
		}
		data, y = append(data, j.row), append(y, j.y)
		share := yes
		if j.y == 1 {
			share = no
		}
		weight = append(weight, worth(j.sample)*2*share/(yes+no))
	}
	s := grow.DefaultSettings()
	s.Trees, s.Leaves, s.Rate, s.MinWeight = 60, 6, 0.08, 3
	return grow.Forest(len(page.UsefulNames()), data, y, weight, s)
}
