package schedule

import (
	"context"
	"fmt"
	"math"
	"sync"

	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
)

// sites knows what the hosts of a site have together: what their rows said when they were last
// read, and what this process added since. The hosts of a site may be in any partitions. A process
// that has all partitions knows the numbers exactly; else they are behind by what the others added
// since the last reading. It is safe for concurrent use.
type sites struct {
	mu    sync.Mutex
	of    map[schema.Site]*siteSum
	mine  map[int32]bool // partitions of this process,
	count int32          // of so many
}

// siteSum is what is known of the hosts of one site.
type siteSum struct {
	hosts  int
	pages  int64            // that were fetched for the first time,
	others int64            // of them: by other processes
	limits map[string]int64 // URLs that limit rules of the site let in, by rule
	judged int64            // hosts that brought a text
	texts  map[uint32]int   // the first text of each, and how many had it
	names  roster           // who named the hosts

	read    int64 // ms: when the rows were last read, 0 = never
	added   int64 // ms: when this process last added something
	flights int64 // of this process, for pages that were never fetched
	quota   int64 // pages and flights that this process may have until it reads again
	last    sharing
}

// sharing is how what was left of a site's pages was last shared out.
type sharing struct {
	at     int64 // ms, 0 = never
	theirs int64 // what was left to the other processes
	others int64 // the pages that they had fetched by then
}

func newSiteSum() *siteSum {
	return &siteSum{limits: map[string]int64{}, texts: map[uint32]int{}, names: roster{madeUp: map[schema.Host]*madeUp{}}}
}

// text counts the first text of a host; 0: it has none.
func (x *siteSum) text(f uint32) {
	if f != 0 {
		x.judged++
		x.texts[f]++
	}
}

const (
	maxSites     = 100_000
	siteKeep     = 2000   // ms for which the rows of a site's hosts are not read again where others add to them,
	siteKeepHost = 20     // and ms more for each host
	mostSiteRows = 10_000 // hosts of a site that are read; others do not count
)

// get returns what is known of a site. If too many are known, all but those with flights are
// forgotten.
func (s *sites) get(site schema.Site) *siteSum {
	if s.of == nil || len(s.of) >= maxSites && s.of[site] == nil {
		s.drop()
	}
	x := s.of[site]
	if x == nil {
		x = newSiteSum()
		s.of[site] = x
	}
	return x
}

// drop forgets all that was read.
func (s *sites) drop() {
	kept := map[schema.Site]*siteSum{}
	for site, x := range s.of {
		if x.flights > 0 {
			kept[site] = newSiteSum()
			kept[site].flights = x.flights
		}
	}
	s.of = kept
}

// owns notes which of so many partitions this process has. What was read before is forgotten: the
// former owners may have added to it.
func (s *sites) owns(mine map[int32]bool, count int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mine, s.count = mine, count
	s.drop()
}

// alone reports whether this process has all partitions.
func (s *sites) alone() bool { return len(s.mine) >= int(s.count) }

// isOwn reports whether a host is in a partition of this process.
func (s *sites) isOwn(h schema.Host) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mine[schema.Partition(string(h), s.count)]
}

// old reports whether the rows of a site's hosts must be read before anything is asked of the site.
func (s *sites) old(site schema.Site, now int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.of[site]
	if x == nil || x.read == 0 {
		return true
	}
	age := now - x.read
	return !s.alone() && (age >= siteKeep+siteKeepHost*int64(x.hosts) || age < 0)
}

// know notes what the rows of a site's hosts say, with the most pages that the site may have (0:
// any number). What was added lately may not be in the store yet.
func (s *sites) know(site schema.Site, y *siteSum, most, now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.get(site)
	if age := now - x.added; x.read > 0 && age < siteAddedKeep && age >= 0 {
		y.pages = max(y.pages, x.pages)
		for rule, n := range x.limits {
			y.limits[rule] = max(y.limits[rule], n)
		}
	}
	y.read, y.added, y.flights = now, x.added, x.flights
	y.names.sent, y.names.sentAt = x.names.sent, x.names.sentAt
	s.share(x, y, most, now)
	s.of[site] = y
}

