package schedule

import (
	"context"
	"time"

	"millrace/schema"
	"millrace/streams/state"
)

// siteCounts remembers how many hosts a site has, for the sites that got a new
// host lately. Hosts that other partitions add in the meantime are not counted:
// the cap is kept approximately.
type siteCounts struct{ counts map[schema.Site]int }

const maxSiteCounts = 10_000

func (s *siteCounts) add(site schema.Site) {
	if n, ok := s.counts[site]; ok {
		s.counts[site] = n + 1
	}
}

// siteFull reports whether a site has as many hosts as it may.
func (t *task) siteFull(ctx context.Context, site schema.Site) (bool, error) {
	most := t.opts.HostsPerSite
	if most == 0 {
		return false, nil
	}
	if n, ok := t.sites.counts[site]; ok {
		return n >= most, nil
	}
	rows, err := t.batch.Slice(ctx, schema.SiteHost, state.Key{state.Str(string(site))}, nil, most)
	if err != nil {
		return false, err
	}
	if t.sites.counts == nil || len(t.sites.counts) >= maxSiteCounts {
		t.sites.counts = map[schema.Site]int{}
	}
	t.sites.counts[site] = len(rows)
	return len(rows) >= most, nil
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
