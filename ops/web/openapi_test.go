package web

import (
	"context"
	"encoding/json"
	"fmt"
	"millrace/topics"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// described is the document as it is served.
func described(t *testing.T, s *site) map[string]any {
	t.Helper()
	rec := s.get("/api/v1/openapi.json")
	var doc map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &doc); err != nil || rec.Code != http.StatusOK {
		t.Fatal(rec.Code, err)
	}
	return doc
}

func at(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func TestOpenAPIHasEveryRouteOfTheAPI(t *testing.T) {
	paths := at(described(t, newSite(t)), "paths").(map[string]any)
	n := 0
	for _, r := range Routes() {
		method, path, _ := strings.Cut(strings.TrimSuffix(r.Pattern, "{$}"), " ")
		if !strings.HasPrefix(path, "/api/") {
			continue
		}
		if n++; at(paths, path, strings.ToLower(method), "summary") != r.About {
			t.Errorf("%s is not described", r.Pattern)
		}
	}
	if n < 10 {
		t.Fatalf("%d routes", n)
	}
}

// fits reports where a value is not what a schema says.
func fits(v, schema any, where string) error {
	kinds, _ := at(schema, "type").([]any)
	if kind, ok := at(schema, "type").(string); ok {
		kinds = []any{kind}
	}
	kind := map[bool]string{true: "null"}[v == nil]
	switch v := v.(type) {
	case string:
		kind = "string"
	case bool:
		kind = "boolean"
	case float64:
		if kind = "number"; v == float64(int64(v)) && !slices.Contains(kinds, any("number")) {
			kind = "integer"
		}
	case []any:
		kind = "array"
		for i, item := range v {
			if err := fits(item, at(schema, "items"), fmt.Sprintf("%s[%d]", where, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		kind = "object"
		for _, name := range at(schema, "required").([]any) {
			if _, ok := v[name.(string)]; !ok {
				return fmt.Errorf("%s lacks %s", where, name)
			}
		}
		for name, part := range v {
			known := at(schema, "properties", name)
			if known == nil {
				return fmt.Errorf("%s has %s, which is not described", where, name)
			}
			if err := fits(part, known, where+"."+name); err != nil {
				return err
			}
		}
	}
	if !slices.Contains(kinds, any(kind)) {
		return fmt.Errorf("%s is %s, described as %v", where, kind, kinds)
	}
	return nil
}

// The real handlers answer as the document says, and they take exactly the parameters it names.
func TestOpenAPIDescribesWhatIsAnswered(t *testing.T) {
	s := newSite(t)
	s.d.Search = func(_ context.Context, q Question) (Results, error) {
		if q.Size == 1 {
			return Results{}, nil
		}
		return Results{Total: 1, Meant: "x", Next: "y", Relaxed: true, Warnings: []string{"w"}, Facets: []Facet{{"site", []FacetValue{{"a", 1, "site:a"}}}},
			Hits: []Hit{{URL: "https://a.test/", Date: time.Now(), Parts: []Part{{"p", 1}}, Also: []Also{{"https://b.test/", "b.test"}}}}}, nil
	}
	s.d.Suggest = func(context.Context, string, int) ([]string, error) { return []string{"water wheel"}, nil }
	s.d.Why = func(context.Context, string) (Story, error) {
		return Story{URL: "u", Sections: []Section{{"t", [][2]string{{"a", "b"}}}}}, nil
	}
	s.d.Text = manual
	s.d.Rebuilding = func() Rebuild { return Rebuild{Running: true, Began: time.Now()} }
	doc := described(t, s)
	for _, c := range []struct{ path, query string }{
		{"/api/v1/search", "q=x"}, {"/api/v1/search", "q=x&size=1"}, {"/api/v1/suggest", "q=wat"}, {"/api/v1/why", "url=a.test"}, {"/api/v1/text", "url=https://a.test/manual"}, {"/api/v1/rebuild", ""},
	} {
		rec := s.get(c.path + "?" + c.query)
		var answer any
		if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || rec.Code != http.StatusOK {
			t.Fatal(c.path, rec.Code, err)
		}
		operation := at(doc, "paths", c.path, "get")
		if err := fits(answer, at(operation, "responses", "200", "content", "application/json", "schema"), "answer"); err != nil {
			t.Errorf("%s?%s: %v\n%s", c.path, c.query, err, rec.Body)
		}
	}
	for _, p := range at(doc, "paths", "/api/v1/search", "get", "parameters").([]any) {
		name, wrong := at(p, "name").(string), "no"
		switch at(p, "schema", "type") {
		case "string":
			if wrong = strings.Repeat("x", 5000); at(p, "schema", "maxLength") == nil {
				wrong = "sideways"
			}
		case "boolean":
			wrong = "perhaps"
		}
		query := "q=x&" + name + "=" + wrong
		if name == "q" {
			query = "q=" + wrong
		}
		if rec := s.get("/api/v1/search?" + query); rec.Code != http.StatusBadRequest {
			t.Errorf("%s=%.20s is answered with %d", name, wrong, rec.Code)
		}
	}
}

func TestRSSOfAQueryIsNewestFirstAndWellFormed(t *testing.T) {
	s := newSite(t)
	var asked Question
	s.d.Search = func(_ context.Context, q Question) (Results, error) {
		asked = q
		return Results{Total: 2, Hits: append(hostileHits(), Hit{URL: "https://example.com/n", Title: "New\x01 <one>", Date: time.Unix(0, 0)})}, nil
	}
	rec := s.get("/rss?q=water")
	body := rec.Body.String()
	if !asked.Newest || rec.Header().Get("Content-Type") != "application/rss+xml; charset=utf-8" {
		t.Fatalf("asked %+v, %s", asked, rec.Header())
	}
	if !strings.Contains(body, "<title>New &lt;one&gt;</title>") || !strings.Contains(body, "Thu, 01 Jan 1970") || strings.Contains(body, "javascript:") || strings.Contains(body, "\x01") {
		t.Fatal(body)
	}
}

// The page offers what was meant, other queries, copies, facets and the other order, and all of it
// without a script.
func TestThePageOffersWhereToGo(t *testing.T) {
	s := newSite(t)
	s.d.Search = func(_ context.Context, q Question) (Results, error) {
		if !q.Facets {
			t.Error("the page does not ask for facets")
		}
		return Results{Total: 3, Listed: 2, Meant: "vacuum", Facets: []Facet{{"site", []FacetValue{{"a.test", 2, "site:a.test"}, {"b.test", 1, "site:b.test"}}}},
			Hits: []Hit{{URL: "https://a.test/1", Title: "One", Site: "a.test", More: 3, Author: "Jane", Type: "pdf", Also: []Also{{"https://b.test/1", "b.test"}}}}}, nil
	}
	s.d.Suggest = func(context.Context, string, int) ([]string, error) { return []string{"vacc uumed"}, nil }
	p := s.page("/?q=a+OR+vaccum", http.StatusOK)
	links := map[string]string{}
	for _, a := range p.all("a", "") {
		links[textOf(a)] = attr(a, "href")
	}
	for text, want := range map[string]string{
		"vacuum": "/?q=vacuum", "vacc uumed": "/?q=vacc+uumed", "Newest first": "/?q=a+OR+vaccum&sort=date", "RSS": "/rss?q=a+OR+vaccum",
		"b.test": "/?q=%28a+OR+vaccum%29+site%3Ab.test", "3 more of this site": "/?q=%28a+OR+vaccum%29+site%3Aa.test", "b.test › 1": "https://b.test/1",
	} {
		if links[text] != want {
			t.Errorf("%q leads to %q, want %q", text, links[text], want)
		}
	}
}

// TestAsyncAPINamesEveryTopic: tools that know only this address find every topic and its records.
func TestAsyncAPINamesEveryTopic(t *testing.T) {
	rec := newSite(t).get("/api/v1/asyncapi.json")
	var doc map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &doc); err != nil || rec.Code != http.StatusOK {
		t.Fatal(rec.Code, err)
	}
	for _, spec := range topics.All() {
		if at(doc, "channels", spec.Name, "address") != spec.Name {
			t.Errorf("no channel for %s", spec.Name)
		}
	}
}
