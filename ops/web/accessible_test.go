package web

import (
	"context"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// What WCAG 2.2 AA asks of the markup and can be read from it: language, title, landmarks that can
// be told apart, headings without a gap, names of fields, links, buttons and of what takes the
// focus, heads of tables.
func TestPagesCanBeUsedWithoutSeeingThem(t *testing.T) {
	s := newSite(t)
	s.d.Search = func(_ context.Context, a Question) (Results, error) {
		if a.Query == "none" {
			return Results{Meant: "some"}, nil
		}
		facets := []Facet{{Name: "site", Values: []FacetValue{{Value: "a.test", Count: 2, Query: "site:a.test"}, {Value: "b.test", Count: 1, Query: "site:b.test"}}}}
		return Results{Total: 30, Listed: 30, Facets: facets, Warnings: []string{"a part is missing"}, Instead: "other", Seen: "S", Hits: []Hit{
			{URL: "http://a.test/", Title: "Eine Mühle", Lang: "de", Site: "a.test", Author: "Jane", Type: "pdf", FilePage: 2, FetchedAt: time.Unix(1, 0), More: 3,
				Snippet: []Fragment{{"eine ", false}, {"Mühle", true}}, Also: []Also{{URL: "http://b.test/", Site: "b.test"}}},
			{URL: "http://c.test/"},
		}}, nil
	}
	s.d.Why = func(context.Context, string) (Story, error) {
		return Story{URL: "http://a.test/", Summary: "known", Sections: []Section{{Title: "Index", Facts: [][2]string{{"title", "A"}}}}}, nil
	}
	for path, status := range map[string]int{"/": 200, "/?q=mill&from=10": 200, "/?q=none": 200, "/?q=a&from=x": 400, "/dashboard": 200, "/why": 200, "/why?url=a.test": 200, "/nothing": 404} {
		p := s.page(path, status)
		if lang := attr(p.all("html", "")[0], "lang"); lang != "en" {
			t.Errorf("%s: the language of the page is %q", path, lang)
		}
		if textOf(p.all("title", "")[0]) == "" || len(p.all("main", "")) != 1 {
			t.Errorf("%s: no title, or not one main part", path)
		}
		named(t, path, p)
		headings(t, path, p)
	}
	hit := s.page("/?q=mill", 200).all("li", "hit")
	if len(hit) != 2 || attr(hit[0], "lang") != "de" || hasAttr(hit[1], "lang") {
		t.Error("a hit does not have the language of its page")
	}
}

func named(t *testing.T, path string, p page) {
	t.Helper()
	ids, landmarks := map[string]bool{}, map[string]bool{}
	for n := range p.root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if id := attr(n, "id"); id != "" && ids[id] {
			t.Errorf("%s: two elements have the id %s", path, id)
		} else {
			ids[id] = true
		}
		name := attr(n, "aria-label")
		text := textOf(n) + name
		switch n.Data {
		case "a", "button", "summary", "th", "caption":
			if text == "" {
				t.Errorf("%s: an element %s has no text", path, n.Data)
			}
		case "input", "select", "textarea":
			if attr(n, "type") != "hidden" && name == "" && n.Parent.Data != "label" {
				t.Errorf("%s: a field has no name", path)
			}
		case "nav", "aside":
			if name == "" || landmarks[n.Data+name] {
				t.Errorf("%s: %s %q cannot be told from another", path, n.Data, name)
			}
			landmarks[n.Data+name] = true
		case "svg":
			if attr(n, "aria-hidden") != "true" && name == "" {
				t.Errorf("%s: a drawing has no name and is not hidden", path)
			}
		case "img":
			if !hasAttr(n, "alt") {
				t.Errorf("%s: an image has no alt", path)
			}
		}
		if hasAttr(n, "tabindex") && n.Data != "a" && name == "" {
			t.Errorf("%s: a %s takes the focus and has no name", path, n.Data)
		}
	}
	for _, table := range p.all("table", "") {
		if inside := (page{table}); len(inside.all("td", "")) > len(inside.all("td", "none")) && inside.all("th", "") == nil {
			t.Errorf("%s: a table has no heads", path)
		}
	}
}

// headings checks that no level is left out on the way down.
func headings(t *testing.T, path string, p page) {
	t.Helper()
	before := 0
	for n := range p.root.Descendants() {
		if n.Type != html.ElementNode || len(n.Data) != 2 || n.Data[0] != 'h' || n.Data[1] < '1' || n.Data[1] > '6' {
			continue
		}
		level := int(n.Data[1] - '0')
		if level > before+1 {
			t.Errorf("%s: a heading of level %d comes after one of level %d", path, level, before)
		}
		before = level
	}
}

func hasAttr(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

// Colours differ enough in both schemes: 4.5 for text, 3 for the edge of a field, the mark of the
// focus and what a graph shows (WCAG 1.4.3, 1.4.11).
func TestColoursDifferEnough(t *testing.T) {
	css, err := os.ReadFile("assets/millrace.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, ok := strings.Cut(string(css), "@media (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("no dark scheme")
	}
	dark, _, _ = strings.Cut(dark, "}")
	for scheme, text := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([a-z0-9-]+): #([0-9a-f]{6})`).FindAllStringSubmatch(text, -1) {
			colours[m[1]] = luminance(m[2])
		}
		for _, c := range []struct {
			front, back string
			least       float64
		}{
			{"ink", "paper", 4.5}, {"ink", "panel", 4.5}, {"soft", "paper", 4.5}, {"soft", "panel", 4.5}, {"link", "paper", 4.5}, {"link", "panel", 4.5},
			{"visited", "paper", 4.5}, {"accent", "paper", 4.5}, {"accent", "panel", 4.5}, {"accent-ink", "accent", 4.5}, {"mark-ink", "mark", 4.5},
			{"good", "panel", 3}, {"info", "panel", 3}, {"warn", "panel", 3}, {"bad", "panel", 3}, {"edge", "paper", 3}, {"edge", "panel", 3},
		} {
			front, ok1 := colours[c.front]
			back, ok2 := colours[c.back]
			ratio := (math.Max(front, back) + .05) / (math.Min(front, back) + .05)
			if !ok1 || !ok2 || ratio < c.least {
				t.Errorf("%s: %s on %s is %.2f, least %.1f", scheme, c.front, c.back, ratio, c.least)
			}
		}
	}
	for _, rule := range []string{".ask input::placeholder { color: var(--soft); opacity: 1; }", ":focus-visible { outline: 2px solid var(--accent)", "border: 1px solid var(--edge)", "prefers-reduced-motion: reduce"} {
		if !strings.Contains(string(css), rule) {
			t.Errorf("no rule %s", rule)
		}
	}
}

// luminance is the relative luminance of WCAG 2.
func luminance(rgb string) float64 {
	sum := 0.0
	for i, share := range []float64{.2126, .7152, .0722} {
		n, _ := strconv.ParseUint(rgb[2*i:2*i+2], 16, 8)
		c := float64(n) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		sum += share * c
	}
	return sum
}
