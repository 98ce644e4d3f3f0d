package main

import (
	"fmt"
	"hash/fnv"
	"slices"

	"millrace/bench/extract/corpus"
	"millrace/bench/extract/grow"
	"millrace/consumers/extract/forest"
	"millrace/consumers/extract/page"
)

// judged is a page that people have called an article or something else.
type judged struct {
	kind string
	fold int
	row  []float32
	y    float32
}

// trainUseful learns to tell articles and manual pages, where text is what one comes for, from other pages. Only wcxb states page types; the news sets add articles in other languages.
func trainUseful(x *page.Extractor, dir string) (*forest.Forest, error) {
	var all []judged
	for _, set := range []string{"extract/wcxb", "extract/fundus", "extract/newspaper4k_aed", "extract/scrapinghub_aeb"} {
		pages, err := corpus.Load(dir, set)
		if err != nil {
			return nil, err
		}
		for i := range pages {
			p := &pages[i]
			h := fnv.New32a()
			h.Write([]byte(p.Site()))
			j := judged{kind: p.Type, fold: int(h.Sum32() % folds), row: x.UsefulRow(page.Input{URL: p.Address(), ContentType: "text/html", Body: p.HTML})}
			if p.Type == "" {
				j.kind = "news"
			}
			if p.Type == "" || p.Type == "article" || p.Type == "documentation" {
				j.y = 1
			}
			all = append(all, j)
		}
	}
	fmt.Println("articles and documentation against other pages, cross-validated by site")
	right, total := map[string]int{}, map[string]int{}
	for fold := range folds {
		f := growUseful(all, fold)
		for _, j := range all {
			if j.fold != fold {
				continue
			}
			total[j.kind]++
			if (forest.Probability(f.Odds(j.row)) >= 0.5) == (j.y == 1) {
				right[j.kind]++
			}
		}
	}
	var kinds []string
	for k := range total {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		fmt.Printf("  %-14s %4d pages, judged right %.3f\n", k, total[k], float64(right[k])/float64(total[k]))
	}
	return growUseful(all, -1), nil
}

// growUseful leaves one fold out; -1 leaves out none. Articles are weighed down to half of the evidence.
func growUseful(all []judged, without int) *forest.Forest {
	var data [][]float32
	var y, weight []float32
	yes, no := 0, 0
	for _, j := range all {
		if j.y == 1 {
			yes++
		} else {
			no++
		}
	}
	for _, j := range all {
		if j.fold == without {
			continue
		}
		data, y = append(data, j.row), append(y, j.y)
		if j.y == 1 {
			weight = append(weight, 2*float32(no)/float32(yes+no))
		} else {
			weight = append(weight, 2*float32(yes)/float32(yes+no))
		}
	}
	s := grow.DefaultSettings()
	s.Trees, s.Leaves, s.Rate, s.MinWeight = 60, 6, 0.08, 3
	return grow.Forest(len(page.UsefulNames()), data, y, weight, s)
}
