package main

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"maps"
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
	page   *corpus.Page
	truth  string
	site   uint32
	choice page.Choice
	right  []float32
}

// titleSettings: others (4 to 10 leaves, 100 to 600 trees, rates of .02 to .08), and a loss under
// which the candidates of a page compete instead of being judged one by one, were within .003 of
// these.
func titleSettings() grow.Settings { return shaped(120, 10, 0.08) }

// trainChoices learns which title and which day to believe.
func trainChoices(x *page.Extractor, dir string, prob map[string][]float32, verbose bool) (titles, days *forest.Forest, err error) {
	forTitle, forDay, err := ask(x, dir, prob)
	if err != nil {
		return nil, nil, err
	}
	fmt.Println("titles")
	titles = learn(forTitle, len(page.TitleNames()), titleSettings(), verbose)
	fmt.Println("days of publication")
	return titles, learn(forDay, len(page.DayNames()), shaped(200, 6, 0.06), verbose), nil
}

// ask collects the candidates of all pages that state a title or a day. prob holds the
// probabilities of blocks by models that have not seen the page; pages that are not in it are new
// to the model anyway.
func ask(x *page.Extractor, dir string, prob map[string][]float32) (titles, days []question, err error) {
	for _, set := range []string{"extract/wcxb", "extract/fundus", "extract/newspaper4k_aed", "extract/newspaper4k_tests", "extract/trafilatura_eval",
		"extract/mozilla_readability", "extract/goose3_tests", "dates/htmldate_default", "dates/htmldate_mediacloud"} {
		pages, err := corpus.Load(dir, set)
		if err != nil {
			return nil, nil, err
		}
		for i := range pages {
			p := &pages[i]
			undated := isUndated(p)
			if p.Title == "" && p.Date == "" && !undated {
				continue
			}
			t, d := x.Candidates(input(p), prob[p.Key()])
			p.HTML = nil // the questions keep the page
			if p.Title != "" {
				titles = append(titles, newQuestion(p, p.Title, t, func(s string) bool { return score.SameTokens(s, p.Title) }))
			}
			switch {
			case undated && slices.Contains(d.Marked, true): // who read it overlooked that
			case undated:
				days = append(days, newQuestion(p, "", d, func(string) bool { return false }))
			default:
				if want, ok := dates.Find(p.Date, dates.DayFirst); ok {
					days = append(days, newQuestion(p, p.Date, d, func(s string) bool { return s == want.Day.Format(time.DateOnly) }))
				}
			}
		}
	}
	return titles, days, nil
}

// isUndated reports whether people found no day of publication on a page of a kind that seldom has
// one. All days on it are other days: of events, versions, examples.
func isUndated(p *corpus.Page) bool {
	return p.Set == "wcxb" && p.Date == "" && p.Type != "article" && p.Type != "forum"
}

func newQuestion(p *corpus.Page, truth string, c page.Choice, right func(string) bool) question {
	q := question{page: p, truth: truth, site: crc32.ChecksumIEEE([]byte(p.Site())), choice: c}
	for _, s := range c.Texts {
		y := float32(0)
		if right(s) {
			y = 1
		}
		q.right = append(q.right, y)
	}
	return q
}

// ranked returns the candidates by their odds, best first.
func (q *question) ranked(f *forest.Forest, columns int) []int {
	odds := make([]float32, len(q.right))
	order := make([]int, len(q.right))
	for i := range order {
		odds[i], order[i] = f.Odds(q.choice.Rows[i*columns:(i+1)*columns]), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(odds[b], odds[a]) })
	return order
}

// rightWithin says that the right answer is among the first n of a ranking.
func (q *question) rightWithin(ranking []int, n int) bool {
	return slices.ContainsFunc(ranking[:min(n, len(ranking))], func(i int) bool { return q.right[i] == 1 })
}

// partings is in how many ways the sites are parted into folds: one way alone is off by up to .006.
const partings = 4

// fold is where a question belongs in a parting of the sites.
func (q *question) fold(parting int) int { return int(q.site >> (7 * parting) % folds) }

// rankings ranks the candidates of every question by a model of the other folds.
func rankings(questions []question, columns int, s grow.Settings, parting int) [][]int {
	out := make([][]int, len(questions))
	for fold := range folds {
		var others []question
		for _, q := range questions {
			if q.fold(parting) != fold {
				others = append(others, q)
			}
		}
		f := growChoices(others, columns, s)
		for i := range questions {
			if questions[i].fold(parting) == fold {
				out[i] = questions[i].ranked(f, columns)
			}
		}
	}
	return out
}

// learn cross-validates by site, prints, and returns a forest grown on all questions.
func learn(questions []question, columns int, s grow.Settings, verbose bool) *forest.Forest {
	type line struct{ all, possible, right float64 }
	lines := map[string]*line{"all": {}}
	for parting := range partings {
		ranking := rankings(questions, columns, s, parting)
		for i := range questions {
			q := &questions[i]
			if lines[q.page.Set] == nil {
				lines[q.page.Set] = &line{}
			}
			for _, l := range []*line{lines["all"], lines[q.page.Set]} {
				l.all++
				l.possible += hit(q.rightWithin(ranking[i], len(q.right)))
				l.right += hit(q.rightWithin(ranking[i], 1))
			}
		}
		if verbose && parting == 0 {
			printMisses(questions, ranking)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(lines)) {
		l := lines[k]
		fmt.Printf("  %-22s %4.0f pages, among the candidates %.3f, chosen %.3f\n", k, l.all/partings, l.possible/l.all, l.right/l.all)
	}
	return growChoices(questions, columns, s)
}

func hit(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// printMisses names the pages whose first answer is wrong, with the first five.
func printMisses(questions []question, ranking [][]int) {
	for i := range questions {
		q := &questions[i]
		if q.rightWithin(ranking[i], 1) {
			continue
		}
		fmt.Printf("%s %s %s\n  truth %q\n", q.page.Set, q.page.ID, q.page.URL, q.truth)
		for rank, k := range ranking[i] {
			if rank < 5 || q.right[k] == 1 {
				fmt.Printf("  %2d %.0f %q\n", rank+1, q.right[k], q.choice.Texts[k])
			}
		}
	}
}

func growChoices(questions []question, columns int, s grow.Settings) *forest.Forest {
	var data [][]float32
	var y, weight []float32
	for _, q := range questions {
		if !slices.Contains(q.right, 1) && q.truth != "" {
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
