//go:build !race

// The reader of PDFs is compiled when the first one comes: minutes with the race detector, which
// finds nothing in compiled WebAssembly. consumers/extract/documents runs with it.

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"millrace/consumers/extract/documents/documentstest"
)

// newLibrary is an origin whose front page leads to a PDF, a Word file, a scan, and an archive that
// is no document. The PDF leads to a page that nothing else leads to.
func newLibrary(t *testing.T) string {
	t.Helper()
	var url string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		type file struct{ contentType, body string }
		f, ok := map[string]file{
			"/": {"text/html", `<title>Library</title><p>The library of the mill keeps reports.</p>
<a href=/report>report</a> <a href=/letter.docx>letter</a> <a href=/scan.pdf>scan</a> <a href=/code>code</a>`},
			"/report": {"application/octet-stream", string(documentstest.PDF(documentstest.PDFOptions{Title: "Report on rye", Links: []string{url + "/source"}},
				"Rye grows on poor soil", "Harvest began in August"))},
			"/letter.docx": {"application/octet-stream", string(documentstest.DOCX("A letter", documentstest.Paragraph("", "Dear miller, the barley is late")))},
			"/scan.pdf":    {"application/pdf", string(documentstest.PDF(documentstest.PDFOptions{}, ""))},
			"/code":        {"application/java-archive", string(documentstest.Zip("Main.class", "x"))},
			"/source":      {"text/html", "<title>Source</title><p>The source of the report is the ledger.</p>"},
		}[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", f.contentType)
		fmt.Fprint(w, f.body)
	}))
	t.Cleanup(server.Close)
	url = server.URL
	return url
}

func TestDocumentsAreFoundAndTheirLinksFollowed(t *testing.T) {
	site := newLibrary(t)
	dir := t.TempDir()
	a := use(t, flags(dir, "--until-idle", site+"/")...)
	if a.code != exitOK || a.err != "" {
		t.Fatalf("exit %d: %s\n%s", a.code, a.err, a.out)
	}
	for _, w := range []string{"documents              4", "files without text", "of a type that is not read"} {
		if !strings.Contains(a.out, w) {
			t.Errorf("no %q in the summary:\n%s", w, a.out)
		}
	}
	at := func(args ...string) []string { return append(args, "--data", dir) }
	want(t, []string{"Report on rye", site + "/report"}, at("search", "harvest")...)
	want(t, []string{"1 page in ", site + "/report"}, at("search", "filetype:pdf", "rye")...)
	want(t, []string{"pdf, part 2"}, at("search", "harvest")...)
	want(t, []string{`"file_page":1`}, at("search", "--json", "rye", "soil")...)
	want(t, []string{"Report on rye\n" + site + "/report", "— 1 —\nRye grows on poor soil\n— 2 —\nHarvest began in August\n"}, at("text", site+"/report")...)
	want(t, []string{"Harvest began in August\n"}, at("text", "--page", "2", site+"/report")...)
	if a := use(t, at("text", "--page", "3", site+"/report")...); a.code != exitFailure || !strings.Contains(a.err, "has no page 3: its text has 2") {
		t.Errorf("a page that is not there: exit %d: %s", a.code, a.err)
	}
	if a := use(t, at("text", site+"/scan.pdf")...); a.code != exitFailure || !strings.Contains(a.err, "no page at this address") {
		t.Errorf("a scan: exit %d: %s", a.code, a.err)
	}
	want(t, []string{"A letter", site + "/letter.docx"}, at("search", "barley")...)
	want(t, []string{"Source", site + "/source"}, at("search", "ledger")...)
	want(t, []string{"no_text"}, at("why", site+"/scan.pdf")...)
	want(t, []string{`"filetype":"pdf"`, `"pageStarts":[0,23]`}, at("topics", "cat", "docs.unique", "--from-beginning", "-n", "100")...)
}