// share sets the quota of a site that was read: x is what was known before. The pages that are left
// are shared out by the number of partitions that each process has. The flights of others are not
// known, so what was left to them counts as used until their pages are counted, or for as long as
// fetch keeps a URL; then what is left is shared out again.
func (s *sites) share(x, y *siteSum, most, now int64) {
	rest := max(0, most-y.pages-y.flights)
	age := now - x.last.at
	switch {
	case s.alone():
	case x.last.at > 0 && age < hold.Milliseconds() && age >= 0:
		y.last = x.last
		rest = max(0, rest-max(0, y.last.theirs-(y.others-y.last.others)))
	default:
		all := rest
		rest = int64(math.Ceil(float64(all) * float64(len(s.mine)) / float64(s.count)))
		y.last = sharing{now, all - rest, y.others}
	}
	y.quota = y.pages + y.flights + rest
}

// pages returns how many pages of a site were fetched for the first time.
func (s *sites) pages(site schema.Site) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(site).pages
}

// take counts one more flight of a page that was never fetched; false: the site has as many pages
// and flights as this process may send now.
func (s *sites) take(site schema.Site) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.get(site)
	if x.pages+x.flights >= x.quota {
		return false
	}
	x.flights++
	return true
}

// fly adds d to the flights of a site for pages that were never fetched.
func (s *sites) fly(site schema.Site, d int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.get(site)
	x.flights = max(0, x.flights+d)
}

// addPage counts a page that was fetched for the first time.
func (s *sites) addPage(site schema.Site, now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.of[site]; x != nil && x.read > 0 {
		x.pages++
		x.added = now
	}
}

// limited returns how many URLs a limit rule of a site let in.
func (s *sites) limited(site schema.Site, rule string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.get(site).limits[rule]
}

// addLimited counts a URL that a limit rule of a site let in.
func (s *sites) addLimited(site schema.Site, rule string, now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.of[site]; x != nil && x.read > 0 {
		x.limits[rule]++
		x.added = now
	}
}

// addText counts the first text of a host.
func (s *sites) addText(site schema.Site, h schema.Host, f uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.of[site]
	if x == nil || x.read == 0 {
		return
	}
	x.text(f)
	if m := x.names.madeUp[h]; m != nil {
		m.text = f
	}
}

// The budget of a site for its hosts: each that brought a text costs one, and a text that no other
// host of the site had first earns ten. It is asked when the site has so many hosts.
const (
	hostsBudget  = 40
	perFirstText = 10
	judgedFrom   = 50
)

// repeats reports whether the hosts of a site repeat each other's texts, so that its budget is used
// up: names that the site makes up without end, with the same pages behind all of them.
func (s *sites) repeats(site schema.Site) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.of[site]
	return x != nil && x.judged > hostsBudget+perFirstText*int64(len(x.texts))
}

// lookAtSite reads the rows of all hosts of a site, if what is known of them is too old.
func (l *ledger) lookAtSite(ctx context.Context, site schema.Site) error {
	if !l.sums.old(site, l.now) {
		return nil
	}
	sum, namers := newSiteSum(), map[schema.Host]bool{}
	rows, err := l.batch.Slice(ctx, schema.SiteHost, state.Key{state.Str(string(site))}, nil, mostSiteRows)
	if err != nil {
		return fmt.Errorf("hosts of %s: %w", site, err)
	}
	for _, r := range rows {
		name := schema.Host(r.Key[1].Str())
		row := l.hosts.Peek(name)
		if row == nil {
			row = &schema.HostRow{}
			if _, err := table.Read(ctx, l.batch, schema.HostTable, table.Host(name), row); err != nil {
				return fmt.Errorf("host %s: %w", name, err)
			}
		}
		sum.hosts++
		sum.names.add(name, row)
		namers[schema.Host(row.NamedBy)] = true
		sum.pages += row.FirstPages
		if !l.sums.isOwn(name) {
			sum.others += row.FirstPages
		}
		for _, x := range row.Limits {
			sum.limits[x.Rule] += x.Budget.GetN()
		}
		sum.text(row.FirstText)
	}
	for by := range namers {
		sum.names.lead(by)
	}
	l.sums.know(site, sum, l.opts.PagesPerSite, l.now)
	return nil
}

// takesPlace reports whether a fetch of a URL takes one of the PagesPerSite places of its site.
func (e *emission) takesPlace(u *url) bool {
	return e.ledger.opts.PagesPerSite > 0 && u != nil && countsAsPage(u)
}
