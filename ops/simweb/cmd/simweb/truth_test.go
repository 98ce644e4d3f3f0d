package main

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"millrace/ops/simweb"
	"millrace/ops/simweb/truth"
	"millrace/ops/simweb/world"
)

// universitySeed makes a small web whose first three hosts have, between them, all
// that the rules of a crawl tell apart.
const universitySeed = 96

// university serves the web of the tests, and builds it again.
func university(t *testing.T) (admin string, w *simweb.World) {
	t.Helper()
	opts := simweb.DefaultOptions()
	_, admin = start(t, "--profile", "university", "--hosts", "8", "--seed", strconv.Itoa(universitySeed), "--start", opts.Start.Format(time.RFC3339))
	p, err := simweb.Load("university")
	if err != nil {
		t.Fatal(err)
	}
	p.Hosts = 8
	if w, err = simweb.Build(p, universitySeed, opts); err != nil {
		t.Fatal(err)
	}
	return admin, w
}

// tell runs a command against a server and decodes what it prints.
func tell(t *testing.T, into any, args ...string) {
	t.Helper()
	var out strings.Builder
	if err := run(t.Context(), args, &out); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out.String()), into); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
}

// told is a truth as it is printed.
type told struct {
	At             time.Time
	Since          time.Time
	URLs           []json.RawMessage
	Docs           []json.RawMessage
	Aliases        map[string]string
	NearDuplicates []simweb.NearDuplicate `json:"near_duplicates"`
}

// The truth that is printed is the Go package's under the same rules, and the one
// the judge holds against a crawl. Every rule matters.
func TestTruthIsToldUnderTheRulesOfItsFlags(t *testing.T) {
	admin, w := university(t)
	seeds := w.Seeds(3, "")
	base, nearly := -1, 0
	for _, c := range []struct {
		flags string
		rule  func(*simweb.Rules)
	}{
		{"", func(*simweb.Rules) {}},
		{"--depth 1", func(r *simweb.Rules) { r.MaxDepth = 1 }},
		{"--hops 0", func(r *simweb.Rules) { r.MaxHops = 0 }},
		{"--scope host", func(r *simweb.Rules) {
			r.Scope = func(h string) bool {
				return slices.Contains([]string{"h0.site0.test", "h1.site0.test", "h2.site0.test"}, h)
			}
		}},
		{"--scope site", func(r *simweb.Rules) { r.Scope = func(h string) bool { return strings.HasSuffix(h, ".site0.test") } }},
		{"--feeds", func(r *simweb.Rules) { r.Feeds = true }},
		{"--sitemaps", func(r *simweb.Rules) { r.Sitemaps = true }},
		{"--alternates", func(r *simweb.Rules) { r.Alternates = true }},
		{"--robots=false", func(r *simweb.Rules) { r.Robots = false }},
		{"--agent otherbot", func(r *simweb.Rules) { r.Agent = "otherbot" }},
	} {
		flags := append([]string{"--admin", admin, "--seeds", "3", "--depth", "2"}, strings.Fields(c.flags)...)
		var got told
		tell(t, &got, append([]string{"truth"}, flags...)...)
		rules := simweb.DefaultRules(got.At, seeds...)
		rules.MaxDepth, rules.Since = 2, w.Start()
		c.rule(&rules)
		want, err := w.Truth(rules)
		if err != nil {
			t.Fatal(err)
		}
		sameList(t, c.flags+" urls", got.URLs, want.URLs)
		sameList(t, c.flags+" docs", got.Docs, want.Docs)
		if !maps.Equal(got.Aliases, want.Aliases) || !got.Since.Equal(w.Start()) {
			t.Errorf("%s: aliases %v, want %v", c.flags, got.Aliases, want.Aliases)
		}
		if near := w.NearDuplicates(want); !slices.Equal(got.NearDuplicates, near) {
			t.Errorf("%s: near-duplicates %v, want %v", c.flags, got.NearDuplicates, near)
		}
		nearly += len(got.NearDuplicates)
		fetch := due(want)
		if base < 0 {
			base = fetch
		} else if fetch == base {
			t.Errorf("%s: %d URLs to fetch as without: shows nothing", c.flags, fetch)
		}
		var report simweb.Report
		tell(t, &report, append([]string{"judge", "--json"}, flags...)...)
		if report.Coverage.Expected != fetch {
			t.Errorf("%s: the judge expects %d URLs, the truth has %d", c.flags, report.Coverage.Expected, fetch)
		}
	}
	if nearly == 0 {
		t.Error("no near-duplicate in any truth")
	}
}

// due counts what a crawl has to fetch.
func due(t *simweb.Truth) (n int) {
	for _, e := range t.URLs {
		if e.Kind != truth.Denied && e.Kind != truth.Trapped {
			n++
		}
	}
	return n
}

// sameList compares with a map's values in the order of its keys.
func sameList[V any](t *testing.T, what string, got []json.RawMessage, want map[string]V) {
	t.Helper()
	if len(got) != len(want) || len(got) == 0 {
		t.Errorf("%s: %d, want %d", what, len(got), len(want))
		return
	}
	for i, key := range slices.Sorted(maps.Keys(want)) {
		line, err := json.Marshal(want[key])
		if err != nil {
			t.Fatal(err)
		}
		if string(line) != string(got[i]) {
			t.Errorf("%s: %s, want %s", what, got[i], line)
			return
		}
	}
}

