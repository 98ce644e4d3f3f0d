package dedupe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"millrace/schema"
)

// model is a second, simple implementation of what dedupe publishes, to compare with.
type model struct {
	maxMembers int
	records    int
	version    map[string][2]int64
	docs       map[string]*schema.Doc // of pages that have one
	down       map[string]bool        // taken down
	alias      map[string]bool        // published by its canonical; until its document comes again
	surplus    map[string]bool        // its cluster was full; until its document comes again
	text       map[string]string      // hash of the last document of a page
	since      map[string]int         // which record first gave the page this text
	ended      map[string]bool        // hashes of texts that were taken down
}

func newModel(maxMembers int64) *model {
	return &model{
		int(maxMembers), 0, map[string][2]int64{}, map[string]*schema.Doc{}, map[string]bool{}, map[string]bool{},
		map[string]bool{}, map[string]string{}, map[string]int{}, map[string]bool{},
	}
}

// apply applies one record to the model.
func (m *model) apply(x *schema.Extracted) {
	m.records++
	d, g := x.GetDoc(), x.GetGone()
	key, v := d.GetRowKey(), [2]int64{d.GetRev(), d.GetEdition()}
	if g != nil {
		key, v = g.RowKey, [2]int64{g.Rev, g.Edition}
	}
	old, known := m.version[key]
	if m.down[key] || known && slices.Compare(v[:], old[:]) <= 0 {
		return
	}
	was := m.docs[key]
	if m.alias[key] || m.surplus[key] {
		was = nil
	}
	m.version[key] = v
	delete(m.docs, key)
	delete(m.alias, key)
	delete(m.surplus, key)
	if m.down[key] = g.GetReason() == schema.Gone_TAKEDOWN; m.down[key] && m.text[key] != "" {
		m.ended[m.text[key]] = true
	}
	if d != nil {
		m.join(d, was, m.text[key] != "" && old[0] == v[0])
	}
	for other, o := range m.docs {
		if o.Canonical == key && m.isAlias(o) {
			m.alias[other] = true
		}
	}
	m.inherit()
}

// join gives a page its document. was is the document with which it was a member before.
func (m *model) join(d, was *schema.Doc, sameFetch bool) {
	key, hash := d.RowKey, string(d.TextHash)
	if m.text[key] != hash && !sameFetch {
		m.since[key] = m.records
	}
	m.text[key] = hash
	members := m.clusters(m.alias)[hash]
	m.docs[key] = d
	switch {
	case m.isAlias(d):
		m.alias[key] = true
	case was != nil && string(was.TextHash) == hash || len(members) < m.maxMembers:
	case m.names(m.first(members)) != key:
		m.surplus[key] = true
	}
}

// inherit gives the page that represents a cluster the age of the first member.
func (m *model) inherit() {
	for _, members := range m.clusters(m.alias) {
		first, stands := m.first(members), m.standing(members)
		m.since[stands.RowKey] = min(m.since[stands.RowKey], m.since[first.RowKey])
	}
}

func (m *model) first(members []*schema.Doc) *schema.Doc {
	return slices.MinFunc(members, func(a, b *schema.Doc) int {
		return cmp.Or(m.since[a.RowKey]-m.since[b.RowKey], strings.Compare(a.RowKey, b.RowKey))
	})
}

// standing returns the first member, or the one that it names if that names no other page.
func (m *model) standing(members []*schema.Doc) *schema.Doc {
	first := m.first(members)
	for _, d := range members {
		if d.RowKey == m.names(first) && m.names(d) == "" {
			return d
		}
	}
	return first
}

// names returns the other page of its site that a page names as canonical, or "".
func (m *model) names(d *schema.Doc) string {
	host, _, _ := strings.Cut(d.Canonical, ":")
	if d.Canonical == d.RowKey || d.Canonical == "" || host != "com.example" && !strings.HasPrefix(host, "com.example.") {
		return ""
	}
	return d.Canonical
}

func (m *model) isAlias(d *schema.Doc) bool {
	target := m.docs[m.names(d)]
	if target == nil || string(target.TextHash) == string(d.TextHash) || m.surplus[d.RowKey] || m.surplus[target.RowKey] {
		return false
	}
	switch third := m.names(target); third {
	case "":
		return true
	default:
		return third == d.RowKey && before(target.RowKey, d.RowKey)
	}
}

// clusters returns the members of each cluster, by text.
func (m *model) clusters(alias map[string]bool) map[string][]*schema.Doc {
	out := map[string][]*schema.Doc{}
	for _, key := range slices.Sorted(maps.Keys(m.docs)) {
		if d := m.docs[key]; !alias[key] && !m.surplus[key] {
			out[string(d.TextHash)] = append(out[string(d.TextHash)], d)
		}
	}
	return out
}

// published returns the documents that should be on docs.unique now.
func (m *model) published() map[string]*schema.Doc { return m.choose(m.alias) }

// pure returns the documents that should be published when all rechecks are answered: a function of
// the pages that have a document, and of which had their text first.
func (m *model) pure() map[string]*schema.Doc {
	alias := map[string]bool{}
	for key, d := range m.docs {
		alias[key] = m.isAlias(d)
	}
	return m.choose(alias)
}

func (m *model) choose(alias map[string]bool) map[string]*schema.Doc {
	out := map[string]*schema.Doc{}
	for text, members := range m.clusters(alias) {
		if d := m.standing(members); !m.ended[text] {
			out[d.RowKey] = d
		}
	}
	return out
}

// before orders pages: https first, then the shorter URL, then byte order.
func before(a, b string) bool {
	plain := func(k string) int { return strings.Count(k, ":http/") }
	size := func(k string) int { return len(schema.RowKey(k).URL()) }
	return cmp.Or(plain(a)-plain(b), size(a)-size(b), strings.Compare(a, b)) < 0
}

// differ compares published documents with those that should be, in everything that readers use.
func differ(got map[string]*schema.Unique, want map[string]*schema.Doc) error {
	for key, d := range want {
		u := got[key]
		if u == nil {
			return fmt.Errorf("%s is not published", key)
		}
		if contentHash(u.Doc) != contentHash(d) || string(u.ClusterHash) != string(d.TextHash) {
			return fmt.Errorf("%s is published as %v, want %v", key, u.Doc, d)
		}
	}
	for key := range got {
		if want[key] == nil {
			return fmt.Errorf("%s is published", key)
		}
	}
	return nil
}
