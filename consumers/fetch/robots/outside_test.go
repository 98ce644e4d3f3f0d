package robots

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"millrace/bench/outside"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/conformance.txt")

// outsideCase is one recorded case of Google's or crawler-commons' own tests.
type outsideCase struct {
	Suite     string   `json:"suite"`
	Test      string   `json:"test"`
	Kind      string   `json:"kind"`
	Robots    string   `json:"robots"`
	RobotsB64 string   `json:"robots_b64"`
	Status    int      `json:"robots_http_status"`
	UA        string   `json:"ua"`
	Agents    []string `json:"agents"`
	URL       string   `json:"url"`
	Allowed   bool     `json:"allowed"`
	Valid     bool     `json:"valid"`
	In        string   `json:"in"`
	Out       string   `json:"out"`
	ValidN    int      `json:"valid_directives"`
	UnknownN  int      `json:"unknown_directives"`
	UnusedN   int      `json:"unused_directives"`
	LastLine  int      `json:"last_line"`
	Sitemap   string   `json:"sitemap"`
	Sitemaps  []string `json:"sitemaps"`
	DelayMs   *int64   `json:"crawl_delay_ms"`
}

func (c outsideCase) body() []byte {
	if c.RobotsB64 == "" {
		return []byte(c.Robots)
	}
	b, err := base64.StdEncoding.DecodeString(c.RobotsB64)
	if err != nil {
		panic(err)
	}
	return b
}

func (c outsideCase) rules() *Rules {
	if c.UA != "" {
		return Parse(c.body(), c.UA)
	}
	return Parse(c.body(), c.Agents...)
}

// check compares one case and returns the two answers; they differ where we differ.
func (c outsideCase) check() (want, got string) {
	switch c.Kind {
	case "valid_user_agent_token":
		return fmt.Sprint(c.Valid), fmt.Sprint(ValidAgent(c.UA))
	case "path_params_query":
		return c.Out, Target(c.In)
	case "escape_pattern":
		return c.Out, normalise(c.In, true)
	case "parse_stats":
		return fmt.Sprintf("%d valid, %d unknown, %d lines, sitemap %q", c.ValidN, c.UnknownN, c.LastLine, c.Sitemap), stats(c.body(), true)
	case "line_report":
		return fmt.Sprintf("%d valid", c.ValidN), stats(c.body(), false)
	case "crawl_delay_ms":
		ms := int64(0)
		if c.DelayMs != nil {
			ms = *c.DelayMs
		}
		return fmt.Sprint(ms), fmt.Sprint(c.rules().CrawlDelay().Milliseconds())
	case "sitemaps":
		return fmt.Sprint(c.Sitemaps), fmt.Sprint(c.rules().Sitemaps())
	}
	return fmt.Sprint(c.Allowed), fmt.Sprint(c.rules().Allowed(Target(c.URL)))
}

// stats counts lines as Google's parser reports them.
func stats(body []byte, full bool) string {
	valid, unknown, last, sitemap := 0, 0, 0, ""
	scan(text(body), func(n int, k key, value string) {
		last = n
		switch {
		case k == keySitemap:
			sitemap = value
			valid++
		case k != keyUnknown && k != keyDelay:
			valid++
		case value != "":
			unknown++
		}
	})
	if !full {
		return fmt.Sprintf("%d valid", valid)
	}
	return fmt.Sprintf("%d valid, %d unknown, %d lines, sitemap %q", valid, unknown, last, sitemap)
}

// reasons says, per test of the other suites, why we answer differently on purpose.
var reasons = map[string]string{
	"GoogleOnly_AcceptUserAgentUpToFirstSpace": "every name of a line is obeyed, and ours is cut to its token before it is compared",
	"ID_Encoding":                                   "RFC 9309, 2.2.2: both sides are normalised first; Google leaves that to the caller",
	"GoogleOnly_IndexHTMLisDirectory":               "not in the RFC: index.html need not be the page of its folder",
	"GoogleOnly_LineTooLong":                        "lines are taken whole, Google cuts them at 16,664 bytes",
	"ID_NonStandardLineExample_Sitemap":             "line count only: they stop counting at the last line that says something",
	"SimpleRobotRulesParserTest.testDirectiveTypos": "useg-agent is a guess too far",
}

func TestOutsideSuitesAgreeOrDifferOnPurpose(t *testing.T) {
	dir := outside.Need(t, "robots")
	var report strings.Builder
	for _, name := range []string{"google_allowed", "google_parse", "crawlercommons_allowed", "crawlercommons_delay_sitemap_defer"} {
		writeShare(t, &report, name, readCases(t, filepath.Join(dir, name+".json")))
	}
	golden := filepath.Join("testdata", "conformance.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(report.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != report.String() {
		t.Errorf("the shares changed; look, then run with -update. Now:\n%s", report.String())
	}
}

// writeShare reports one file. Cases about HTTP statuses are of the fetch, not of the file, and are
// tested there.
func writeShare(t *testing.T, w *strings.Builder, name string, cases []outsideCase) {
	equal, total, lines := 0, 0, []string(nil)
	for i, c := range cases {
		if c.Status != 0 || c.Kind == "defer" {
			continue
		}
		total++
		want, got := c.check()
		if want == got {
			equal++
			continue
		}
		reason, ok := reasons[c.Test]
		if !ok {
			t.Errorf("%s #%d %s: want %s, got %s, and no reason is given\nrobots: %.300q\nagents %q%q url %q in %q", name, i, c.Test, want, got, c.body(), c.UA, c.Agents, c.URL, c.In)
		}
		lines = append(lines, fmt.Sprintf("  #%d %s: they say %s, we %s: %s\n", i, c.Test, want, got, reason))
	}
	if total == 0 {
		t.Fatalf("%s: no cases", name)
	}
	fmt.Fprintf(w, "%s: %d of %d equal\n%s", name, equal, total, strings.Join(lines, ""))
}

func readCases(t *testing.T, file string) []outsideCase {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []outsideCase
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}
