package sitemaps

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"millrace/bench/outside"
	"millrace/consumers/listing"
	"millrace/schema"
)

// recorded is one parse of crawler-commons, as its own tests expect it.
type recorded struct {
	Test            string
	Strict          bool
	StrictNamespace bool   `json:"strict_namespace"`
	ContentType     string `json:"content_type"`
	URL             string
	IsIndex         bool `json:"is_index"`
	Error           string
	Content         string
	ContentB64      string `json:"content_b64"`
	Items           []struct {
		URL     string
		Lastmod *time.Time
		Ext     struct {
			NEWS []struct {
				Date []string `json:"publication_date"`
			}
		}
	}
}

// differs says where what crawler-commons does in its strict modes is not what we want.
func differs(c recorded) string {
	switch {
	case c.Test == "SiteMapParserTest.testLenientParser" && c.Strict:
		return "strict: nothing above the sitemap's folder; here a site is one"
	case c.StrictNamespace && c.Error != "":
		return "strict: no wrong namespace"
	case c.Test == "SiteMapParserTest.testSitemapXXE":
		return "strict: no document type"
	}
	return ""
}

// TestRecordedParses compares with what crawler-commons makes of 41 sitemaps.
func TestRecordedParses(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(outside.Need(t, "sitemaps"), "crawlercommons_sitemaps.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []recorded
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	equal, other := 0, 0
	for i, c := range cases {
		got, want := parseRecorded(t, c), wantRecorded(c)
		switch why := differs(c); {
		case slices.Equal(got, want):
			equal++
		case why != "":
			other++
			t.Logf("%d %s: other on purpose: %s", i, c.Test, why)
		default:
			t.Errorf("%d %s:\n got %v\nwant %v", i, c.Test, got, want)
		}
	}
	t.Logf("%d of %d equal, %d other on purpose", equal, len(cases), other)
}

// wantRecorded gives the expected items in the form of line.
func wantRecorded(c recorded) []string {
	var want []string
	canon, _ := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	for _, it := range c.Items {
		u, err := canon.Parse(it.URL)
		if err != nil {
			return []string{err.Error()}
		}
		e := listing.Entry{Ref: u.String(), Kind: schema.Kind_PAGE}
		if c.IsIndex {
			e.Kind = schema.Kind_SITEMAP
		}
		if it.Lastmod != nil {
			e.Lastmod = it.Lastmod.UnixMilli()
		}
		if n := it.Ext.NEWS; len(n) > 0 && len(n[0].Date) > 0 {
			e.Published = date(n[0].Date[0])
		}
		want = append(want, line(e))
	}
	return want
}

func parseRecorded(t *testing.T, c recorded) []string {
	t.Helper()
	body := []byte(c.Content)
	if c.ContentB64 != "" {
		var err error
		if body, err = base64.StdEncoding.DecodeString(c.ContentB64); err != nil {
			t.Fatal(err)
		}
	}
	p := page(c.URL, string(body))
	p.ContentType = c.ContentType
	if !c.Strict || c.IsIndex { // URLs of other sites are welcome there
		return freely(t, p)
	}
	return lines(t, group(t, func(o *Options) { o.MaxAlternates = 0 }), p)
}
