package survey

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"millrace/consumers/schedule/freshness"
	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
)

// Effort bounds a survey. Rows and Time are checked between hosts, so they may be exceeded a
// little.
type Effort struct {
	Time  time.Duration // after which it ends with what it has
	Rows  int           // most rows of URLs that are read
	Host  int           // most rows of one host
	Sites int           // sites that are listed, those with the most documents
}

// DefaultEffort takes about a tenth of a second of processor time.
func DefaultEffort() Effort {
	return Effort{Time: 2 * time.Second, Rows: 30_000, Host: 8192, Sites: 20}
}

// Limits while reading.
const (
	chunk      = 512  // rows or hosts that are read at once
	mostSites  = 4096 // most sites that are counted separately
	curvePages = 1500 // pages for the estimate of budgets (Bought), at most,
	curveHost  = 48   // and of one host
)

// Freshness is how current the pages of a crawl, site or host are in the index: those with a
// document of their own, and those whose text is the same as that of one.
type Freshness struct {
	Pages     float64 // estimated number of pages
	Rows      int     // number of rows that were read
	Current   float64 // expected share that still says what it said at its last fetch
	Stale     float64 // expected days for which the last fetch has been out of date, mean
	Age       Ages    // time since the last fetch of the pages
	Intervals []Group // pages by their interval, shortest first
	Overdue   float64 // share whose re-crawl is late by more than half its interval and an hour
}

// Ages are percentiles, in seconds.
type Ages struct{ P50, P90, P99 float64 }

// Group is the number of pages that have an interval within a range.
type Group struct {
	Most  time.Duration // the interval is at most so long; 0 = any longer one, or never again
	Pages float64
}

// Bought is the share of the pages that is current in the long run, with half, one and two
// times the budget of re-crawls.
type Bought struct {
	Half, Now, Twice float64
}

// Survey is the Freshness of a crawl, and of its largest sites.
type Survey struct {
	At time.Time
	Freshness
	Whole  bool    // every host was read
	Budget *Bought // nil: there are no re-crawls
	Sites  []Site  // most pages first
}

// Site is the Freshness of a site.
type Site struct {
	Name string
	Freshness
}

// Of surveys a crawl. now is the time for which it is asked whether pages are current.
func Of(ctx context.Context, s state.Store, o policy.Options, now time.Time, e Effort) (Survey, error) {
	r := &reader{store: s, opts: o, effort: e, now: now.UnixMilli(), sites: map[string]*sample{}, ends: time.Now().Add(e.Time)}
	whole, err := r.shards(ctx)
	if err != nil {
		return Survey{}, err
	}
	out := Survey{At: now, Freshness: r.all.sum(), Whole: whole, Budget: r.bought()}
	for name, x := range r.sites {
		out.Sites = append(out.Sites, Site{name, x.sum()})
	}
	slices.SortFunc(out.Sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Name, b.Name))
	})
	out.Sites = out.Sites[:min(len(out.Sites), e.Sites)]
	return out, nil
}

// reader collects the sample.
type reader struct {
	store  state.Store
	opts   policy.Options
	effort Effort
	now    int64
	ends   time.Time
	rows   int // read

	all   sample
	sites map[string]*sample
	curve []curveOf
	drawn int // pages in curve
}

// curveOf are pages of one host for the estimate of budgets.
type curveOf struct {
	host  freshness.Host
	pages []freshness.Page
}

func (r *reader) over() bool { return r.rows >= r.effort.Rows || !time.Now().Before(r.ends) }

// shards reads the hosts of shards, spread as far as possible, until the effort is used up. It
// reports whether it read all.
func (r *reader) shards(ctx context.Context) (bool, error) {
	first := rand.IntN(schema.Shards)
	width := bits.Len(uint(schema.Shards - 1))
	shards := make([]state.Key, schema.Shards)
	for i := range shards {
		shards[i] = table.Shard((first + int(bits.Reverse32(uint32(i))>>(32-width))) % schema.Shards)
	}
	for x, err := range state.Scan(ctx, r.store, schema.HostTable, shards) {
		if err != nil {
			return false, fmt.Errorf("hosts: %w", err)
		}
		if r.over() {
			return false, nil
		}
		name, row, err := hosts.Decode(x)
		if err != nil {
			return false, err
		}
		if err := r.host(ctx, name, row); err != nil {
			return false, err
		}
	}
	return true, nil
}

