package main

import (
	"fmt"
	"maps"
	"slices"

	"millrace/bench/extract/grow"
	"millrace/bench/extract/score"
	"millrace/consumers/extract/page"
)

// typeOf returns the type that people gave a page: wcxb states it, the news sets hold articles
// alone; "" is unknown.
func typeOf(s *sample) string {
	switch {
	case s.truth.Type == "forum":
		return page.TypeThread
	case s.truth.Type != "":
		return s.truth.Type
	}
	if y, known := useful(s); known && y == 1 {
		return page.TypeArticle
	}
	return ""
}

// growTypes fits one forest a type, leaving one fold out; -1 leaves out none.
func growTypes(all []judged, without int) page.Types {
	var types page.Types
	for _, name := range page.TypeNames() {
		var data [][]float32
		var y, weight []float32
		for i := range all {
			j := &all[i]
			t := typeOf(j.sample)
			if t == "" || j.fold == without {
				continue
			}
			data, weight = append(data, j.row), append(weight, worth(j.sample))
			y = append(y, float32(hit(t == name)))
		}
		s := grow.DefaultSettings()
		s.Trees, s.Leaves, s.Rate, s.MinWeight, s.RowShare = 60, 6, 0.08, 1.5, 0.7
		s.Fits = 3 // some types have thirty pages: one forest would depend on which of them it was shown
		types = append(types, grow.Forest(len(page.UsefulNames()), data, y, weight, s))
	}
	return types
}

// crossTypes judges every page by forests that have not seen its site: its type, and the odds of
// all.
func crossTypes(all []judged) (out []string, odds [][]float32) {
	out, odds = make([]string, len(all)), make([][]float32, len(all))
	for fold := range folds {
		types := growTypes(all, fold)
		for i := range all {
			if all[i].fold == fold {
				out[i], odds[i] = types.Of(all[i].row), types.Odds(all[i].row)
			}
		}
	}
	return out, odds
}

// reportTypes prints how many pages of each type were recognised, and what the others were taken
// for.
func reportTypes(all []judged, types []string) {
	fmt.Println("types of pages")
	taken := map[string]map[string]int{}
	for i := range all {
		if t := typeOf(all[i].sample); t != "" {
			key := all[i].truth.Set + " " + t
			if taken[key] == nil {
				taken[key] = map[string]int{}
			}
			taken[key][types[i]]++
		}
	}
	for _, key := range slices.Sorted(maps.Keys(taken)) {
		n := 0
		for _, k := range taken[key] {
			n += k
		}
		fmt.Printf("  %-32s %4d pages, taken for", key, n)
		for _, name := range page.TypeNames() {
			if k := taken[key][name]; k > 0 {
				fmt.Printf(" %s %d", name, k)
			}
		}
		fmt.Println()
	}
}

// reportCautions prints the F1 of the pages that were taken for a type, by caution:
// page.DefaultCautions follows from it.
func reportCautions(all []judged, types []string) {
	cautions := []float64{0.25, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2}
	fmt.Println("words F1 of the pages of all sets that were taken for a type, by caution", cautions)
	for _, name := range page.TypeNames() {
		n, sum := 0, make([]float64, len(cautions))
		for i := range all {
			s := all[i].sample
			if types[i] != name || !s.truth.StatesText() {
				continue
			}
			n++
			for k, c := range cautions {
				sum[k] += score.Multiset(s.truth.Text, kept(s, mean(s), c)).F1()
			}
		}
		fmt.Printf("  %-14s %4d", name, n)
		for _, f := range sum {
			fmt.Printf("  %.3f", f/float64(max(n, 1)))
		}
		fmt.Println()
	}
}
