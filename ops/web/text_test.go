package web

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// manual is a PDF of three pages, the second of which is a picture.
func manual(_ context.Context, url string) (Text, bool, error) {
	t := Text{URL: "https://a.test/manual", Title: "Manual <b>", Type: "pdf", Lang: "en", FetchedAt: time.Date(2026, 9, 30, 10, 2, 3, 0, time.UTC)}
	switch url {
	case "https://a.test/manual":
		t.Pages = []TextPage{{1, "To <script>begin</script>\nWater"}, {2, "\n"}, {3, "The end"}}
	case "https://a.test/story":
		t.URL, t.Type, t.Pages = url, "html", []TextPage{{0, "Once\nupon a time"}}
	case "https://a.test/private":
		t.NoArchive, t.Pages = true, nil
	default:
		return Text{}, false, nil
	}
	return t, true, nil
}

// A reader sees the text of a file by its pages, and gets from each to this page of the file.
func TestTheTextOfAFileIsShownByItsPages(t *testing.T) {
	s := newSite(t)
	s.d.Text = manual
	p := s.page("/text?url=https://a.test/manual", http.StatusOK)
	if h := p.one(t, "h1", ""); h != "Manual <b>" {
		t.Errorf("the heading is %q", h)
	}
	var got []string
	for _, section := range p.all("section", "") {
		got = append(got, attr(section, "id")+": "+textOf(section))
	}
	want := []string{
		"page-1: Page 1 To <script>begin</script> Water", "page-2: Page 2 Page 2 of the file itself No text here.",
		"page-3: Page 3 Page 3 of the file itself The end",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	var links []string
	for _, a := range p.all("a", "") {
		if href := attr(a, "href"); strings.HasPrefix(href, "https://a.test/") || strings.HasPrefix(href, "#page") {
			links = append(links, href)
		}
	}
	if want := []string{"https://a.test/manual", "#page-1", "#page-2", "#page-3", "https://a.test/manual#page=2", "https://a.test/manual#page=3"}; !slices.Equal(links, want) {
		t.Errorf("links %v, want %v", links, want)
	}
	p = s.page("/text?url=https://a.test/story", http.StatusOK)
	if got := p.one(t, "section", ""); got != "Once upon a time" || len(p.all("h2", "")) > 0 {
		t.Errorf("a web page is shown as %q", got)
	}
}

func TestTheTextOfAFileInTheAPI(t *testing.T) {
	s := newSite(t)
	s.d.Text = manual
	var got apiText
	if err := json.Unmarshal(s.get("/api/v1/text?url=https://a.test/manual").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.URL != "https://a.test/manual" || *got.FetchedAt != "2026-09-30T10:02:03Z" || len(got.Pages) != 3 || got.Pages[2] != (TextPage{3, "The end"}) {
		t.Errorf("%+v", got)
	}
}

// A page that asks not to be kept as a copy is not shown as one, and nobody is led to it.
func TestATextThatIsNotShownSaysWhy(t *testing.T) {
	s := newSite(t)
	for url, c := range map[string]struct {
		status int
		said   string
	}{
		"": {400, "url is missing"}, "https://a.test/private": {403, "noarchive"}, "https://a.test/none": {404, "no page at this address"},
	} {
		s.d.Text = manual
		for _, path := range []string{"/text?url=", "/api/v1/text?url="} {
			if rec := s.get(path + url); rec.Code != c.status || !strings.Contains(strings.ToLower(rec.Body.String()), c.said) || strings.Contains(rec.Body.String(), "Water") {
				t.Errorf("%s%s: %d\n%s", path, url, rec.Code, rec.Body)
			}
		}
	}
	absent := newSite(t)
	if rec := absent.get("/text?url=a.test"); rec.Code != http.StatusNotImplemented {
		t.Errorf("without an index: %d", rec.Code)
	}
}

// A result leads to the text at the page where its snippet is.
func TestAHitLeadsToItsTextAtThePageOfItsSnippet(t *testing.T) {
	s := newSite(t)
	s.d.Search = func(context.Context, Question) (Results, error) {
		return Results{Total: 3, Hits: []Hit{
			{URL: "https://a.test/manual?a=1&b", Type: "pdf", FilePage: 7}, {URL: "https://a.test/story", Type: "html"},
			{URL: "https://a.test/private", Type: "pdf", FilePage: 2, NoArchive: true},
		}}, nil
	}
	var got []string
	for _, a := range s.page("/?q=a", http.StatusOK).all("a", "") {
		if strings.HasPrefix(attr(a, "href"), "/text") {
			got = append(got, attr(a, "href"))
		}
	}
	want := []string{"/text?url=https%3A%2F%2Fa.test%2Fmanual%3Fa%3D1%26b#page-7", "/text?url=https%3A%2F%2Fa.test%2Fstory"}
	if !slices.Equal(got, want) {
		t.Errorf("links %v, want %v", got, want)
	}
}
