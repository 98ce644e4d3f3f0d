package listing

import (
	"errors"
	"strings"

	"millrace/schema"
)

// Reasons why something ends here, beside schema.URLReasons.
const (
	NotListing = "not_listing" // no feed or sitemap: an error page, mostly
	Encoding   = "encoding"    // a Content-Encoding or gzip that cannot be undone
	Foreign    = "foreign"     // a sitemap names a URL of another site
	OverCap    = "over_cap"    // one document lists more than it may
	Depth      = "depth"       // elements are nested too deep
)

// Reasons lists every reason of the package's own.
func Reasons() []string { return []string{NotListing, Encoding, Foreign, OverCap, Depth} }

// Entry is a URL as a document lists it.
type Entry struct {
	Ref       string // as written
	Kind      schema.Kind
	Lastmod   int64 // ms, 0 = unknown
	Published int64
}

// List gathers what one document lists, each URL once.
type List struct {
	canon *schema.Canonicalizer
	only  schema.Site
	most  int
	items []item
	seen  map[schema.URL]int
	drops map[string]int
	says  Says
}

type item struct {
	url schema.URL
	Entry
}

// NewList returns a list of at most most URLs.
func NewList(c *schema.Canonicalizer, most int) *List {
	return &List{canon: c, most: most, seen: map[schema.URL]int{}, drops: map[string]int{}}
}

// Only restricts the list to URLs of one site.
func (l *List) Only(s schema.Site) { l.only = s }

// Say takes over what the document says of itself.
func (l *List) Say(s Says) { l.says = s }

// Drop counts n things that are left out.
func (l *List) Drop(reason string, n int) { l.drops[reason] += n }

// Drops returns how many entries were left out, by reason.
func (l *List) Drops() map[string]int { return l.drops }

// Len is the number of URLs.
func (l *List) Len() int { return len(l.items) }

// Add takes a URL, resolved against base (the zero base: absolute ones only). It reports whether
// the list has room for more. A URL that is there already takes over the later dates.
func (l *List) Add(base schema.URL, e Entry) bool {
	u, err := l.canon.Resolve(base, strings.TrimSpace(e.Ref))
	if err != nil {
		l.Drop(reasonOf(err), 1)
		return true
	}
	if at, ok := l.seen[u]; ok {
		old := &l.items[at]
		old.Lastmod, old.Published = max(old.Lastmod, e.Lastmod), max(old.Published, e.Published)
		return true
	}
	if l.only != "" && u.Site() != l.only {
		l.Drop(Foreign, 1)
		return true
	}
	if len(l.items) == l.most {
		l.Drop(OverCap, 1)
		return false
	}
	l.seen[u] = len(l.items)
	l.items = append(l.items, item{u, e})
	return true
}

func reasonOf(err error) string {
	var refused *schema.URLError
	if errors.As(err, &refused) {
		return refused.Reason
	}
	return schema.ErrSyntax
}

// maxItems bounds the URLs of one record, and so how long schedule is busy with it: news that comes
// next in the partition waits for that long.
const maxItems = 100

// Records returns the list as records, in the order of the hosts' first URLs. All in them comes
// from the page, so that a repeat is the same, byte for byte.
func (l *List) Records(producer string, p *schema.Page) []*schema.Discovered {
	var out []*schema.Discovered
	byHost := map[string]*schema.Add{}
	for _, it := range l.items {
		host := it.url.Hostname()
		add := byHost[host]
		if add == nil || len(add.Items) == maxItems {
			add = &schema.Add{Producer: producer, FeedRowKey: p.RowKey}
			byHost[host] = add
			out = append(out, &schema.Discovered{
				Host: string(it.url.Host()), DiscoveredAt: p.FetchedAt, Body: &schema.Discovered_Add{Add: add},
			})
		}
		add.Items = append(add.Items, &schema.AddItem{
			Url: it.url.String(), Kind: it.Kind, Lastmod: it.Lastmod, PublishedAt: it.Published, Depth: depth(p, it.Kind),
		})
	}
	return out
}

// depth: a feed or sitemap is an appendix of the page that names it, not a step on the way, so its
// pages are as deep as it is; but none is a seed, as the sitemaps of robots.txt are. A sitemap that
// an index names is a step: so the limit of depth ends a chain of indexes too.
func depth(p *schema.Page, k schema.Kind) int32 {
	if k == schema.Kind_SITEMAP {
		return p.Depth + 1
	}
	return max(1, p.Depth)
}
