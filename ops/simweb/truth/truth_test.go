package truth

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"millrace/ops/simweb/world"
)

func TestRobotsRules(t *testing.T) {
	group := func(agent string, rules ...world.Rule) world.Group {
		return world.Group{Agents: []string{agent}, Rules: rules}
	}
	no, yes := func(p string) world.Rule { return world.Rule{Pattern: p} }, func(p string) world.Rule { return world.Rule{Allow: true, Pattern: p} }
	for _, c := range []struct {
		what   string
		status int
		groups []world.Group
		path   string
		want   bool
	}{
		{"no rules", 200, nil, "/x", true},
		{"prefix", 200, []world.Group{group("*", no("/a"))}, "/ab", false},
		{"other path", 200, []world.Group{group("*", no("/a"))}, "/b", true},
		{"longest match wins", 200, []world.Group{group("*", no("/a"), yes("/a/b"))}, "/a/b/c", true},
		{"allow wins a tie", 200, []world.Group{group("*", no("/a"), yes("/a"))}, "/a", true},
		{"star", 200, []world.Group{group("*", no("/*.pdf"))}, "/x/y.pdf?z", false},
		{"star and end", 200, []world.Group{group("*", no("/*.pdf$"))}, "/x/y.pdf?z", true},
		{"end matches the last occurrence", 200, []world.Group{group("*", no("/*.pdf$"))}, "/x.pdf/y.pdf", false},
		{"end without star", 200, []world.Group{group("*", no("/a$"))}, "/ab", true},
		{"query", 200, []world.Group{group("*", no("/*?sid="))}, "/x?sid=1", false},
		{"own group stands alone", 200, []world.Group{group("*", no("/")), group("Bot", no("/z"))}, "/x", true},
		{"groups are merged", 200, []world.Group{group("*", no("/a")), group("*", no("/b"))}, "/b", false},
		{"another's group", 200, []world.Group{group("otherbot", no("/"))}, "/x", true},
		{"404 allows", 404, nil, "/x", true}, {"403 allows", 403, nil, "/x", true}, {"loop allows", 302, nil, "/x", true},
		{"500 forbids", 500, nil, "/x", false}, {"429 forbids", 429, nil, "/x", false}, {"silence forbids", 0, nil, "/x", false},
	} {
		if got := Allowed(world.RobotsFile{Status: c.status, Groups: c.groups}, "bot", c.path); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

// web is a handful of pages by hand.
type web map[string]world.Look

func (w web) Look(url string, _ time.Time) (world.Look, bool) { l, ok := w[url]; return l, ok }
func (w web) RobotsFor(string, time.Time) world.RobotsFile    { return world.RobotsFile{Status: 404} }
func (w web) Announced(string, time.Time) ([]string, []string) {
	return nil, nil
}

func page(text uint64, canonical string, links ...string) world.Look {
	return world.Look{Status: 200, Text: world.TextID(text), Canonical: canonical, Links: links}
}

const (
	a, b, c = "http://x.s.test/a", "http://x.s.test/bb", "http://y.s.test/ccc"
	other   = "http://x.elsewhere.test/a"
	home    = "http://x.s.test/"
)

func compute(t *testing.T, w web, change func(*Rules)) *Truth {
	t.Helper()
	rules := DefaultRules(time.Unix(1, 0), slices.Sorted(maps.Keys(w))...)
	if change != nil {
		change(&rules)
	}
	tr, err := Compute(w, rules)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestWhoStandsForADocument(t *testing.T) {
	secure := "https://x.s.test/a-longer-one"
	for _, k := range []struct {
		what string
		web  web
		want []string // the URLs that may stand, a document each; those of one are joined by a space
	}{
		{"copies: the first one found", web{a: page(1, ""), b: page(1, "")}, []string{a + " " + b}},
		{"https is a copy too", web{a: page(1, ""), secure: page(1, "")}, []string{secure + " " + a}},
		{"each names itself", web{a: page(1, a), b: page(1, b)}, []string{a + " " + b}},
		{"named by its copy", web{a: page(1, ""), secure: page(1, a)}, []string{a}},
		{"copies name each other", web{a: page(1, b), b: page(1, a)}, []string{a + " " + b}},
		{"a chain of copies", web{a: page(1, b), b: page(1, c), c: page(1, "")}, []string{a + " " + c}},
		{"sites are apart", web{a: page(1, ""), other: page(1, "")}, []string{other, a}},
		{"alias", web{a: page(1, b), b: page(2, "")}, []string{b}},
		{"alias over hosts of a site", web{a: page(1, c), c: page(2, "")}, []string{c}},
		{"canonical to another site is ignored", web{a: page(1, other), other: page(2, "")}, []string{other, a}},
		{"canonical to the home page is ignored", web{c: page(3, home), home: page(2, "")}, []string{home, c}},
		{"another address of the home page", web{"http://y.s.test/": page(1, home), home + "index.html": page(3, home), home: page(2, "")}, []string{home}},
		{"mutual: the lesser rank stands", web{a: page(1, b), b: page(2, a)}, []string{a}},
		{"chain: the first stays", web{a: page(1, b), b: page(2, c), c: page(3, "")}, []string{a, c}},
		{"chain to a dead page", web{a: page(1, b), b: page(2, c), c: {Status: 404}}, []string{a, b}},
		{"chain to a copy", web{a: page(1, b), b: page(2, c), c: page(2, "")}, []string{a, c}},
		{"chain to another site", web{a: page(1, b), b: page(2, other), other: page(3, "")}, []string{other, b}},
		{"dead target", web{a: page(1, b), b: {Status: 404}}, []string{a}},
		{"noindex", web{a: page(1, ""), b: {Status: 200, Text: 2, NoIndex: true}}, []string{a}},
		{"noindex is no member", web{b: page(1, ""), a: {Status: 200, Text: 1, NoIndex: true}}, []string{b}},
	} {
		var got []string
		for _, d := range compute(t, k.web, nil).Docs {
			got = append(got, strings.Join(d.Stands, " "))
		}
		if slices.Sort(got); !slices.Equal(got, k.want) {
			t.Errorf("%s: %v, want %v", k.what, got, k.want)
		}
	}
}

func TestOneOfTheURLsThatMayStandMustStand(t *testing.T) {
	tr := compute(t, web{a: page(1, ""), b: page(1, ""), c: page(2, "")}, nil)
	for _, k := range []struct {
		published      []string
		missing, extra int
	}{
		{[]string{a, c}, 0, 0}, {[]string{b, c}, 0, 0}, {[]string{a, b, c}, 0, 1}, {[]string{c}, 1, 0}, {[]string{a, c, other}, 0, 1},
	} {
		if missing, extra := tr.Differ(k.published); len(missing) != k.missing || len(extra) != k.extra {
			t.Errorf("%v: missing %v, extra %v", k.published, missing, extra)
		}
	}
}

func TestReachUnderRules(t *testing.T) {
	hop := func(to string) world.Look { return world.Look{Status: 301, Location: to} }
	w := web{
		a: page(1, "", "http://x.s.test/r3", b), b: page(2, "", c), c: page(3, "", other), other: page(4, ""),
		"http://x.s.test/r3": hop("http://x.s.test/r2"), "http://x.s.test/r2": hop("http://x.s.test/r1"),
		"http://x.s.test/r1": hop("http://x.s.test/end"), "http://x.s.test/end": page(5, ""),
	}
	for _, k := range []struct {
		what string
		rule func(*Rules)
		want []string
	}{
		{"depth", func(r *Rules) { r.MaxDepth, r.MaxHops = 1, 0 }, []string{a, b, "http://x.s.test/r3"}},
		{"scope", func(r *Rules) { r.MaxHops, r.Scope = 0, func(h string) bool { return h == "x.s.test" } }, []string{a, b, "http://x.s.test/r3"}},
		{"hops", func(r *Rules) { r.MaxDepth, r.MaxHops = 1, 2 }, []string{a, b, "http://x.s.test/r1", "http://x.s.test/r2", "http://x.s.test/r3"}},
		{"more hops", func(r *Rules) { r.MaxDepth, r.MaxHops = 1, 3 }, []string{a, b, "http://x.s.test/end", "http://x.s.test/r1", "http://x.s.test/r2", "http://x.s.test/r3"}},
	} {
		tr := compute(t, w, func(r *Rules) { r.Seeds = []string{a}; k.rule(r) })
		if got := slices.Sorted(maps.Keys(tr.URLs)); !slices.Equal(got, k.want) {
			t.Errorf("%s: %v, want %v", k.what, got, k.want)
		}
	}
}