// host reads rows of one host: of each tier up to eight buckets, spread evenly, the newest tier
// first, until Effort.Host rows are read. In all tiers but the first a hash chooses the bucket of a
// URL, so buckets are random samples.
func (r *reader) host(ctx context.Context, name schema.Host, row *schema.HostRow) error {
	fetched := row.Statuses[min(int(schema.UrlRow_FETCHED), len(row.Statuses)-1)]
	if fetched == 0 {
		return nil
	}
	own := &sample{}
	found, read := 0, 0
	for tier := len(row.TierUrls) - 1; tier >= 0 && read < r.effort.Host; tier-- {
		buckets := int64(1) << (4 * tier)
		at, step := rand.Int64N(buckets), max(1, buckets/8)
		for i := int64(0); i < buckets && read < r.effort.Host; i += step {
			f, n, err := r.bucket(ctx, name, row, table.Place{Tier: tier, Bucket: (at + i) % buckets}, own)
			if err != nil {
				return err
			}
			found, read = found+f, read+n
		}
	}
	if found == 0 || len(own.views) == 0 {
		return nil
	}
	r.take(name, row, own, float64(fetched)/float64(found))
	return nil
}

// bucket reads one bucket and adds its pages with a document to the sample. It returns how many
// rows are of fetched URLs, and how many were read.
func (r *reader) bucket(ctx context.Context, name schema.Host, row *schema.HostRow, at table.Place, own *sample) (fetched, read int, err error) {
	var from []state.Value
	for {
		rows, err := r.store.Slice(ctx, schema.URLTable, table.URLs(name, at), from, chunk)
		if err != nil {
			return 0, 0, fmt.Errorf("URLs of %s: %w", name, err)
		}
		for _, x := range rows {
			u, path := &schema.UrlRow{}, x.Key[3].Str()
			if err := u.UnmarshalVT(x.Cells[0].Bytes()); err != nil {
				return 0, 0, fmt.Errorf("url %s%s: %w", name, path, err)
			}
			if u.Status == schema.UrlRow_FETCHED {
				fetched++
			}
			if v, ok := r.opts.View(u, row, schema.JoinRowKey(name, path), r.now); ok {
				own.views = append(own.views, weighed{v, 1})
			}
			from = []state.Value{state.Str(path + "\x00")}
		}
		read, r.rows = read+len(rows), r.rows+len(rows)
		if len(rows) < chunk {
			return fetched, read, nil
		}
	}
}

// take adds a host's sample, in which each row stands for n pages.
func (r *reader) take(name schema.Host, row *schema.HostRow, own *sample, n float64) {
	site := r.sites[row.Site]
	if site == nil && r.sites != nil && len(r.sites) < mostSites {
		site = &sample{}
		r.sites[row.Site] = site
	}
	step := (len(own.views) + curveHost - 1) / curveHost
	c := curveOf{host: own.views[0].Host}
	for i := range own.views {
		v := own.views[i]
		v.n = n
		r.all.views = append(r.all.views, v)
		if site != nil {
			site.views = append(site.views, v)
		}
		if i%step == 0 {
			c.pages = append(c.pages, freshness.Page{Filter: v.Filter, N: n * float64(min(step, len(own.views)-i))})
		}
	}
	if v := own.views[0]; r.opts.Interval > 0 && v.Host.State.Pages > 0 && r.drawn+len(c.pages) <= curvePages {
		r.curve, r.drawn = append(r.curve, c), r.drawn+len(c.pages)
	}
}

// bought computes Bought for the hosts of the sample.
func (r *reader) bought() *Bought {
	if r.opts.Interval == 0 || len(r.curve) == 0 {
		return nil
	}
	b, all, l := &Bought{}, 0.0, r.opts.Limits()
	for _, c := range r.curve {
		n := 0.0
		for _, p := range c.pages {
			n += p.N
		}
		b.Half += n * c.host.Buys(l, c.pages, .5)
		b.Now += n * c.host.Buys(l, c.pages, 1)
		b.Twice += n * c.host.Buys(l, c.pages, 2)
		all += n
	}
	b.Half, b.Now, b.Twice = b.Half/all, b.Now/all, b.Twice/all
	return b
}
