package table

import (
	"errors"
	"strings"
	"testing"
	"time"

	"millrace/consumers/taps"
	"millrace/schema"
)

// says is a record in which a page names links to one host.
func says(source string, rev int64, host string, paths ...string) *taps.Record {
	l := &schema.Links{SourceRowKey: source, SourceRev: rev}
	for _, p := range paths {
		rel := uint32(0)
		if path, ok := strings.CutPrefix(p, "nofollow "); ok {
			p, rel = path, relNofollow
		}
		l.Links = append(l.Links, &schema.Link{Path: p, Rel: rel})
	}
	return &taps.Record{Time: time.UnixMilli(1), Message: &schema.Discovered{Host: host, Body: &schema.Discovered_Links{Links: l}}}
}

func TestTheGraphHasTheNewestLinksOfEachPage(t *testing.T) {
	const a, b = "test.a:https/", "test.b:https/"
	first := encode(t, NewLinks(),
		says(a, 5, "test.b", ":https/"), says(a, 5, "test.a", ":https/x", ":https/x"), says(b, 1, "test.a", ":https/", "nofollow :https/n"))
	second := encode(t, NewLinks(), // another host's partition; the older version of a comes later
		says(a, 4, "test.c", ":https/old"), says(a, 5, "test.c", ":https/new"))
	from := directory(t)
	write(t, from, "day=2026-01-01/urls.discovered-p00000-e01-000000000000-000000000002.parquet", first)
	write(t, from, "day=2026-01-01/urls.discovered-p00001-e01-000000000000-000000000001.parquet", second)
	for _, test := range []struct {
		o          GraphOptions
		urls, text string
	}{
		{DefaultGraphOptions(), "https://a.test/ https://a.test/x https://b.test/ https://c.test/new", "4\n1 2 3\n\n0\n\n"},
		{GraphOptions{MaxNodes: 9, Nofollow: true}, "https://a.test/ https://a.test/n https://a.test/x https://b.test/ https://c.test/new", "5\n2 3 4\n\n\n0 1\n\n"},
		{GraphOptions{MaxNodes: 9, Hosts: true}, "a.test b.test c.test", "3\n0 1 2\n0\n\n"},
	} {
		to := directory(t)
		sum, err := Graph(t.Context(), from, to, test.o)
		if err != nil {
			t.Fatal(err)
		}
		urls, _ := to.Read(t.Context(), "graph.urls")
		text, _ := to.Read(t.Context(), "graph.graph-txt")
		if got := strings.Join(strings.Fields(string(urls)), " "); got != test.urls || string(text) != test.text {
			t.Errorf("%+v: nodes %s, want %s\ngraph %q, want %q", test.o, got, test.urls, text, test.text)
		}
		if sum.Files != 2 || sum.Rows != 7 {
			t.Errorf("%+v", sum)
		}
	}
	if _, err := Graph(t.Context(), from, directory(t), GraphOptions{MaxNodes: 2}); !errors.Is(err, errTooManyNodes) {
		t.Errorf("got %v", err)
	}
}
