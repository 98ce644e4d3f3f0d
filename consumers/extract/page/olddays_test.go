package page

import (
	"testing"
	"time"
)

// TestTextsOlderThanTheWebKeepTheirDay: archives state days of publication from before the web.
// Defaults of programs, days to come and weaker fields give none.
func TestTextsOlderThanTheWebKeepTheirDay(t *testing.T) {
	x := newExtractor(t)
	ld := func(day string) string {
		return `<script type="application/ld+json">{"@type":"NewsArticle","headline":"The mill","datePublished":"` + day + `"}</script>`
	}
	meta := func(name, day string) string { return `<meta property="` + name + `" content="` + day + `">` }
	for head, want := range map[string]string{
		meta("article:published_time", "1989-03-02"):                "1989-03-02",
		meta("article:published_time", "1965-07-14T10:00:00+02:00"): "1965-07-14",
		meta("citation_publication_date", "1899/05/03"):             "1899-05-03",
		meta("DCTERMS.issued", "1971-11-30"):                        "1971-11-30",
		ld("1994-12-31"):                                            "1994-12-31",
		ld("1848-02-21"):                                            "1848-02-21",
		ld("1970-01-01T00:00:00Z"):                                  "",
		ld("1969-12-31T19:00:00-05:00"):                             "",
		ld("1900-01-01"):                                            "",
		ld("0001-01-01T00:00:00Z"):                                  "",
		meta("article:published_time", "2031-01-01"):                "",
		meta("date", "1962-10-12"):                                  "",
		meta("article:modified_time", "1989-03-02"):                 "",
	} {
		r := x.Extract(Input{URL: "https://archive.example.com/mill", ContentType: "text/html; charset=utf-8", FetchedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
			Body: []byte("<!doctype html><html lang=en><head><title>The mill</title>" + head + "</head><body>" + filler + "</body></html>")})
		got := ""
		if !r.Published.Time.IsZero() {
			got = r.Published.Time.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", head, got, want)
		}
	}
}
