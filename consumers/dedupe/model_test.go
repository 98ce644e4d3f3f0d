package dedupe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"millrace/schema"
)

// model says once more, as plainly as possible, what is published.
type model struct {
	maxMembers int
	version    map[string][2]int64
	docs       map[string]*schema.Doc // of pages that have one
	down       map[string]bool        // taken down
	alias      map[string]bool        // published by its canonical; until its document comes again
	blocked    map[string]bool        // clusters
}

func newModel(maxMembers int64) *model {
	return &model{int(maxMembers), map[string][2]int64{}, map[string]*schema.Doc{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
}

// apply brings the model one record on.
func (m *model) apply(x *schema.Extracted) {
	d, g := x.GetDoc(), x.GetGone()
	key, v := d.GetRowKey(), [2]int64{d.GetRev(), d.GetEdition()}
	if g != nil {
		key, v = g.RowKey, [2]int64{g.Rev, g.Edition}
	}
	if old, known := m.version[key]; m.down[key] || known && slices.Compare(v[:], old[:]) <= 0 {
		return
	}
	m.version[key] = v
	delete(m.docs, key)
	delete(m.alias, key)
	if d != nil {
		m.docs[key] = d
	}
	m.down[key] = g.GetReason() == schema.Gone_TAKEDOWN
	m.settle(key)
}

func (m *model) settle(changed string) {
	for key, d := range m.docs {
		if m.isAlias(d) && (key == changed || d.Canonical == changed) {
			m.alias[key] = true
		}
	}
	size := map[string]int{}
	for c, members := range m.clusters(m.alias) {
		size[c] = len(members)
	}
	for c := range m.blocked {
		size[c] += 0
	}
	for c, n := range size {
		limit := m.maxMembers
		if m.blocked[c] {
			limit = limit * 9 / 10
		}
		if m.blocked[c] = n > limit; !m.blocked[c] {
			delete(m.blocked, c)
		}
	}
}

// names returns the other page of its site that a page names, or nil.
func (m *model) names(d *schema.Doc) string {
	host, _, _ := strings.Cut(d.Canonical, ":")
	if d.Canonical == d.RowKey || d.Canonical == "" || host != "com.example" && !strings.HasPrefix(host, "com.example.") {
		return ""
	}
	return d.Canonical
}

func (m *model) isAlias(d *schema.Doc) bool {
	target := m.docs[m.names(d)]
	if target == nil || string(target.TextHash) == string(d.TextHash) {
		return false
	}
	switch third := m.names(target); third {
	case "":
		return true
	default:
		return third == d.RowKey && before(target.RowKey, d.RowKey)
	}
}

// clusters returns the pages with each text that are no aliases.
func (m *model) clusters(alias map[string]bool) map[string][]*schema.Doc {
	out := map[string][]*schema.Doc{}
	for _, key := range slices.Sorted(maps.Keys(m.docs)) {
		if d := m.docs[key]; !alias[key] {
			out[string(d.TextHash)] = append(out[string(d.TextHash)], d)
		}
	}
	return out
}

// published is what stands on docs.unique now.
func (m *model) published() map[string]*schema.Doc { return m.choose(m.alias) }

// pure is what must stand when all rechecks are answered: a function of the pages
// that have a document and of nothing else (but for blocked clusters).
func (m *model) pure() map[string]*schema.Doc {
	alias := map[string]bool{}
	for key, d := range m.docs {
		alias[key] = m.isAlias(d)
	}
	return m.choose(alias)
}

func (m *model) choose(alias map[string]bool) map[string]*schema.Doc {
	out := map[string]*schema.Doc{}
	for c, members := range m.clusters(alias) {
		if m.blocked[c] {
			continue
		}
		named := map[string]bool{}
		for _, d := range members {
			if n := m.names(d); n != "" {
				named[n] = true
			}
			if d.Canonical == d.RowKey {
				named[d.RowKey] = true
			}
		}
		first := slices.MinFunc(members, func(a, b *schema.Doc) int {
			if named[a.RowKey] != named[b.RowKey] {
				return map[bool]int{true: -1, false: 1}[named[a.RowKey]]
			}
			return map[bool]int{true: -1, false: 1}[before(a.RowKey, b.RowKey)]
		})
		out[first.RowKey] = first
	}
	return out
}

// before orders pages: https, the shorter URL, bytes.
func before(a, b string) bool {
	plain := func(k string) int { return strings.Count(k, ":http/") }
	size := func(k string) int { return len(schema.RowKey(k).URL()) }
	return cmp.Or(plain(a)-plain(b), size(a)-size(b), strings.Compare(a, b)) < 0
}

// differ compares what stands with what should, by all that readers see.
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
