package schedule

import (
	"context"
	"sync"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/schema"
	"millrace/streams/state"
)

// admits reports whether a new URL fits into the budgets of its host. A URL of an operator always
// does. URLs that other sites name share half of the host's URLs; those sites are hashed into 16
// buckets, and each bucket may have a sixteenth of the host's URLs.
func admits(o *Options, row *schema.HostRow, from speaker, ts int64, index int32, first bool) bool {
	if o.URLsPerHost <= 0 {
		return true
	}
	strangers := from.origin == policy.Stranger
	bucket := row.Strangers[int(schema.Murmur2([]byte(from.site)))%hosts.StrangerBuckets]
	all := row.Strangers[hosts.StrangerBuckets]
	ok := from.origin == policy.Operator ||
		fits(hosts.URLs(row), o.URLsPerHost, &row.FullAt, &row.FullIndex, ts, index, first)
	if !ok || !strangers {
		return ok
	}
	if !fits(all.N, max(1, o.URLsPerHost/2), &all.FullAt, &all.FullIndex, ts, index, first) ||
		!fits(bucket.N, max(1, o.URLsPerHost/16), &bucket.FullAt, &bucket.FullIndex, ts, index, first) {
		return false
	}
	if first {
		all.N++
		bucket.N++
	}
	return true
}

// fits reports whether one more fits under a cap. fullAt and fullIndex are the record that found
// the budget full first, and the index of its first URL without room: a replay (first = false)
// decides by them as the first time.
func fits(n, most int64, fullAt *int64, fullIndex *int32, ts int64, index int32, first bool) bool {
	full := n >= most
	switch {
	case !first:
		return *fullAt == 0 || ts < *fullAt || ts == *fullAt && index < *fullIndex
	case !full:
		*fullAt = 0
	case *fullAt == 0:
		*fullAt, *fullIndex = ts, index
	}
	return !full
}

// siteCounts remembers the number of hosts of the sites that got a new host lately, for all
// partitions of this process. A number is read again after a second. So the cap is exceeded at most
// by what other processes add within a second and a round of writes, and by one host for each
// partition of this one. It is safe for concurrent use.
type siteCounts struct {
	mu     sync.Mutex
	counts map[schema.Site]siteCount
}

type siteCount struct {
	n     int
	read  int64 // ms
	added int64 // ms: when this process last added a host
}

const (
	maxSiteCounts = 10_000
	siteCountKeep = 1000   // ms
	siteAddedKeep = 10_000 // ms: by then what a partition staged is in the store
)

// of returns the number of hosts of a site; false: it must be read again.
func (s *siteCounts) of(site schema.Site, now int64) (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.counts[site]
	age := now - c.read
	return c.n, ok && age < siteCountKeep && age >= 0
}

// know notes how many hosts the store has of a site. Hosts that were added lately may not be among
// them yet.
func (s *siteCounts) know(site schema.Site, n int, now int64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts == nil || len(s.counts) >= maxSiteCounts {
		s.counts = map[schema.Site]siteCount{}
	}
	c := s.counts[site]
	if age := now - c.added; age < siteAddedKeep && age >= 0 {
		n = max(n, c.n)
	}
	s.counts[site] = siteCount{n, now, c.added}
	return n
}

// add counts a new host of a site, if the site's number is known.
func (s *siteCounts) add(site schema.Site, now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.counts[site]; ok {
		c.n++
		c.added = now
		s.counts[site] = c
	}
}

// siteFull reports whether a site has as many hosts as it may get from this origin: strangers may
// fill half of the cap, an operator is not limited. A site whose hosts repeat each other's texts
// gets no more (sites.repeats), and one that makes up hosts gets no more that its own pages name
// (sites.invents).
func (t *intake) siteFull(ctx context.Context, site schema.Site, from policy.Origin, now int64) (bool, error) {
	most := t.ledger.opts.HostsPerSite
	if from == policy.Operator || most == 0 && !t.ledger.opts.Traps {
		return false, nil
	}
	n, ok := t.group.sites.of(site, now)
	if !ok {
		rows, err := t.ledger.batch.Slice(ctx, schema.SiteHost, state.Key{state.Str(string(site))}, nil, max(most, judgedFrom))
		if err != nil {
			return false, err
		}
		n = t.group.sites.know(site, len(rows), now)
	}
	if t.ledger.opts.Traps && n >= judgedFrom {
		if err := t.ledger.lookAtSite(ctx, site); err != nil {
			return false, err
		}
		if t.ledger.sums.repeats(site) || from == policy.OwnSite && t.ledger.sums.invents(site) {
			return true, nil
		}
	}
	if most == 0 {
		return false, nil
	}
	if from == policy.Stranger {
		most = (most + 1) / 2
	}
	return n >= most, nil
}
