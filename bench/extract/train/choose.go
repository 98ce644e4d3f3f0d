package main

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"millrace/bench/extract/corpus"
	"millrace/bench/extract/grow"
	"millrace/bench/extract/score"
	"millrace/consumers/extract/dates"
	"millrace/consumers/extract/forest"
	"millrace/consumers/extract/page"
)

// question is one page on which one of several candidates is to be chosen.
type question struct {
	set, id string
	fold    int
	choice  page.Choice
	right   []float32
}

// trainChoices learns which title and which day to believe.
func trainChoices(x *page.Extractor, dir string) (titles, days *forest.Forest, err error) {
	var forTitle, forDay []question
	for _, set := range []string{"extract/wcxb", "extract/fundus", "extract/newspaper4k_aed", "extract/newspaper4k_tests", "extract/trafilatura_eval",
		"extract/mozilla_readability", "extract/goose3_tests", "dates/htmldate_default", "dates/htmldate_mediacloud"} {
		pages, err := corpus.Load(dir, set)
		if err != nil {
			return nil, nil, err
		}
		for i := range pages {
			p := &pages[i]
			if p.Title == "" && p.Date == "" {
				continue
			}
			t, d := x.Candidates(page.Input{URL: p.Address(), ContentType: "text/html", Body: p.HTML})
			if p.Title != "" {
				forTitle = append(forTitle, ask(p, t, func(s string) bool { return score.SameTokens(s, p.Title) }))
			}
			if want, ok := dates.Find(p.Date, dates.DayFirst); ok {
				forDay = append(forDay, ask(p, d, func(s string) bool { return s == want.Day.Format(time.DateOnly) }))
			}
		}
	}
	fmt.Println("titles")
	titles = learn(forTitle, len(page.TitleNames()), shaped(120, 10, 0.08))
	fmt.Println("days of publication")
	return titles, learn(forDay, len(page.DayNames()), shaped(200, 6, 0.06)), nil
}

func ask(p *corpus.Page, c page.Choice, right func(string) bool) question {
	h := fnv.New32a()
	h.Write([]byte(p.Site()))
	q := question{set: p.Set, id: p.ID, fold: int(h.Sum32() % folds), choice: c}
	for _, s := range c.Texts {
		y := float32(0)
		if right(s) {
			y = 1
		}
		q.right = append(q.right, y)
	}
	return q
}

// learn cross-validates by site, prints, and returns a forest grown on all questions.
func learn(questions []question, columns int, s grow.Settings) *forest.Forest {
	type line struct{ all, possible, right int }
	lines := map[string]*line{}
	for fold := range folds {
		var others []question
		for _, q := range questions {
			if q.fold != fold {
				others = append(others, q)
			}
		}
		f := growChoices(others, columns, s)
		for _, q := range questions {
			if q.fold != fold {
				continue
			}
			for _, key := range []string{q.set, "all"} {
				if lines[key] == nil {
					lines[key] = &line{}
				}
				lines[key].all++
				if slices.Contains(q.right, 1) {
					lines[key].possible++
				}
				if best := page.Pick(f, q.choice.Rows, columns); best >= 0 && q.right[best] == 1 {
					lines[key].right++
				}
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
		fmt.Printf("  %-22s %4d pages, among the candidates %.3f, chosen %.3f\n", k, l.all,
			float64(l.possible)/float64(l.all), float64(l.right)/float64(l.all))
	}
	return growChoices(questions, columns, s)
}

func growChoices(questions []question, columns int, s grow.Settings) *forest.Forest {
	var data [][]float32
	var y, weight []float32
	for _, q := range questions {
		if !slices.Contains(q.right, 1) {
			continue
		}
		data = append(data, q.choice.Rows)
		y = append(y, q.right...)
		for range q.right {
			weight = append(weight, 1)
		}
	}
	return grow.Forest(columns, data, y, weight, s)
}

// shaped are settings for some ten thousand rows.
func shaped(trees, leaves int, rate float64) grow.Settings {
	s := grow.DefaultSettings()
	s.Trees, s.Leaves, s.Rate, s.MinWeight, s.RowShare = trees, leaves, rate, 3, 0.7
	return s
}
