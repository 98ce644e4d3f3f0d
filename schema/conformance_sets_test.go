package schema

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// refused is the result for a string that is no URL, of a data set or of our code.
const refused = "(refused)"

// verdict is one case of a data set and what became of it.
type verdict struct{ input, got, want string }

// dataSet is one outside collection of cases.
type dataSet struct {
	name  string
	about string
	cases func(t *testing.T, dir string) []verdict
}

func dataSets() []dataSet {
	return []dataSet{
		{"wpt-parser", "the parser that hosts are left to and tests compare with, all schemes", wptParser},
		{"wpt-canonical", "Resolve on the same cases: our form of the input = our form of the answer", wptCanonical},
		{"wpt-toascii", "host names: domain to ASCII, then what the DNS can hold", wptToASCII},
		{"commons-normalized", "a crawler library's normaliser, which also sorts parameters", commonsNormalized},
		{"commons-invalid", "strings that normaliser refuses", commonsInvalid},
		{"commons-resolve", "references and bases", commonsResolve},
		{"nutch-basic", "Nutch's basic normaliser", nutchBasic},
		{"nutch-regex", "Nutch's default regular expressions, with the rule for default pages", nutchRegex},
		{"psl", "the list's own test vectors; no registrable domain = the host itself", pslSites},
	}
}

// wptCase is a case of urltestdata.json; comments between the cases are strings.
type wptCase struct {
	Input   string  `json:"input"`
	Base    *string `json:"base"`
	Href    string  `json:"href"`
	Failure bool    `json:"failure"`
}

func (c wptCase) base() string {
	if c.Base == nil {
		return ""
	}
	return *c.Base
}

func (c wptCase) label() string {
	if c.base() == "" {
		return c.Input
	}
	return c.Input + " in " + c.base()
}

func wptCases(t *testing.T, dir string) []wptCase {
	var cases []wptCase
	for _, name := range []string{"urltestdata.json", "ada_extra_urltestdata.json", "ada_long_urltestdata.json"} {
		cases = append(cases, readJSON[wptCase](t, filepath.Join(dir, name))...)
	}
	return cases
}

func wptParser(t *testing.T, dir string) []verdict {
	var out []verdict
	for _, c := range wptCases(t, dir) {
		v := verdict{input: c.label(), got: refused, want: c.Href}
		if c.Failure {
			v.want = refused
		}
		if u, err := whatwg.ParseRef(c.base(), c.Input); err == nil {
			v.got = u.Href(false)
		}
		out = append(out, v)
	}
	return out
}

// wptCanonical leaves out cases whose base cannot be a page of the web. An
// answer that the standard accepts and we refuse is a difference.
func wptCanonical(t *testing.T, dir string) []verdict {
	keepAll := &Canonicalizer{}
	var out []verdict
	for _, c := range wptCases(t, dir) {
		base, err := keepAll.Parse(c.base())
		if err != nil && c.base() != "" {
			continue
		}
		v := verdict{input: c.label(), got: form(keepAll.Resolve(base, c.Input)), want: refused}
		if strings.HasPrefix(c.Href, "http:") || strings.HasPrefix(c.Href, "https:") {
			v.want = c.Href
			if u, err := keepAll.Parse(c.Href); err == nil {
				v.want = u.String()
			}
		}
		out = append(out, v)
	}
	return out
}

func wptToASCII(t *testing.T, dir string) []verdict {
	type toASCII struct {
		Input  string  `json:"input"`
		Output *string `json:"output"`
	}
	keepAll := &Canonicalizer{}
	var out []verdict
	for _, c := range readJSON[toASCII](t, filepath.Join(dir, "toascii.json")) {
		v := verdict{input: c.Input, got: refused, want: refused}
		if u, err := keepAll.Parse("https://" + c.Input + "/"); err == nil {
			v.got = u.Hostname()
		}
		if c.Output != nil {
			v.want = *c.Output
		}
		out = append(out, v)
	}
	return out
}

func commonsNormalized(t *testing.T, dir string) []verdict {
	opts := DefaultCanonOptions()
	opts.SortParams = true
	c, err := NewCanonicalizer(opts)
	if err != nil {
		t.Fatal(err)
	}
	var out []verdict
	for _, row := range readCSV(t, filepath.Join(dir, "weirdToNormalizedUrls.csv"))[1:] {
		out = append(out, verdict{row[0], form(c.Parse(row[0])), strings.TrimSpace(row[1])})
	}
	return out
}

func commonsInvalid(t *testing.T, dir string) []verdict {
	var out []verdict
	for _, row := range readCSV(t, filepath.Join(dir, "invalidUrls.csv")) {
		out = append(out, verdict{row[0], form(byDefault(t).Parse(row[0])), refused})
	}
	return out
}

func commonsResolve(t *testing.T, dir string) []verdict {
	c := byDefault(t)
	var out []verdict
	for _, row := range readCSV(t, filepath.Join(dir, "url-resolve.csv")) {
		base, err := c.Parse(row[1])
		got := form(base, err)
		if err == nil || row[1] == "" {
			got = form(c.Resolve(base, row[0]))
		}
		out = append(out, verdict{row[0] + " in " + row[1], got, form(c.Parse(row[2]))})
	}
	return out
}

func nutchBasic(t *testing.T, dir string) []verdict {
	type pair struct{ In, Out string }
	var out []verdict
	for _, p := range readJSON[pair](t, filepath.Join(dir, "nutch_basic_normalizer.json")) {
		out = append(out, verdict{p.In, form(byDefault(t).Parse(p.In)), p.Out})
	}
	return out
}

func nutchRegex(t *testing.T, dir string) []verdict {
	var out []verdict
	for _, f := range readFields(t, filepath.Join(dir, "nutch_regex_normalizer", "regex-normalize-default.test"), "#") {
		out = append(out, verdict{f[0], form(byDefault(t).Parse(f[0])), f[1]})
	}
	return out
}

func pslSites(t *testing.T, dir string) []verdict {
	var out []verdict
	for _, f := range readFields(t, filepath.Join(dir, "psl", "tests.txt"), "//") {
		if f[0] == "null" || strings.HasPrefix(f[0], ".") {
			continue // not host names
		}
		u, err := byDefault(t).Parse("https://" + f[0] + "/")
		if err != nil {
			t.Fatal(err)
		}
		v := verdict{input: f[0], got: string(u.Site()), want: u.Hostname()}
		if f[1] != "null" {
			want, err := byDefault(t).Parse("https://" + f[1] + "/")
			if err != nil {
				t.Fatal(err)
			}
			v.want = want.Hostname()
		}
		out = append(out, v)
	}
	return out
}

// form is a URL for comparison.
func form(u URL, err error) string {
	if err != nil {
		return refused
	}
	return u.String()
}

func byDefault(t testing.TB) *Canonicalizer {
	t.Helper()
	c, err := NewCanonicalizer(DefaultCanonOptions())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// readJSON reads an array of objects and leaves out the strings between them.
func readJSON[T any](t *testing.T, name string) []T {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	var out []T
	for _, r := range raw {
		if r[0] == '"' {
			continue
		}
		var v T
		if err := json.Unmarshal(r, &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

func readCSV(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment, r.TrimLeadingSpace, r.LazyQuotes, r.FieldsPerRecord = '#', true, true, -1
	var rows [][]string
	for {
		row, err := r.Read()
		if err == io.EOF {
			return rows
		}
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
}

func readFields(t *testing.T, name, comment string) [][]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows [][]string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 2 && !strings.HasPrefix(lines.Text(), comment) {
			rows = append(rows, fields)
		}
	}
	return rows
}
