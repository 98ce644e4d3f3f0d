package web

import (
	"net/http"
	"strconv"
	"time"
)

// apiHit is a hit in the API.
type apiHit struct {
	URL       string  `json:"url"`
	Title     string  `json:"title"`
	Snippet   string  `json:"snippet"` // HTML: escaped text with <mark>
	Score     float64 `json:"score"`
	Site      string  `json:"site"`
	Lang      string  `json:"lang"`
	Author    string  `json:"author"`
	Type      string  `json:"type"`                 // of the file: html, pdf
	FilePage  int     `json:"file_page,omitempty"`  // of a file: its page, slide or sheet where the snippet matches, from 1
	Published *string `json:"published_at"`         // RFC 3339, UTC; null = not known
	FetchedAt *string `json:"fetched_at"`           // the same
	Date      *string `json:"date"`                 // used by before:, after: and sort=date: when it was published, else modified, else found
	Also      []Also  `json:"also"`                 // pages with the same text, or nearly
	NoArchive bool    `json:"no_archive,omitempty"` // the page asked that its whole text not be shown: /api/v1/text refuses it
	More      int     `json:"more_on_site"`         // other pages of this site further down
	Explain   []Part  `json:"explain,omitempty"`
}

// apiResults is the answer to a search. Fields with omitempty are missing if they are empty.
type apiResults struct {
	Total    int64    `json:"total"`    // pages that match
	Listed   int64    `json:"listed"`   // without copies that are folded into others
	Searched int64    `json:"searched"` // pages in the index
	TookMS   float64  `json:"took_ms"`
	Hits     []apiHit `json:"hits"`
	Relaxed  bool     `json:"relaxed,omitempty"`
	Meant    string   `json:"did_you_mean,omitempty"`
	Instead  string   `json:"instead,omitempty"` // q finds nothing, so this query was answered; not with exact
	Next     string   `json:"next_cursor,omitempty"`
	Link     string   `json:"next,omitempty"` // address of the next page of results, without hits that were shown
	Facets   []Facet  `json:"facets,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

func (p *searchPages) answerJSON(w http.ResponseWriter, r *http.Request) error {
	a, err := p.asked(r)
	if err != nil {
		return err
	}
	if a.Query == "" {
		return refuse(http.StatusBadRequest, "q is missing: what to search for")
	}
	found, err := p.ask(r, a)
	if err != nil {
		return err
	}
	docs, _ := p.deps.Watch.Docs()
	out := apiResults{
		Total: found.Total, Listed: found.Listed, Searched: docs, TookMS: milliseconds(found.Took), Hits: []apiHit{},
		Relaxed: found.Relaxed, Meant: found.Meant, Instead: found.Instead, Next: found.Next, Facets: found.Facets, Warnings: found.Warnings,
	}
	for _, h := range found.Hits {
		out.Hits = append(out.Hits, toldHit(h))
	}
	if after := a.From + a.Size; found.Seen != "" && after <= p.opts.MaxFrom {
		next := r.URL.Query()
		next.Set("from", strconv.Itoa(after))
		next.Set("seen", found.Seen)
		out.Link = r.URL.Path + "?" + next.Encode()
	}
	p.writeJSON(w, http.StatusOK, out)
	return nil
}

// toldHit is a hit as the API has it.
func toldHit(h Hit) apiHit {
	hit := apiHit{
		URL: h.URL, Title: h.Title, Snippet: markup(h.Snippet), Score: h.Score, Site: h.Site, Lang: h.Lang, Author: h.Author,
		Type: h.Type, FilePage: h.FilePage, Published: stamp(h.PublishedAt), FetchedAt: stamp(h.FetchedAt), Date: stamp(h.Date),
		Also: h.Also, NoArchive: h.NoArchive, More: h.More, Explain: h.Parts,
	}
	if hit.Also == nil {
		hit.Also = []Also{}
	}
	return hit
}

// apiSuggestions is the answer to a partly typed query.
type apiSuggestions struct {
	Query       string   `json:"query"`
	Suggestions []string `json:"suggestions"` // whole queries
}

// suggestionsShown is how many suggestions are returned.
const suggestionsShown = 8

func (p *searchPages) suggest(w http.ResponseWriter, r *http.Request) error {
	if p.deps.Suggest == nil {
		return absent("index")
	}
	a, err := p.asked(r)
	if err != nil {
		return err
	}
	out := apiSuggestions{Query: a.Query, Suggestions: []string{}}
	found, err := p.deps.Suggest(r.Context(), a.Query, suggestionsShown)
	if err != nil {
		return &failure{http.StatusServiceUnavailable, "the index cannot answer just now; the log says why", err}
	}
	out.Suggestions = append(out.Suggestions, found...)
	p.writeJSON(w, http.StatusOK, out)
	return nil
}

// goOn lists queries that complete one that finds little; nil after an error, because the page
// works without them.
func (p *searchPages) goOn(r *http.Request, a Question) (links []pageLinkTo) {
	if p.deps.Suggest == nil {
		return nil
	}
	found, err := p.deps.Suggest(r.Context(), a.Query, suggestionsShown)
	if err != nil {
		return nil
	}
	for _, s := range found {
		links = append(links, pageLinkTo{Question{Query: s, Size: defaultSize}.address("/"), s})
	}
	return links
}

// narrowing is a facet as the page shows it.
type narrowing struct {
	Name   string
	Values []narrowed
}

type narrowed struct {
	Text, Link string
	Count      int64
}

// valuesShown bounds the values of a facet on the page.
const valuesShown = 6

// narrow lists the facets that have at least two values.
func (a Question) narrow(found Results) []narrowing {
	var out []narrowing
	for _, f := range found.Facets {
		if len(f.Values) < 2 {
			continue
		}
		n := narrowing{Name: f.Name}
		for _, v := range f.Values[:min(len(f.Values), valuesShown)] {
			n.Values = append(n.Values, narrowed{clip(v.Value, titleRunes/3), a.with(v.Query).address("/"), v.Count})
		}
		out = append(out, n)
	}
	return out
}

func stamp(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.UTC().Format(time.RFC3339)
	return &s
}
