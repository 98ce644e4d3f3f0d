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

// searchPages serve searches, as pages and as JSON.
type searchPages struct {
	*answers
	opts Options
	deps Deps
}

// ask puts a question to the index. An error that is not the client's fault becomes "the index
// cannot answer".
func (p *searchPages) ask(r *http.Request, a Question) (Results, error) {
	if p.deps.Search == nil {
		return Results{}, absent("index")
	}
	found, err := p.deps.Search(r.Context(), a)
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

// withoutAnchors removes the sign ¶ at the end of words: documentation tools put it behind a
// heading as a link to the heading. Texts extracted before extract removed it still have it.
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

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// markup returns a snippet as HTML; its only tag is <mark>.
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

// searchView is the data of the search page.
type searchView struct {
	Query    string
	Sort     string   // "date" or ""
	Found    *Results // nil: nothing was asked, or it failed
	Hits     []hitView
	First    int // number of the first hit on this page
	Pages    []pageLink
	Before   string // addresses of the pages next to this one; empty = none
	After    string
	Other    string // address of the same results in the other order
	Feed     string // address of the results as RSS
	Meant    string // address of the query that was probably meant
	Narrow   []narrowing
	GoOn     []pageLinkTo // queries that begin like this one, if it finds little
	Failure  string
	Docs     int64
	HasIndex bool
}

// Title is the title of the page.
func (v *searchView) Title() string {
	if v.Query == "" {
		return ""
	}
	return v.Query
}

// Quoted reports whether the query has a phrase.
func (v *searchView) Quoted() bool { return strings.Contains(v.Query, `"`) }

// Folded is how many of the pages that match are copies, listed below another hit.
func (v *searchView) Folded() int64 {
	if v.Found == nil || v.Found.Listed == 0 {
		return 0
	}
	return max(0, v.Found.Total-v.Found.Listed)
}

// Limited lists the operators in the query that may have excluded every page.
func (v *searchView) Limited() string {
	var found []string
	for _, name := range []string{"site:", "lang:", "intitle:", "title:", "inurl:", "author:", "filetype:", "after:", "before:"} {
		if strings.Contains(strings.ToLower(v.Query), name) {
			found = append(found, name)
		}
	}
	return strings.Join(found, ", ")
}

// hitView is a hit on the page.
type hitView struct {
	Hit
	Link    string   // empty: not clickable
	Trail   []string // host and path, readable
	When    time.Time
	Said    string // what When is: "", "found", "fetched"
	Site    pageLinkTo
	Copies  []pageLinkTo
	AllHere string // address of all results of the site, if there are more
}

// pageLinkTo is a link with its text.
type pageLinkTo struct{ Link, Text string }

// titleRunes bounds the length of a title or query on the page: about four lines on a phone.
const titleRunes = 140

// Heading returns the title, shortened.
func (h hitView) Heading() string { return clip(h.Title, titleRunes) }

// pageLink is a link to a page of results.
type pageLink struct {
	Number int
	Link   string // empty: this page
}

func (p *searchPages) page(w http.ResponseWriter, r *http.Request) error {
	a, err := p.asked(r)
	v := &searchView{Query: a.Query}
	if a.Newest {
		v.Sort = "date"
	}
	v.Docs, v.HasIndex = p.deps.Watch.Docs()
	if err == nil && a.Query != "" {
		err = p.fill(r, a, v)
	}
	status := http.StatusOK
	if err != nil {
		status, v.Failure = p.failure("search failed", err)
	}
	p.writePage(w, status, "search", v)
	return nil
}

func (p *searchPages) fill(r *http.Request, a Question, v *searchView) error {
	a.Facets, a.Explain, a.Cursor = true, false, ""
	earlier := a.Seen
	found, err := p.ask(r, a)
	if err != nil {
		return err
	}
	v.Found, v.First = &found, a.From+1
	for _, h := range found.Hits {
		v.Hits = append(v.Hits, a.show(h))
	}
	if found.Instead != "" {
		a.Query = found.Instead
	}
	a.Seen = ""
	other := a
	other.Newest, other.From = !a.Newest, 0
	v.Other, v.Feed = other.address("/"), a.address("/rss")
	if found.Meant != "" {
		v.Meant = Question{Query: found.Meant, Size: defaultSize}.address("/")
	}
	v.Narrow = a.narrow(found)
	if found.Total < int64(a.Size) {
		v.GoOn = p.goOn(r, a)
	}
	v.turn(a, earlier, found.Seen, min(max(found.Listed, int64(len(found.Hits))), int64(p.opts.PageDepth)))
	return nil
}

// show returns a hit in the form of the page.
func (a Question) show(h Hit) hitView {
	v := hitView{Hit: h, When: h.PublishedAt}
	switch {
	case v.When.IsZero() && !h.Date.IsZero() && h.Date.Before(h.FetchedAt):
		v.When, v.Said = h.Date, "found "
	case v.When.IsZero():
		v.When, v.Said = h.FetchedAt, "fetched "
	}
	v.Link, v.Trail = shown(h.URL)
	v.Link = atPage(v.Link, h.Type, h.FilePage)
	if h.Site != "" {
		v.Site = pageLinkTo{a.with("site:" + h.Site).address("/"), h.Site}
	}
	if h.More > 0 {
		v.AllHere = v.Site.Link
	}
	for _, c := range h.Also {
		if link, trail := shown(c.URL); link != "" {
			v.Copies = append(v.Copies, pageLinkTo{link, clip(strings.Join(trail, " › "), titleRunes/2)})
		}
	}
	return v
}

// atPage returns the link of a file, at one of its pages: browsers open a PDF there (RFC 8118, 3).
// Other programs have no such address.
func atPage(link, kind string, page int) string {
	if link == "" || kind != "pdf" || page < 2 || strings.Contains(link, "#") {
		return link
	}
	return link + "#page=" + strconv.Itoa(page)
}

// Place says where in its file a hit is: "page 3"; "" if the file has no pages.
func (h hitView) Place() string {
	if h.FilePage == 0 {
		return ""
	}
	return unit(h.Type) + " " + strconv.Itoa(h.FilePage)
}

// Text is the address of the text of the hit, at the page where the snippet is; "" if it is not
// shown.
func (h hitView) Text() string {
	if h.NoArchive || h.URL == "" {
		return ""
	}
	address := "/text?" + url.Values{"url": {h.URL}}.Encode()
	if h.FilePage > 0 {
		address += "#page-" + strconv.Itoa(h.FilePage)
	}
	return address
}

// unit is what the pages of a file of a type are called.
func unit(kind string) string {
	switch kind {
	case "xlsx", "xls", "xlsb", "ods":
		return "sheet"
	case "pptx", "ppt", "odp":
		return "slide"
	case "epub":
		return "chapter"
	}
	return "page"
}

// pagesShown is how many page numbers are shown below the results.
const pagesShown = 9

// turn sets the links to other pages. Those of pages behind this one say what was shown up to here,
// so a hit is not shown again while the index changes. The page before is made anew.
func (v *searchView) turn(a Question, earlier, seen string, reachable int64) {
	last := int((reachable + int64(a.Size) - 1) / int64(a.Size))
	here := a.From/a.Size + 1
	if here > 1 {
		v.Before = a.page(here - 1)
	}
	behind := a
	if behind.Seen = seen; seen == "" {
		behind.Seen = earlier
	}
	if here < last {
		v.After = behind.page(here + 1)
	}
	if last < 2 {
		return
	}
	first := max(1, min(here-pagesShown/2, last-pagesShown+1))
	for n := first; n <= min(last, first+pagesShown-1); n++ {
		link := a.page(n)
		if n > here {
			link = behind.page(n)
		} else if n == here {
			link = ""
		}
		v.Pages = append(v.Pages, pageLink{n, link})
	}
}

// page returns the address of the nth page.
func (a Question) page(n int) string {
	a.From = (n - 1) * a.Size
	return a.address("/")
}

// address returns the address of the answer to a question.
func (a Question) address(path string) string {
	q := url.Values{"q": {a.Query}}
	if a.From > 0 {
		q.Set("from", strconv.Itoa(a.From))
	}
	if a.Seen != "" && a.From > 0 {
		q.Set("seen", a.Seen)
	}
	if a.Size != defaultSize {
		q.Set("size", strconv.Itoa(a.Size))
	}
	if a.Newest {
		q.Set("sort", "date")
	}
	if a.PerSite != 0 {
		q.Set("per_site", strconv.Itoa(max(0, a.PerSite)))
	}
	return path + "?" + q.Encode()
}

// with returns the question with one more condition.
func (a Question) with(condition string) Question {
	a.From = 0
	if strings.Contains(a.Query, " OR ") {
		a.Query = "(" + a.Query + ")"
	}
	a.Query += " " + condition
	return a
}
