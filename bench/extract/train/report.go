package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"millrace/bench/extract/score"
	"millrace/consumers/extract/article"
)

// report prints the quality of probabilities by set, with several degrees of caution.
func report(samples []*sample, p func(*sample) []float32, title string) {
	fmt.Println(title)
	cautions := []float64{0.4, 0.6, 0.8, 1, 1.25, 1.5, 2}
	type line struct {
		n        int
		f1       []float64
		shingles []score.PR
		snippets []score.Snippets
	}
	lines := map[string]*line{}
	for _, s := range samples {
		for _, g := range []string{s.truth.Set, group(s)} {
			if g == "" {
				continue
			}
			l := lines[g]
			if l == nil {
				l = &line{f1: make([]float64, len(cautions)), shingles: make([]score.PR, len(cautions)), snippets: make([]score.Snippets, len(cautions))}
				lines[g] = l
			}
			if s.truth.StatesText() || len(s.truth.With) > 0 {
				l.n++
			}
			for i, t := range cautions {
				text := kept(s, p(s), t)
				if s.truth.StatesText() {
					l.f1[i] += score.Multiset(s.truth.Text, text).F1()
					if s.truth.Set == "scrapinghub_aeb" {
						x := score.Shingles(s.truth.Text, text)
						l.shingles[i].P += x.P
						l.shingles[i].R += x.R
					}
				}
				l.snippets[i].Add(text, s.truth.With, s.truth.Without)
			}
		}
	}
	var keys []string
	for k := range lines {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		l := lines[k]
		fmt.Printf("  %-26s %4d", k, l.n)
		for i := range cautions {
			f := l.f1[i] / float64(l.n)
			switch {
			case strings.HasPrefix(k, "scrapinghub"):
				f = score.PR{P: l.shingles[i].P / float64(l.n), R: l.shingles[i].R / float64(l.n)}.F1()
			case strings.HasPrefix(k, "trafilatura"):
				f = l.snippets[i].F1()
			}
			fmt.Printf("  %.3f", f)
		}
		fmt.Println()
	}
}

func group(s *sample) string {
	switch s.truth.Set {
	case "wcxb":
		return "wcxb/" + s.truth.Type
	case "daniel_waddle":
		return "daniel_waddle/" + s.truth.Lang
	}
	return ""
}

func kept(s *sample, p []float32, caution float64) string {
	keep := article.Choose(s.page, p, caution).Keep
	var b strings.Builder
	for i := range s.page.Blocks {
		if keep[i] {
			b.WriteString(s.page.Blocks[i].Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// mean is the average of both readings.
func mean(s *sample) []float32 {
	p := make([]float32, len(s.p1))
	for i := range p {
		p[i] = (s.p1[i] + s.p2[i]) / 2
	}
	return s.reading.Together(p)
}

// worst names the pages with the lowest score, by set.
func worst(samples []*sample) {
	type bad struct {
		f1   float64
		name string
	}
	bySet := map[string][]bad{}
	for _, s := range samples {
		if s.truth.Text == "" {
			continue
		}
		x := score.Multiset(s.truth.Text, kept(s, s.p2, 1.25))
		bySet[s.truth.Set] = append(bySet[s.truth.Set], bad{x.F1(), fmt.Sprintf("%s %s %s P %.2f R %.2f", s.truth.Type, s.truth.ID, s.truth.URL, x.P, x.R)})
	}
	for set, list := range bySet {
		slices.SortFunc(list, func(a, b bad) int { return cmp.Compare(a.f1, b.f1) })
		fmt.Println(set)
		for _, b := range list[:min(40, len(list))] {
			fmt.Printf("  %.3f %s\n", b.f1, b.name)
		}
	}
}
