package truth

import (
	"slices"
	"strings"

	"millrace/ops/simweb/world"
)

// Doc is a unique document: a title and text of a site.
type Doc struct {
	URL      string       `json:"url"`     // the best of Stands
	Stands   []string     `json:"stands"`  // the URLs of which one must stand for it: which, depends on who was found first
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
	t.findAliases()
	clusters := map[textKey][]*Entry{}
	for _, e := range t.URLs {
		if e.hasDocument() && t.Aliases[e.URL] == "" {
			key := textKey{siteName(hostName(e.URL)), e.look.Text}
			clusters[key] = append(clusters[key], e)
		}
	}
	for key, members := range clusters {
		slices.SortFunc(members, func(a, b *Entry) int { return rank(a.URL, b.URL) })
		d := t.newDoc(key, members)
		t.Docs[d.URL] = d
	}
}

func (t *Truth) newDoc(key textKey, members []*Entry) *Doc {
	d := &Doc{Site: key.site, Text: key.text, PDF: members[0].look.PDF, Doubtful: true}
	for _, e := range members {
		d.Members = append(d.Members, e.URL)
		d.Doubtful = d.Doubtful && e.Doubtful
		if head := t.head(e, members); !slices.Contains(d.Stands, head) {
			d.Stands = append(d.Stands, head)
		}
	}
	slices.SortFunc(d.Stands, rank)
	d.URL = d.Stands[0]
	return d
}

// head is the page that stands if e was found first: the member that e names, if
// that names no other page, or else e.
func (t *Truth) head(e *Entry, members []*Entry) string {
	to := t.URLs[t.names(e)]
	if to != nil && slices.Contains(members, to) && t.names(to) == "" {
		return to.URL
	}
	return e.URL
}

// Differ compares the truth with the URLs that a crawl publishes: the documents for
// which none of their URLs stands, and the URLs that stand for nothing, or beside
// another one. Doubtful documents may be missing.
func (t *Truth) Differ(published []string) (missing []*Doc, extra []string) {
	live := map[string]bool{}
	for _, url := range published {
		live[url] = true
	}
	for _, d := range t.Docs {
		i := slices.IndexFunc(d.Stands, func(url string) bool { return live[url] })
		if i >= 0 {
			delete(live, d.Stands[i])
		} else if !d.Doubtful {
			missing = append(missing, d)
		}
	}
	for url := range live {
		extra = append(extra, url)
	}
	slices.SortFunc(missing, func(a, b *Doc) int { return strings.Compare(a.URL, b.URL) })
	slices.Sort(extra)
	return missing, extra
}

func (e *Entry) hasDocument() bool { return e != nil && e.Kind == Page && !e.look.NoIndex }

// names is the other URL of its site that a page names as canonical, whatever stands
// there; "" if it names none. The home page counts only for its other addresses.
func (t *Truth) names(e *Entry) string {
	if !e.hasDocument() || e.look.Canonical == "" {
		return ""
	}
	to := t.rules.canonical(e.look.Canonical)
	if to == e.URL || siteName(hostName(to)) != siteName(hostName(e.URL)) || path(to) == "/" && !isHome(path(e.URL)) {
		return ""
	}
	return to
}

// path is the path of a URL, without its query.
func path(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		rest, _, _ = strings.Cut(rest[i:], "?")
		return rest
	}
	return "/"
}

// isHome reports whether a home page stands at a path: /, /index.html, or the same of a language,
// such as /ru/.
func isHome(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if len(part) != 0 && len(part) != 2 && part != "index.html" {
			return false
		}
	}
	return true
}

// findAliases finds the pages that give way to the page that they name. It asks
// nothing but what these two pages say: the other one has a document of another text
// and names no third page. Of two that name each other the lesser rank stands.
func (t *Truth) findAliases() {
	for _, e := range t.URLs {
		to := t.URLs[t.names(e)]
		if !to.hasDocument() || to.look.Text == e.look.Text {
			continue
		}
		if back := t.names(to); back == "" || back == e.URL && rank(to.URL, e.URL) < 0 {
			t.Aliases[e.URL] = to.URL
		}
	}
}

// rank orders URLs: https, the shorter one, the lesser one in byte order.
func rank(a, b string) int {
	if sa, sb := strings.HasPrefix(a, "https:"), strings.HasPrefix(b, "https:"); sa != sb {
		if sa {
			return -1
		}
		return 1
	}
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
