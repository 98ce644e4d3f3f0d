package main

import (
	"math/rand/v2"
	"strings"
	"unicode"

	"millrace/consumers/links"
)

// wanted is a question with the pages that answer it: one of them is enough.
type wanted struct {
	query string
	pages map[string]bool
}

// items are what is known of pages.
type items struct{ phrases, titles, texts []wanted }

// How many items are drawn, and of what length.
const (
	maxPhrases, maxTitles, maxTexts = 200, 200, 100

	phraseWords   = 8
	maxTitleWords = 20
	maxTextWords  = 5
	maxTargets    = 3 // a text that leads to more pages is not the text of one
)

// items draws phrases that one page has only, as they stand there, titles, and texts of links. Of a
// page one of each kind is drawn at most.
//
// A title that several pages have is asked for like any other: who has seen nothing but the title
// is content with any of them. A text of a link is drawn if it leads to at most three pages, any of
// which answers it, and if it is no mere number; texts that most pages of a host have are its menu,
// and left out.
func (s *site) items() items {
	r := rand.New(rand.NewPCG(7, 12))
	titled, led := s.titles(), s.targets()
	var out items
	for _, i := range r.Perm(len(s.pages)) {
		p := s.pages[i]
		words := strings.Fields(strings.ReplaceAll(p.Text, `"`, " "))
		if len(words) > 5*phraseWords && len(out.phrases) < maxPhrases {
			at := r.IntN(len(words) - phraseWords)
			if phrase := strings.Join(words[at:at+phraseWords], " "); s.standsOnce(spaced(phrase)) {
				out.phrases = append(out.phrases, wanted{`"` + phrase + `"`, map[string]bool{p.url: true}})
			}
		}
		if t := spelled(p.Title); len(out.titles) < maxTitles && within(t, 2, maxTitleWords) {
			out.titles = append(out.titles, wanted{t, titled[t]})
		}
		if t := pick(r, p, led); t != "" && len(out.texts) < maxTexts {
			out.texts = append(out.texts, wanted{t, led[t]})
		}
	}
	return out
}

// titles lists the pages that have a title.
func (s *site) titles() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, p := range s.pages {
		put(all, spelled(p.Title), p.url)
	}
	return all
}

// targets lists the pages that a text of links leads to.
func (s *site) targets() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, p := range s.pages {
		for _, a := range p.in.Own.GetTexts() {
			put(all, spelled(a.Text), p.url)
		}
	}
	return all
}

func put(all map[string]map[string]bool, key, url string) {
	if all[key] == nil {
		all[key] = map[string]bool{}
	}
	all[key][url] = true
}

// pick draws one of the texts of the links that lead to a page; "" if none is good for a question.
func pick(r *rand.Rand, p *sitePage, led map[string]map[string]bool) string {
	var good []string
	for _, a := range p.in.Own.GetTexts() {
		t := spelled(a.Text)
		if menu := 2*a.Pages > p.in.Own.SitePages; menu || links.Empty(a.Text) {
			continue
		}
		if within(t, 1, maxTextWords) && len(led[t]) <= maxTargets && strings.ContainsFunc(t, unicode.IsLetter) && len(t) > 3 {
			good = append(good, t)
		}
	}
	if len(good) == 0 {
		return ""
	}
	return good[r.IntN(len(good))]
}

// standsOnce reports a phrase that only one page has.
func (s *site) standsOnce(phrase string) bool {
	n := 0
	for _, p := range s.pages {
		if strings.Contains(p.words, phrase) {
			if n++; n > 1 {
				return false
			}
		}
	}
	return n == 1
}

// spaced is a text of words with one space between them.
func spaced(s string) string { return strings.Join(strings.Fields(plain(s)), " ") }

// spelled is a text as a person would type it: in lower case, without signs.
func spelled(s string) string { return strings.ToLower(plain(s)) }

func within(s string, least, most int) bool {
	n := len(strings.Fields(s))
	return least <= n && n <= most
}
