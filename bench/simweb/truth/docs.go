package truth

import (
	"slices"
	"strings"

	"millrace/bench/simweb/world"
)

// Doc is a unique document: a title and text of a site.
type Doc struct {
	URL      string       `json:"url"`     // the one that should stand for it
	Members  []string     `json:"members"` // all URLs within reach that show it, best first
	Site     string       `json:"site"`
	Text     world.TextID `json:"-"`
	PDF      bool         `json:"pdf"`
	Doubtful bool         `json:"doubtful"` // only doubtful pages show it
}

type textKey struct {
	site string
	text world.TextID
}

// documents groups pages into documents.
func (t *Truth) documents() {
	clusters := map[textKey][]*Entry{}
	for _, e := range t.URLs {
		if e.Kind == Page && !e.look.NoIndex {
			key := textKey{siteName(hostName(e.URL)), e.look.Text}
			clusters[key] = append(clusters[key], e)
		}
	}
	named := t.namedByMembers()
	for _, members := range clusters {
		slices.SortFunc(members, func(a, b *Entry) int { return rank(named, a.URL, b.URL) })
	}
	t.findAliases(named)
	for key, members := range clusters {
		members = slices.DeleteFunc(members, func(e *Entry) bool { return t.Aliases[e.URL] != "" })
		if len(members) > 0 {
			t.publish(newDoc(key, members))
		}
	}
	slices.SortFunc(t.Soft404, func(a, b *Doc) int { return strings.Compare(a.URL, b.URL) })
}

func newDoc(key textKey, members []*Entry) *Doc {
	d := &Doc{URL: members[0].URL, Site: key.site, Text: key.text, PDF: members[0].look.PDF, Doubtful: true}
	for _, e := range members {
		d.Members = append(d.Members, e.URL)
		d.Doubtful = d.Doubtful && e.Doubtful
	}
	return d
}

func (t *Truth) publish(d *Doc) {
	if len(d.Members) > t.rules.MaxCluster {
		t.Soft404 = append(t.Soft404, d)
		return
	}
	t.Docs[d.URL] = d
}

// namedByMembers are the URLs that a page with the same text in the same site
// names as canonical.
func (t *Truth) namedByMembers() map[string]bool {
	named := map[string]bool{}
	for _, e := range t.URLs {
		to := t.canonicalOf(e)
		if to != nil && to.look.Text == e.look.Text {
			named[to.URL] = true
		}
	}
	return named
}

// canonicalOf is the live page of the same site that a page names, if any.
func (t *Truth) canonicalOf(e *Entry) *Entry {
	if e.Kind != Page || e.look.NoIndex || e.look.Canonical == "" {
		return nil
	}
	to := t.URLs[t.rules.canonical(e.look.Canonical)]
	if to == nil || to.Kind != Page || to.look.NoIndex || siteName(hostName(to.URL)) != siteName(hostName(e.URL)) {
		return nil
	}
	return to
}

// findAliases finds the pages that name a page with another text. A target that
// names a third page is no target; of two that name each other the lesser rank
// stands.
func (t *Truth) findAliases(named map[string]bool) {
	other := func(e *Entry) *Entry {
		if to := t.canonicalOf(e); to != nil && to.look.Text != e.look.Text {
			return to
		}
		return nil
	}
	for _, e := range t.URLs {
		to := other(e)
		if to == nil {
			continue
		}
		back := other(to)
		if back == nil || back == e && rank(named, to.URL, e.URL) < 0 {
			t.Aliases[e.URL] = to.URL
		}
	}
}

// rank orders the URLs of one document: who stands for it comes first.
func rank(named map[string]bool, a, b string) int {
	if named[a] != named[b] {
		return before(named[a])
	}
	if sa, sb := strings.HasPrefix(a, "https:"), strings.HasPrefix(b, "https:"); sa != sb {
		return before(sa)
	}
	if len(a) != len(b) {
		return before(len(a) < len(b))
	}
	return strings.Compare(a, b)
}

func before(first bool) int {
	if first {
		return -1
	}
	return 1
}
