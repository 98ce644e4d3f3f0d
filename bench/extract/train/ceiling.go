package main

import (
	"fmt"
	"slices"

	"millrace/consumers/extract/page"
)

// printCeiling asks how far any choice of titles can get on these sets: if the right one need only
// be among the best two or three, if the model is told the set a page comes from, if it may know
// other pages of the same site, if it has seen the very pages; and how the sets decide where the
// headings and og:title say different things.
func printCeiling(x *page.Extractor, dir string) error {
	asked, _, err := ask(x, dir, nil)
	if err != nil {
		return err
	}
	columns, s := len(page.TitleNames()), titleSettings()
	told, mixed, alike := withSets(asked, columns), slices.Clone(asked), growChoices(asked, columns, s)
	for i := range mixed {
		mixed[i].site = uint32(i) * 0x9e3779b9 // every page a site of its own
	}
	var own, withSet, withSite, within [][]int
	for parting := range partings {
		own = append(own, rankings(asked, columns, s, parting)...)
		withSet = append(withSet, rankings(told, columns+1, s, parting)...)
		withSite = append(withSite, rankings(mixed, columns, s, parting)...)
	}
	for i := range asked {
		within = append(within, asked[i].ranked(alike, columns))
	}
	for n := 1; n <= 3; n++ {
		printShare(fmt.Sprintf("the right title is among the best %d", n), asked, own, n)
	}
	printShare("it is a candidate", asked, own, maxCandidates)
	printShare("it is the best when the model is told the set", asked, withSet, 1)
	printShare("it is the best when the model has seen other pages of the site", asked, withSite, 1)
	printShare("it is the best when the model has seen the page and its title", asked, within, 1)
	printDisagreements(asked, own, columns)
	return nil
}

const maxCandidates = 1000 // more than there are

// printShare counts rankings of the questions, which may have been ranked several times, one after
// the other.
func printShare(what string, asked []question, rankings [][]int, n int) {
	right := 0.0
	for i, ranking := range rankings {
		right += hit(asked[i%len(asked)].rightWithin(ranking, n))
	}
	fmt.Printf("  %-64s %.3f\n", what, right/float64(len(rankings)))
}

// withSets adds a column: the number of the set.
func withSets(asked []question, columns int) []question {
	var sets []string
	out := slices.Clone(asked)
	for i := range out {
		q := &out[i]
		at := slices.Index(sets, q.page.Set)
		if at < 0 {
			at = len(sets)
			sets = append(sets, q.page.Set)
		}
		var rows []float32
		for row := range slices.Chunk(q.choice.Rows, columns) {
			rows = append(append(rows, row...), float32(at))
		}
		q.choice.Rows = rows
	}
	return out
}

// A verdict counts pages by where their stated title stands.
type verdict struct{ pages, heading, og, elsewhere, right int }

// printDisagreements: of pages with h1 and og:title where no h1 is og:title or its beginning.
func printDisagreements(asked []question, ranking [][]int, columns int) {
	names := page.TitleNames()
	h1, og := slices.Index(names, "h1"), slices.Index(names, "og")
	verdicts := map[string]*verdict{}
	var agree verdict
	for i := range asked {
		q := &asked[i]
		v := &agree
		if stand := q.stands(columns, h1, og); stand != nil {
			key := q.page.Set
			if q.page.Type != "" {
				key += "/" + q.page.Type
			}
			if v = verdicts[key]; v == nil {
				v = &verdict{}
				verdicts[key] = v
			}
			v.heading, v.og, v.elsewhere = v.heading+stand[0], v.og+stand[1], v.elsewhere+stand[2]
		}
		v.pages++
		if q.rightWithin(ranking[i], 1) {
			v.right++
		}
	}
	var keys []string
	var all verdict
	for k, v := range verdicts {
		keys = append(keys, k)
		all = verdict{all.pages + v.pages, all.heading + v.heading, all.og + v.og, all.elsewhere + v.elsewhere, all.right + v.right}
	}
	slices.Sort(keys)
	fmt.Printf("an h1 is og:title or its beginning, or one of them is missing: %d pages, chosen right %.3f\n", agree.pages, float64(agree.right)/float64(agree.pages))
	fmt.Println("h1 and og:title differ; the stated title is:")
	verdicts["all"] = &all
	for _, k := range append(keys, "all") {
		v := verdicts[k]
		fmt.Printf("  %-22s %4d pages: an h1 %3d, og:title or its beginning %3d, neither %3d; chosen right %3d\n", k, v.pages, v.heading, v.og, v.elsewhere, v.right)
	}
}

// stands says where the truth stands if h1 and og:title differ, nil if they do not.
func (q *question) stands(columns, h1, og int) []int {
	const beginning, whole = 3, 4
	headings, cards, at := false, false, []int{0, 0, 1}
	for i := range q.right {
		row := q.choice.Rows[i*columns : (i+1)*columns]
		switch {
		case row[h1] == whole && row[og] >= beginning:
			return nil
		case row[h1] == whole:
			headings = true
			if q.right[i] == 1 {
				at = []int{1, 0, 0}
			}
		case row[og] >= beginning:
			cards = true
			if q.right[i] == 1 {
				at = []int{0, 1, 0}
			}
		}
	}
	if !headings || !cards {
		return nil
	}
	return at
}
