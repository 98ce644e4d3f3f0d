package schedule

import (
	"math"
	"sync"

	"millrace/schema"
)

// pages counts the pages that this process fetched. With MaxPages it also knows those of the other
// processes, as they stand in the store, and shares what is left: until it reads them again a
// process fetches at most the part of it that its partitions are of all. And a site that had its
// share waits while another site below its share is active. It is safe for concurrent use.
type pages struct {
	most int64 // 0 = no bound

	mu     sync.Mutex
	tasks  map[*task]*taken // what each partition fetched and has in flight
	sites  map[string]*siteTake
	pages  int64
	flying int64
	other  elsewhere
	looked int64 // ms: when behind was last computed
	behind bool  // an active site is below its share
}

// elsewhere counts the pages that the other processes have fetched, as last read.
type elsewhere struct {
	pages int64
	part  float64 // this process's partitions, of all
	quota int64   // pages and flights that this process may have until it reads again
	known bool    // since this process got or lost a partition; else nothing may be sent
	read  int64   // ms: when it was last read, or began to be
}

// otherPagesKeep is how long (ms) the pages of other processes are not read again.
const otherPagesKeep = 2000

// share is how many more URLs this process may send; 0 or less: none now.
func (p *pages) share() int64 {
	if !p.other.known {
		return 0
	}
	return p.other.quota - p.pages - p.flying
}

// old reports whether the caller must read the pages of other processes again.
func (p *pages) old(now int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.most == 0 || p.other.known && now-p.other.read < otherPagesKeep && now >= p.other.read {
		return false
	}
	p.other.read = now
	return true
}

// know notes what the other processes have fetched; the zero value: that it is not known. Of what
// is left this process may fetch its part until it reads again, so that all together do not fetch
// more.
func (p *pages) know(x elsewhere) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := max(0, p.most-p.pages-x.pages)
	if x.part < 1 {
		rest = int64(math.Ceil(float64(rest) * x.part))
	}
	x.quota = p.pages + rest
	p.other = x
}

// taken counts the pages that the hosts of one partition have fetched, and their flights.
type taken struct {
	pages  int64
	flying map[string]int64 // by site
}

// siteTake counts the pages and flights of one site.
type siteTake struct {
	n      int64
	active int64 // ms: when a URL of it was last sent, answered or found
}

// quiet is how long (ms) a site below its share may be inactive before the other sites go on: its
// links may be on their way through fetch and extract for that long.
const quiet = 10_000

// grant says whether a URL may be sent to fetch.
type grant uint8

const (
	granted grant = iota
	notYet        // its site had its share, and a site below its share is active
	never         // MaxPages pages are fetched or in flight
)

func newPages(most int64) *pages {
	return &pages{most: most, tasks: map[*task]*taken{}, sites: map[string]*siteTake{}}
}

func (p *pages) of(t *task) *taken {
	x := p.tasks[t]
	if x == nil {
		x = &taken{flying: map[string]int64{}}
		p.tasks[t] = x
	}
	return x
}

func (p *pages) site(name string) *siteTake {
	s := p.sites[name]
	if s == nil {
		s = &siteTake{}
		p.sites[name] = s
	}
	return s
}

// reserve counts one more flight, if the limits allow it.
func (p *pages) reserve(t *task, site string, now int64) grant {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.most > 0 {
		if p.share() <= 0 {
			return never
		}
		s := p.site(site)
		if share := max(p.most/int64(len(p.sites)), 1); s.n >= share && p.anyBehind(share, now) {
			return notYet
		}
		s.n++
		s.active = now
	}
	p.fly(t, site)
	return granted
}

// resume counts a flight that an earlier owner of the partition began.
func (p *pages) resume(t *task, site string, now int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.most > 0 {
		s := p.site(site)
		s.n++
		s.active = now
	}
	p.fly(t, site)
}

func (p *pages) fly(t *task, site string) {
	p.flying++
	p.of(t).flying[p.name(site)]++
}

// name is the key under which a site's flights are counted. Without MaxPages there is one key for
// all sites.
func (p *pages) name(site string) string {
	if p.most == 0 {
		return ""
	}
	return site
}

// anyBehind reports whether an active site has less than its share. The answer is at most one
// second old.
func (p *pages) anyBehind(share, now int64) bool {
	if now-p.looked < 1000 && now >= p.looked {
		return p.behind
	}
	p.looked, p.behind = now, false
	for _, s := range p.sites {
		p.behind = p.behind || s.n < share && now-s.active < quiet && now >= s.active
	}
	return p.behind
}

// landed ends a flight; page says that it brought a page.
func (p *pages) landed(t *task, site string, page bool, now int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := p.of(t)
	p.flying--
	if page {
		p.pages++
		x.pages++
	}
	x.flying[p.name(site)]--
	if p.most == 0 {
		return
	}
	s := p.site(site)
	s.active = now
	if !page {
		s.n--
	}
}

// late counts a page whose flight was unknown.
func (p *pages) late(t *task, site string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages++
	p.of(t).pages++
	if p.most > 0 {
		p.site(site).n++
	}
}

// found notes that a site has new URLs.
func (p *pages) found(site string, now int64) {
	if p.most == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.site(site).active = now
}

// before adds the pages that a host's row counted before this task began to those of its site.
func (p *pages) before(row *schema.HostRow) {
	if p.most == 0 || row.Fetched == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.site(row.Site).n += row.Fetched
}

// correct replaces the number of pages of a partition by the one in its counts.
func (p *pages) correct(t *task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := p.of(t)
	n := t.ledger.counts.row.Pages
	p.pages += n - x.pages
	x.pages = n
}

// leave removes the pages and flights of a partition.
func (p *pages) leave(t *task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := p.tasks[t]
	if x == nil {
		return
	}
	delete(p.tasks, t)
	p.pages -= x.pages
	for site, n := range x.flying {
		p.flying -= n
		if s := p.sites[site]; s != nil {
			s.n -= n
		}
	}
}

// full reports whether MaxPages pages were fetched.
func (p *pages) full() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.most > 0 && p.pages+p.other.pages >= p.most
}

// left returns how many more URLs may be sent.
func (p *pages) left() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.most == 0 {
		return 1 << 40
	}
	return p.share()
}
