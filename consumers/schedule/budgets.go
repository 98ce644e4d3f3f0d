package schedule

import (
	"context"

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

// siteCounts remembers the number of hosts of the sites that got a new host lately. A number is
// read again after a second. So the cap is exceeded at most by what the other partitions add within
// a second and a round of writes.
type siteCounts struct{ counts map[schema.Site]siteCount }

type siteCount struct {
	n    int
	read int64 // ms
}

const (
	maxSiteCounts = 10_000
	siteCountKeep = 1000 // ms
)

// add counts a new host of a site, if the site's number is known.
func (s *siteCounts) add(site schema.Site) {
	if c, ok := s.counts[site]; ok {
		c.n++
		s.counts[site] = c
	}
}

// siteFull reports whether a site has as many hosts as it may get from this origin: strangers may
// fill half of the cap, an operator is not limited.
func (t *intake) siteFull(ctx context.Context, site schema.Site, from policy.Origin, now int64) (bool, error) {
	most := t.ledger.opts.HostsPerSite
	if most == 0 || from == policy.Operator {
		return false, nil
	}
	c, ok := t.sites.counts[site]
	if age := now - c.read; !ok || age >= siteCountKeep || age < 0 {
		rows, err := t.ledger.batch.Slice(ctx, schema.SiteHost, state.Key{state.Str(string(site))}, nil, most)
		if err != nil {
			return false, err
		}
		if t.sites.counts == nil || len(t.sites.counts) >= maxSiteCounts {
			t.sites.counts = map[schema.Site]siteCount{}
		}
		c = siteCount{len(rows), now}
		t.sites.counts[site] = c
	}
	if from == policy.Stranger {
		most = (most + 1) / 2
	}
	return c.n >= most, nil
}
