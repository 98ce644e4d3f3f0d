package web

import (
	"net/http"
	"strconv"
	"strings"
)

// textPages serve the text of pages and files, as pages and as JSON.
type textPages struct {
	*answers
	deps Deps
}

// text returns the text that a request asks for.
func (p *textPages) text(r *http.Request) (Text, error) {
	u, err := address(r)
	switch {
	case err != nil:
		return Text{}, err
	case u == "":
		return Text{}, refuse(http.StatusBadRequest, "url is missing: whose text")
	case p.deps.Text == nil:
		return Text{}, absent("index")
	}
	t, ok, err := p.deps.Text(r.Context(), u)
	switch {
	case err != nil:
		return Text{}, err
	case !ok:
		return Text{}, refuse(http.StatusNotFound, "the index has no page at this address")
	case t.NoArchive:
		return Text{}, refuse(http.StatusForbidden, "the page asks that its text not be shown as a copy (noarchive or nosnippet)")
	}
	return t, nil
}

// apiText is the text of a page in the API.
type apiText struct {
	URL       string     `json:"url"`
	Title     string     `json:"title"`
	Site      string     `json:"site"`
	Lang      string     `json:"lang"`
	Author    string     `json:"author"`
	Type      string     `json:"type"`         // of the file: html, pdf
	Published *string    `json:"published_at"` // RFC 3339, UTC; null = not known
	FetchedAt *string    `json:"fetched_at"`   // the same
	Pages     []TextPage `json:"pages"`        // of a file; of a page without such parts only one
}

func (p *textPages) answerJSON(w http.ResponseWriter, r *http.Request) error {
	t, err := p.text(r)
	if err != nil {
		return err
	}
	p.writeJSON(w, http.StatusOK, apiText{
		t.URL, t.Title, t.Site, t.Lang, t.Author, t.Type, stamp(t.PublishedAt), stamp(t.FetchedAt), append([]TextPage{}, t.Pages...),
	})
	return nil
}

// textView is the data of the page with the text of a page or file.
type textView struct {
	Text
	Link    string // of the original; "" = not clickable
	Parts   []partView
	Failure string
}

// partView is a page of a file as it is shown.
type partView struct {
	Number int
	Name   string // "Page 3"; "" = a text without pages
	Link   string // to this place of the original, or to the original
	Lines  []string
}

// Heading returns the title, shortened.
func (v *textView) Heading() string { return clip(v.Title, titleRunes) }

func (p *textPages) page(w http.ResponseWriter, r *http.Request) error {
	t, err := p.text(r)
	v, status := &textView{Text: t}, http.StatusOK
	if err != nil {
		v.URL, _ = address(r)
		status, v.Failure = p.failure("text failed", err)
	}
	v.Link, _ = shown(t.URL)
	for _, page := range t.Pages {
		v.Parts = append(v.Parts, v.part(page))
	}
	p.writePage(w, status, "text", v)
	return nil
}

// part returns a page of the file in the form of the page.
func (v *textView) part(page TextPage) partView {
	part := partView{Number: page.Number, Link: atPage(v.Link, v.Type, page.Number)}
	if page.Number > 0 {
		name := unit(v.Type)
		part.Name = strings.ToUpper(name[:1]) + name[1:] + " " + strconv.Itoa(page.Number)
	}
	for line := range strings.SplitSeq(page.Text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			part.Lines = append(part.Lines, line)
		}
	}
	return part
}
