package extract

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"millrace/consumers/extract/rules"
	"millrace/schema"
)

var update = flag.Bool("update", false, "rewrite the golden reports")

// TestGolden compares the whole report of each page in testdata with what was read and approved. A
// case is a page with its headers in the archive's comment ("url: ...", "content-type: ...", other
// headers) and its rules, if any, as lines "rule: field value".
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases in testdata", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Files) != 2 || a.Files[1].Name != "report.txt" {
				t.Fatal("a case is a page and report.txt")
			}
			page, find := caseOf(t, string(a.Comment), a.Files[0].Data)
			w := newWorker(t, nil)
			if find != nil {
				w = newRuledWorker(t, find)
			}
			report := try(t, w, page)
			var got bytes.Buffer
			if err := report.Print(&got); err != nil {
				t.Fatal(err)
			}
			if *update {
				a.Files[1].Data = got.Bytes()
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(got.Bytes(), a.Files[1].Data) {
				t.Errorf("got\n%s\nwant\n%s", got.Bytes(), a.Files[1].Data)
			}
		})
	}
}

func caseOf(t *testing.T, comment string, body []byte) (*schema.Page, rules.Lookup) {
	p := &schema.Page{Kind: schema.Kind_PAGE, Rev: 1, HttpStatus: 200, ContentType: "text/html", Body: body, FetchedAt: 1_760_000_000_000}
	var rule rules.Rule
	for line := range strings.Lines(comment) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case !ok || strings.HasPrefix(name, "#"):
		case name == "url":
			canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
			if err != nil {
				t.Fatal(err)
			}
			u, err := canon.Parse(value)
			if err != nil {
				t.Fatal(err)
			}
			p.Url, p.RowKey, p.Site = u.String(), string(u.RowKey()), string(u.Site())
		case name == "content-type":
			p.ContentType = value
		case name == "rule":
			addRule(t, &rule, value)
		default:
			p.Headers = append(p.Headers, &schema.Header{Name: name, Value: value})
		}
	}
	if rule.Domain == "" {
		return p, nil
	}
	set, err := rules.Compile([]rules.Rule{rule})
	if err != nil {
		t.Fatal(err)
	}
	return p, set
}

func addRule(t *testing.T, r *rules.Rule, line string) {
	field, value, _ := strings.Cut(line, " ")
	switch field {
	case "domain":
		r.Domain = value
	case "url":
		r.URL = value
	case "refuse":
		r.Refuse = true
	case "useful":
		yes := value == "yes"
		r.Article = &yes
	case "content":
		r.Content = value
	case "without":
		r.Without = value
	case "title":
		r.Title = value
	case "date":
		r.Date = value
	case "author":
		r.Author = value
	default:
		t.Fatalf("unknown field of a rule: %s", field)
	}
}

// TestCopiesAreOneDocumentAtAnyAddress protects A's "no duplicates inside a domain": an address may
// help to choose between two titles, and must not tell two copies of a page apart.
func TestCopiesAreOneDocumentAtAnyAddress(t *testing.T) {
	const html = `<html lang=en><title>Mill news</title><meta property="og:title" content="A weir in spring time"><h1>The old mill</h1>
<p>The water runs over the stones, and the miller, who has lived here for thirty years, keeps the race clear of weed and of branches.</p>`
	w := newWorker(t, nil)
	at := func(url string) Report {
		return try(t, w, &schema.Page{RowKey: "org.example:http/x", Url: url, Kind: schema.Kind_PAGE, Rev: 1, ContentType: "text/html", Body: []byte(html)})
	}
	one, two := at("http://example.org/the-old-mill"), at("http://example.org/a-weir-in-spring-time")
	if one.Title == two.Title {
		t.Fatalf("the address does not matter for %q: this shows nothing", one.Title.Value)
	}
	if one.TextHash != two.TextHash {
		t.Errorf("%q and %q are two documents", one.Title.Value, two.Title.Value)
	}
}

func try(t *testing.T, w *Worker, p *schema.Page) Report {
	t.Helper()
	r, err := w.Try(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
