package schedule

import (
	"context"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/schema"
	"millrace/streams/state"
)

// admits reports whether a new URL fits into the budgets of its host. An operator's
// always does. Other sites share a half of the host's URLs, and each of 16 buckets
// of sites may have a sixteenth of them.
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

// fits reports whether one more fits under a cap. On a replay the row knows which
// record filled the budget, and which of its URLs found no room first.
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

// siteCounts remembers how many hosts a site has, for the sites that got a new host
// lately. Each number is read again after a second, so that the cap is exceeded by
// no more than what the other partitions add within a second and a round.
type siteCounts struct{ counts map[schema.Site]siteCount }

type siteCount struct {
	n    int
	read int64 // ms
}

const (
	maxSiteCounts = 10_000
	siteCountKeep = 1000 // ms
)

func (s *siteCounts) add(site schema.Site) {
	if c, ok := s.counts[site]; ok {
		c.n++
		s.counts[site] = c
	}
}

// siteFull reports whether a site has as many hosts as it may get from a speaker:
// strangers fill half of its cap at most, an operator is not bound by it.
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
