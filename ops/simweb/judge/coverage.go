package judge

import (
	"slices"
	"strings"

	"millrace/ops/simweb/truth"
	"millrace/ops/simweb/world"
)

// Coverage compares what was fetched with what is within reach.
type Coverage struct {
	Expected    int // URLs that had to be fetched
	Fetched     int // of them, asked for at least once
	Missing     int
	Extra       int // URLs fetched that are not within reach (traps aside)
	MissingURLs []string
	ExtraURLs   []string
}

// coverage compares by page and form, so ports do not matter. Pages of traps,
// robots files, feeds and sitemaps are neither missing nor extra.
func (j *Judge) coverage(opts Options, events []Event) *Coverage {
	expected := map[world.Ref]*truth.Entry{}
	for url, e := range opts.Truth.URLs {
		if req, ok := j.w.ParseURL(url); ok {
			expected[req.Ref] = e
		}
	}
	c := &Coverage{}
	seen := make(map[world.Ref]bool, len(events))
	for _, e := range events {
		if seen[e.ref()] || exempt(e.Page.Space()) {
			continue
		}
		seen[e.ref()] = true
		if expected[e.ref()] == nil {
			c.Extra++
			c.ExtraURLs = append(c.ExtraURLs, j.url(e))
		}
	}
	for ref, e := range expected {
		if e.Kind == truth.Denied || exempt(ref.Page.Space()) {
			continue
		}
		c.Expected++
		if seen[ref] {
			c.Fetched++
			continue
		}
		c.Missing++
		c.MissingURLs = append(c.MissingURLs, e.URL)
	}
	c.MissingURLs, c.ExtraURLs = examples(c.MissingURLs, opts.Examples), examples(c.ExtraURLs, opts.Examples)
	return c
}

func exempt(s world.Space) bool {
	return isTrap(s) || s == world.Robots || s == world.Feed || s == world.Sitemap
}

func examples(urls []string, n int) []string {
	slices.Sort(urls)
	return slices.Clone(urls[:min(n, len(urls))])
}

// pathOf is path and query of a URL.
func pathOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		return rest[i:]
	}
	return "/"
}
