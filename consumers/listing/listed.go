package listing

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"time"

	"millrace/schema"
)

// Says holds the statements of a document about when it changes and which hub tells of it.
type Says struct {
	Every     time.Duration // between two changes; 0 = not said
	SkipHours uint32        // bit h: not in that hour (UTC)
	SkipDays  uint32        // bit d: not on that day, 0 = Sunday
	Hub, Self string        // WebSub, as written
}

// Link takes over a link of the document itself: the first hub, and its own address.
func (s *Says) Link(rel, href string) {
	switch {
	case rel == "hub" && s.Hub == "":
		s.Hub = href
	case rel == "self" && s.Self == "":
		s.Self = href
	}
}

// compared is how many entries of a document are told to schedule.
const compared = 100

// longest is the longest span between two changes that a document may say.
const longest = 366 * 24 * time.Hour

// Listed is the list as schedule needs it to know when to ask for the document again:
// an entry is new if its URL is, or, in a sitemap, if its date is.
func (l *List) Listed(p *schema.Page, base schema.URL) *schema.Discovered {
	m := &schema.Listed{RowKey: p.RowKey, Rev: p.Rev, FetchedAt: p.FetchedAt,
		EveryMs: max(0, min(l.says.Every, longest)).Milliseconds(), SkipHours: l.says.SkipHours, SkipDays: l.says.SkipDays}
	header := saidByHeaders(p)
	m.Hub = cmp.Or(l.absolute(base, header.Hub), l.absolute(base, l.says.Hub))
	m.Self = cmp.Or(l.absolute(base, header.Self), l.absolute(base, l.says.Self))
	type entry struct {
		id uint32
		at int64
	}
	all := fnv.New64a()
	entries := make([]entry, len(l.items))
	for i, it := range l.items {
		id := fnv.New32a()
		id.Write([]byte(it.url.String()))
		at := max(it.Published, it.Lastmod)
		if p.Kind == schema.Kind_SITEMAP {
			id.Write(binary.BigEndian.AppendUint64(nil, uint64(it.Lastmod)))
		}
		entries[i] = entry{id.Sum32(), at}
		all.Write(id.Sum(nil))
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(b.at, a.at) })
	for _, e := range entries[:min(len(entries), compared)] {
		m.Ids, m.Times = append(m.Ids, e.id), append(m.Times, e.at)
	}
	m.Hash = all.Sum(nil)
	return &schema.Discovered{Host: string(schema.RowKey(p.RowKey).Host()), DiscoveredAt: p.FetchedAt,
		Body: &schema.Discovered_Listed{Listed: m}}
}

// absolute is an address that a document names; "" if it is none.
func (l *List) absolute(base schema.URL, ref string) string {
	if ref == "" {
		return ""
	}
	u, err := l.canon.Resolve(base, ref)
	if err != nil {
		return ""
	}
	return u.String()
}
