package rules

import (
	"slices"
	"strings"

	"millrace/schema"
)

// blocks holds what operators removed for ever: URLs, prefixes of URLs, sites.
type blocks struct {
	keys     map[string]*entry       // by row key
	prefixes map[schema.Host][]under // prefixes of paths, by host
	subtrees map[string]*entry       // prefixes of hosts that end at a label: "com.example."
	sites    map[schema.Site]*entry
}

// under is a blocked prefix of the paths of a host.
type under struct {
	path string
	*entry
}

func newBlocks() blocks {
	return blocks{map[string]*entry{}, map[schema.Host][]under{}, map[string]*entry{}, map[schema.Site]*entry{}}
}

func (b *blocks) put(m *schema.Block, e *entry) {
	switch t := m.Target.(type) {
	case *schema.Block_RowKey:
		b.keys[t.RowKey] = e
	case *schema.Block_Site:
		b.sites[schema.Site(t.Site)] = e
	case *schema.Block_Prefix:
		key := schema.RowKey(t.Prefix)
		if key.Path() == "" {
			b.subtrees[t.Prefix] = e
			return
		}
		b.prefixes[key.Host()] = append(b.prefixes[key.Host()], under{key.Path(), e})
	}
}

func (b *blocks) take(m *schema.Block, e *entry) {
	if t, ok := m.Target.(*schema.Block_Prefix); ok { // the others are replaced by put
		host := schema.RowKey(t.Prefix).Host()
		b.prefixes[host] = slices.DeleteFunc(b.prefixes[host], func(x under) bool { return x.entry == e })
	}
}

// find returns the identity of a block that keeps a URL out at a time; "" if none does.
func (b *blocks) find(q Query, at int64) string {
	if len(b.keys) > 0 {
		if e := b.keys[string(q.Host)+q.Path]; e != nil && e.holds(at) {
			return e.id
		}
	}
	if e := b.sites[q.Site]; e != nil && e.holds(at) {
		return e.id
	}
	for _, u := range b.prefixes[q.Host] {
		if strings.HasPrefix(q.Path, u.path) && u.holds(at) {
			return u.id
		}
	}
	for i := 0; len(b.subtrees) > 0 && i < len(q.Host); i++ {
		if q.Host[i] != '.' {
			continue
		}
		if e := b.subtrees[string(q.Host[:i+1])]; e != nil && e.holds(at) {
			return e.id
		}
	}
	return ""
}
