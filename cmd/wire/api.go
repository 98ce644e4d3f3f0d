package wire

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"millrace/consumers/index/search"
	"millrace/consumers/schedule"
	"millrace/ops/provision"
	"millrace/producers/seeds"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// Search asks the index of this process.
func (s *System) Search(ctx context.Context, query string, from, size int) (*search.Result, error) {
	return s.groups.searcher.Search(ctx, search.Request{Query: query, Offset: from, Size: size})
}

// SeedURLs adds URLs to the crawl. A scope widens that of the crawl; "" leaves it
// as it is.
func (s *System) SeedURLs(ctx context.Context, urls []string, scope string) error {
	list := make([]seeds.Seed, 0, len(urls))
	for _, raw := range urls {
		seed, err := seeds.Parse(s.Canon, raw)
		if err != nil {
			return fmt.Errorf("%s: %w", raw, err)
		}
		list = append(list, seed)
	}
	mode, err := s.scopeFor(ctx, scope)
	if err != nil {
		return err
	}
	return s.seed(ctx, mode, list)
}

// scopeFor is the mode that a name asks for: "" is that of the crawl, or the
// configuration's where none has begun.
func (s *System) scopeFor(ctx context.Context, name string) (schema.ScopeRow_Mode, error) {
	if name != "" {
		return scopeMode(name), nil
	}
	row, err := provision.Scope(ctx, s.Store)
	if err != nil || len(row.Hosts) > 0 {
		return row.GetMode(), err
	}
	return scopeMode(s.Config.Scope), nil
}

// Recheck makes URLs due now, or with prefix everything known below them. It
// returns when schedule's topic has the requests.
func (s *System) Recheck(ctx context.Context, urls []string, prefix bool) error {
	var ms []*schema.Discovered
	for _, raw := range urls {
		m, err := s.recheck(raw, prefix)
		if err != nil {
			return err
		}
		ms = append(ms, m)
	}
	out, err := streams.NewProducer(ctx, s.Kafka, "recheck", topics.Discovered())
	if err != nil {
		return err
	}
	defer out.Close()
	return out.Send(ctx, ms...)
}

func (s *System) recheck(raw string, prefix bool) (*schema.Discovered, error) {
	u, err := s.Canon.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", raw, err)
	}
	r := &schema.Recheck{Reason: "operator"}
	key := string(u.RowKey())
	if prefix {
		if !strings.HasSuffix(raw, "/") {
			key = strings.TrimSuffix(key, "/")
		}
		r.Target = &schema.Recheck_Prefix{Prefix: key}
	} else {
		r.Target = &schema.Recheck_RowKey{RowKey: key}
	}
	return &schema.Discovered{
		Host: string(u.Host()), DiscoveredAt: time.Now().UnixMilli(),
		Body: &schema.Discovered_Recheck{Recheck: r},
	}, nil
}

// Frontier is what the frontier knows of a URL.
func (s *System) Frontier(ctx context.Context, url string) (schedule.Story, error) {
	return schedule.Explain(ctx, s.Store, s.Canon, s.scheduleOptions(), url)
}

// Shard is a shard of the index of this process.
type Shard struct {
	Docs   int64
	Digest uint64
}

// Shard returns where a shard of the index stands.
func (s *System) Shard(partition int32) Shard {
	for _, h := range s.groups.shards.Status() {
		if h.Partition == partition {
			d, _ := strconv.ParseUint(h.Digest, 16, 64)
			return Shard{h.Docs, d}
		}
	}
	return Shard{}
}
