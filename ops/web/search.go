package web

import (
	"errors"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// searchPages answer searches, for people and for programs.
type searchPages struct {
	*answers
	opts Options
	deps Deps
}

// ask puts a question to the index. What is not the asker's fault is "the index
// cannot answer".
func (p *searchPages) ask(r *http.Request, a asked) (Results, error) {
	if p.deps.Search == nil {
		return Results{}, absent("index")
	}
	found, err := p.deps.Search(r.Context(), a.query, a.from, a.size)
	if err != nil {
		if f := asFailure(err); f.cause == nil || errors.Is(err, r.Context().Err()) {
			return found, f
		}
		return found, &failure{http.StatusServiceUnavailable, "the index cannot answer just now; the log says why", err}
	}
	for i := range found.Hits {
		withoutAnchors(found.Hits[i].Snippet)
	}
	return found, nil
}

// withoutAnchors takes the sign ¶ off the end of words: documentation tools put it behind a heading
// as a link to itself. Texts that were extracted before extract knew it still have it.
func withoutAnchors(snippet []Fragment) {
	before := ' '
	for i, f := range snippet {
		var b strings.Builder
		text := []rune(f.Text)
		for at, r := range text {
			ends := at+1 == len(text) || unicode.IsSpace(text[at+1])
			if r != '¶' || unicode.IsSpace(before) || !ends {
				b.WriteRune(r)
			}
			before = r
		}
		snippet[i].Text = b.String()
	}
}

// apiHit is a hit as the API shows it.
type apiHit struct {
	URL       string  `json:"url"`
	Title     string  `json:"title"`
	Snippet   string  `json:"snippet"` // HTML: escaped text with <mark>
	Score     float64 `json:"score"`
	Site      string  `json:"site"`
	Lang      string  `json:"lang"`
	Published *string `json:"published_at"` // RFC 3339, UTC; null = not known
	FetchedAt *string `json:"fetched_at"`   // the same
}

// apiResults is the answer to a search. Relaxed and warnings are there only if
// there is something to say.
type apiResults struct {
	Total    int64    `json:"total"`
	Searched int64    `json:"searched"` // pages in the index
	TookMS   float64  `json:"took_ms"`
	Hits     []apiHit `json:"hits"`
	Relaxed  bool     `json:"relaxed,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

func (p *searchPages) answerJSON(w http.ResponseWriter, r *http.Request) error {
	a, err := p.asked(r)
	if err != nil {
		return err
	}
	if a.query == "" {
		return refuse(http.StatusBadRequest, "q is missing: what to search for")
	}
	found, err := p.ask(r, a)
	if err != nil {
		return err
	}
	docs, _ := p.deps.Watch.Docs()
	out := apiResults{
		Total: found.Total, Searched: docs, TookMS: milliseconds(found.Took), Hits: []apiHit{},
		Relaxed: found.Relaxed, Warnings: found.Warnings,
	}
	for _, h := range found.Hits {
		out.Hits = append(out.Hits, apiHit{h.URL, h.Title, markup(h.Snippet), h.Score, h.Site, h.Lang, stamp(h.PublishedAt), stamp(h.FetchedAt)})
	}
	p.writeJSON(w, http.StatusOK, out)
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// markup writes a snippet as HTML with no tag but <mark>.
func markup(snippet []Fragment) string {
	var b strings.Builder
	for _, f := range snippet {
		if f.Mark {
			b.WriteString("<mark>" + html.EscapeString(f.Text) + "</mark>")
		} else {
			b.WriteString(html.EscapeString(f.Text))
		}
	}
	return b.String()
}

func stamp(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.UTC().Format(time.RFC3339)
	return &s
}

// searchView is the search page.
type searchView struct {
	Query    string
	Found    *Results // nil: nothing was asked, or it failed
	Hits     []hitView
	First    int // number of the first hit on this page
	Pages    []pageLink
	Before   string // addresses of the pages next to this one; empty = none
	After    string
	Failure  string
	Docs     int64
	HasIndex bool
}

// Title is what the browser's tab says.
func (v *searchView) Title() string {
	if v.Query == "" {
		return ""
	}
	return v.Query
}

// Quoted reports whether words of the query must stand together.
func (v *searchView) Quoted() bool { return strings.Contains(v.Query, `"`) }

// Limited lists the names of the conditions in the query that may have left out every page.
func (v *searchView) Limited() string {
	var found []string
	for _, name := range []string{"site:", "lang:", "intitle:", "after:", "before:"} {
		if strings.Contains(strings.ToLower(v.Query), name) {
			found = append(found, name)
		}
	}
	return strings.Join(found, ", ")
}

// hitView is a hit as the page shows it.
type hitView struct {
	Hit
	Link  string   // empty: not clickable
	Trail []string // host and path, readable
	When  time.Time
}

// titleRunes bounds what is shown of a title or a query: about four lines of a telephone.
const titleRunes = 140

// Heading is the title as the page shows it.
func (h hitView) Heading() string { return clip(h.Title, titleRunes) }

// pageLink leads to a page of results.
type pageLink struct {
	Number int
	Link   string // empty: this page
}

func (p *searchPages) page(w http.ResponseWriter, r *http.Request) error {
	a, err := p.asked(r)
	v := &searchView{Query: a.query}
	v.Docs, v.HasIndex = p.deps.Watch.Docs()
	if err == nil && a.query != "" {
		err = p.fill(r, a, v)
	}
	status := http.StatusOK
	if err != nil {
		f := asFailure(err)
		status, v.Failure = f.status, sentence(f.message)
		if f.cause != nil {
			p.log.Error("search failed", "status", f.status, "error", f.cause)
		}
	}
	p.writePage(w, status, "search", v)
	return nil
}

func (p *searchPages) fill(r *http.Request, a asked, v *searchView) error {
	found, err := p.ask(r, a)
	if err != nil {
		return err
	}
	v.Found, v.First = &found, a.from+1
	for _, h := range found.Hits {
		when := h.PublishedAt
		if when.IsZero() {
			when = h.FetchedAt
		}
		link, trail := shown(h.URL)
		v.Hits = append(v.Hits, hitView{h, link, trail, when})
	}
	v.turn(a, min(found.Total, int64(p.opts.PageDepth)))
	return nil
}

// pagesShown is how many page numbers stand below the results.
const pagesShown = 9

// turn fills in the links to other pages.
func (v *searchView) turn(a asked, reachable int64) {
	last := int((reachable + int64(a.size) - 1) / int64(a.size))
	here := a.from/a.size + 1
	if here > 1 {
		v.Before = a.page(here - 1)
	}
	if here < last {
		v.After = a.page(here + 1)
	}
	if last < 2 {
		return
	}
	first := max(1, min(here-pagesShown/2, last-pagesShown+1))
	for n := first; n <= min(last, first+pagesShown-1); n++ {
		link := a.page(n)
		if n == here {
			link = ""
		}
		v.Pages = append(v.Pages, pageLink{n, link})
	}
}

// page is the address of the nth page.
func (a asked) page(n int) string {
	q := url.Values{"q": {a.query}}
	if n > 1 {
		q.Set("from", strconv.Itoa((n-1)*a.size))
	}
	if a.size != defaultSize {
		q.Set("size", strconv.Itoa(a.size))
	}
	return "/?" + q.Encode()
}
