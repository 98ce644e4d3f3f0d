package schedule

import (
	"strings"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/patterns"
	"millrace/consumers/schedule/policy"
	"millrace/schema"
)

// Conditions under which a host that nobody named is asked for, to see whether a site answers for
// any name.
const (
	guessJudged = 16 // hosts of the site that brought a text
	guessOthers = 10 // at most one host in so many was named by others than pages of the site
	hostGuesses = 3  // made-up hosts with a text of their own that name new hosts show that the site makes them up
	guessRest   = 10 // after one without, the next is made up when there are so many times as many hosts
	mostGuesses = 12 // of a site

	// guessWait is how long (ms) the hosts of a site that have no page wait for a made-up one.
	guessWait = 60_000
)

// roster is who named the hosts of a site.
type roster struct {
	hosts  int // made-up ones left out
	own    int // of these, first named by a page of the site
	madeUp map[schema.Host]*madeUp
	sent   int   // made-up ones that this process sent,
	sentAt int64 // ms: the last one
}

// madeUp is a host that nobody named.
type madeUp struct {
	at    int64  // ms: when it became known
	text  uint32 // the first text of its own; 0 = none
	leads bool   // its page named a new host of the site
	over  bool   // it is not there, or leads elsewhere
}

// add notes a host of the site.
func (r *roster) add(name schema.Host, row *schema.HostRow) {
	if row.MadeUp {
		r.madeUp[name] = &madeUp{at: row.FirstSeen, text: row.FirstText, over: isOver(row)}
		return
	}
	r.hosts++
	if row.NamedBy == "" {
		return
	}
	r.own++
	r.lead(schema.Host(row.NamedBy))
}

// lead notes that a page of a host named a new host.
func (r *roster) lead(by schema.Host) {
	if m := r.madeUp[by]; m != nil {
		m.leads = true
	}
}

// isOver reports whether the page of a made-up host came to an end without a text.
func isOver(row *schema.HostRow) bool {
	for status, n := range row.Statuses {
		if s := schema.UrlRow_Status(status); n > 0 && s != schema.UrlRow_QUEUED && s != schema.UrlRow_FETCHED {
			return true
		}
	}
	return false
}

// found counts the made-up hosts that have a text which no other host of the site has, and that
// name new hosts; and those that are still awaited.
func (x *siteSum) found(now int64) (found, awaited int) {
	for _, m := range x.names.madeUp {
		switch {
		case m.text != 0 && x.texts[m.text] == 1 && m.leads:
			found++
		case !m.over && x.texts[m.text] <= 1 && now-m.at < guessWait:
			awaited++
		}
	}
	return found, awaited
}

// makesUp reports whether a site answers for any name with a page of its own.
func (x *siteSum) makesUp() bool {
	found, _ := x.found(0)
	return found >= hostGuesses && found >= hostGuesses*(len(x.names.madeUp)-found)
}

// wonders reports whether one more host of a site is to be made up.
func (x *siteSum) wonders(now int64) bool {
	r := &x.names
	found, awaited := x.found(now)
	if awaited > 0 || x.judged < guessJudged || guessOthers*r.own < (guessOthers-1)*r.hosts ||
		len(r.madeUp) >= mostGuesses || r.sent > len(r.madeUp) && now-r.sentAt < guessWait || x.makesUp() {
		return false
	}
	least := judgedFrom
	for range len(r.madeUp) - found {
		least *= guessRest
	}
	return r.hosts >= least
}

// invents reports whether a site answers for any name.
func (s *sites) invents(site schema.Site) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.of[site]
	return x != nil && x.makesUp()
}

// leavesOut reports whether a host without a page is left out: the hosts of its site repeat each
// other, or the site makes them up and its own pages named this one.
func (s *sites) leavesOut(site schema.Site, row *schema.HostRow) bool {
	return s.repeats(site) || row.NamedBy != "" && s.invents(site)
}

// addHost notes a new host of a site; true: a host is to be made up.
func (s *sites) addHost(site schema.Site, name schema.Host, row *schema.HostRow, now int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.of[site]
	if x == nil || x.read == 0 {
		return false
	}
	x.names.add(name, row)
	if row.MadeUp || !x.wonders(now) {
		return false
	}
	x.names.sent, x.names.sentAt = len(x.names.madeUp)+1, now
	return true
}

// lead notes that a page of a host names a new host of the site, whether there is room for it or
// not.
func (s *sites) lead(site schema.Site, by schema.Host) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.of[site]; x != nil {
		x.names.lead(by)
	}
}

// guessOver notes that a made-up host is not there.
func (s *sites) guessOver(site schema.Site, name schema.Host) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.of[site]; x != nil && x.names.madeUp[name] != nil {
		x.names.madeUp[name].over = true
	}
}

// awaitsGuess reports whether a made-up host of a site is awaited.
func (s *sites) awaitsGuess(site schema.Site, now int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.of[site]
	if x == nil || len(x.names.madeUp) == 0 {
		return false
	}
	_, awaited := x.found(now)
	return awaited > 0
}

// awaitsHosts reports whether the first page of a host that the pages of its site named waits until
// it is known whether the site makes up hosts.
func (l *ledger) awaitsHosts(h *hosts.Host, u *url) bool {
	return l.opts.Traps && h.Row.FirstPages == 0 && h.Row.NamedBy != "" && countsAsPage(u) &&
		l.sums.awaitsGuess(schema.Site(h.Row.Site), l.now)
}

// namedBy returns the host of the same site whose page named a new host; "" if somebody else did.
func namedBy(h *hosts.Host, from speaker) string {
	by := schema.RowKey(from.page).Host()
	if from.origin != policy.OwnSite || from.madeUp || by == h.Name {
		return ""
	}
	return string(by)
}

// guessHost notes a new host and, if it is to be known whether its site answers for any name, sends
// a page of a host that nobody named to the partition of that host.
func (l *ledger) guessHost(in input, h *hosts.Host, c candidate) {
	site := schema.Site(h.Row.Site)
	if !l.opts.Traps || !l.sums.addHost(site, h.Name, h.Row, l.now) {
		return
	}
	name := patterns.InventHost(h.Name, site)
	if name == "" {
		return
	}
	scheme, _, _ := strings.Cut(c.path, "/")
	class := int32(policy.ClassNow) // the others wait for it
	l.out.discovered.Send(&schema.Discovered{Host: string(name), DiscoveredAt: in.at, Rewritten: 1,
		Body: &schema.Discovered_Add{Add: &schema.Add{Producer: producerGuess, Items: []*schema.AddItem{{
			Url: schema.JoinRowKey(name, scheme+"/").URL(), Kind: schema.Kind_PAGE, Depth: c.depth, ClassHint: &class}}}}})
}