// A page is told as the Go package looks at it; that of a near-duplicate names
// the page it was made from.
func TestPagesAreTold(t *testing.T) {
	admin, w := university(t)
	seen, changed, near := map[truth.Kind]bool{}, 0, 0
	for i := range 60 {
		h := world.Host(i % 8)
		url := w.URL(world.Ref{Host: h, Form: w.Main(h), Page: world.ID(world.Tree, w.Pages(h)-1-uint64(i/8))}, "")
		var got pageReply
		tell(t, &got, "page", "--admin", admin, url)
		l, _ := w.Look(url, got.At)
		history := w.History(url, got.At)
		if got.Role != l.Role.String() || got.Status != l.Status || got.Location != l.Location || got.Text != l.Text ||
			got.Canonical != l.Canonical || got.NoIndex != l.NoIndex {
			t.Errorf("%s is %+v, told %+v", url, l, got)
		}
		if !got.Appears.Equal(history.Appears) || !got.Disappears.Equal(history.Disappears) || !slices.Equal(got.Changes, history.Changes) {
			t.Errorf("%s has history %v, told %v", url, history, got.History)
		}
		of, share, ok := w.NearDuplicate(url, got.At)
		if ok != (got.NearDuplicate != nil) || ok && *got.NearDuplicate != (simweb.NearDuplicate{URL: url, Of: of, Share: share}) {
			t.Errorf("%s is %v of %s, told %v", url, share, of, got.NearDuplicate)
		}
		seen[got.Kind] = true
		changed += len(got.Changes)
		if ok {
			near++
		}
	}
	if !seen[truth.Page] || !seen[truth.Redirect] || !seen[truth.Failed] || changed == 0 || near == 0 {
		t.Errorf("kinds %v, %d changes, %d near-duplicates: shows nothing", seen, changed, near)
	}
}

// All items up to now are told, so that a feed's are among them.
func TestItemsAreTold(t *testing.T) {
	admin, w := university(t)
	with := 0
	for h := range world.Host(8) {
		var got itemsReply
		tell(t, &got, "items", "--admin", admin, w.HostName(h))
		var want []itemReply
		for _, item := range w.Items(h, time.Unix(0, 0), got.At) {
			want = append(want, itemReply{w.URL(item.Ref, ""), item.At})
		}
		if !slices.Equal(got.Items, want) {
			t.Errorf("%s: %v, want %v", got.Host, got.Items, want)
		}
		inFeed, _ := w.Announced(w.URL(w.Home(h), ""), got.At)
		for _, url := range inFeed {
			if !slices.ContainsFunc(got.Items, func(i itemReply) bool { return i.URL == url }) {
				t.Errorf("%s is in a feed, not among the items", url)
			}
			with++
		}
	}
	if with == 0 {
		t.Error("no host has items: shows nothing")
	}
}

// Whoever asks wrongly is told so, by a 400 that names the mistake.
func TestWrongQuestionsAreRefused(t *testing.T) {
	_, admin := start(t, "--profile", "fast", "--hosts", "2")
	for _, c := range []struct{ route, query, want string }{
		{"truth", "", "no seeds"}, {"truth", "seeds=0", "not within 1..100000"}, {"truth", "seeds=100001", "not within 1..100000"},
		{"truth", "seeds=many", "seeds"}, {"truth", "seeds=1&feeds=maybe", "feeds"}, {"truth", "seeds=1&depth=-2", "depth"},
		{"truth", "seeds=1&hops=-2", "hops"}, {"truth", "seeds=1&scope=all", "scope"}, {"truth", "seeds=1&agent=", "agent"},
		{"truth", "seeds=1&dept=3", `no parameter "dept"`}, {"truth", "seeds=%zz", "%zz"},
		{"report", "delay=1", "delay"}, {"report", "seeds=-1", "not within 0..100000"}, {"report", "sitemaps=2", "sitemaps"},
		{"page", "", "not of a host"}, {"page", "url=" + url.QueryEscape("http://h2.site1.test/"), "not of a host"},
		{"page", "url=h0.site0.test", "not of a host"}, {"items", "", "not of this web"}, {"items", "host=example.org", "not of this web"},
	} {
		res, err := http.Get("http://" + admin + "/" + c.route + "?" + c.query)
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusBadRequest || !strings.Contains(string(said), c.want) {
			t.Errorf("%s?%s: %d %q %v", c.route, c.query, res.StatusCode, said, err)
		}
	}
	for _, args := range [][]string{
		{"truth"}, {"truth", "--seeds", "1", "more"}, {"page"}, {"page", "http://h0.site0.test/", "--depth", "1"},
		{"page", "http://example.org/"}, {"items"}, {"items", "example.org"}, {"judge", "--scope", "all"},
	} {
		if err := run(t.Context(), slices.Insert(slices.Clone(args), 1, "--admin", admin), io.Discard); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}
