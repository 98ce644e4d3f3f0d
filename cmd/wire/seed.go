package wire

import (
	"context"
	"fmt"
	"slices"
	"time"

	"millrace/ops/provision"
	"millrace/producers/seeds"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// additions handles what users add to a crawl: seeds, and URLs to fetch again.
type additions struct {
	*opened
	*groups
	*cluster
}

// Seed widens the scope to the seeds' hosts or sites and appends the seeds.
func (s *additions) Seed(ctx context.Context, list []seeds.Seed) error {
	return s.seed(ctx, scopeMode(s.Config.Scope), list)
}

// SeedURLs adds URLs to the crawl. scope is the mode to which the crawl's scope is widened; ""
// keeps the mode.
func (s *additions) SeedURLs(ctx context.Context, urls []string, scope string) error {
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

// scopeFor returns the scope mode of a name; for "" that of the crawl, or the configured one if no
// crawl has begun.
func (s *additions) scopeFor(ctx context.Context, name string) (schema.ScopeRow_Mode, error) {
	if name != "" {
		return scopeMode(name), nil
	}
	row, err := provision.Scope(ctx, s.Store)
	if err != nil || row.Mode != schema.ScopeRow_UNSPECIFIED {
		return row.GetMode(), err
	}
	return scopeMode(s.Config.Scope), nil
}

func (s *additions) seed(ctx context.Context, mode schema.ScopeRow_Mode, list []seeds.Seed) error {
	urls := make([]schema.URL, 0, len(list))
	for _, seed := range list {
		urls = append(urls, seed.URL)
	}
	changed, err := provision.Widen(ctx, s.Store, mode, urls)
	if err != nil {
		return err
	}
	if s.scope.forget(); changed && !s.Config.Embedded() {
		select { // until no process uses the old scope
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * scopeKeep):
		}
	}
	out, err := streams.NewProducer(ctx, s.Kafka, "seeds", topics.Discovered())
	if err != nil {
		return err
	}
	defer out.Close()
	p := seeds.New(s.pace(ctx, out))
	for _, seed := range list {
		if err := p.Add(ctx, seed); err != nil {
			return err
		}
	}
	return p.Flush(ctx)
}

// pace makes seeds wait for schedule only if a process runs it. Seeds that are appended to a
// stopped crawl are read when it runs again.
func (s *additions) pace(ctx context.Context, out *streams.Producer[*schema.Discovered]) seeds.Sender {
	if s.runs(ctx, "schedule") {
		return out
	}
	return unread{out}
}

// unread is a producer to a topic that no process reads now.
type unread struct {
	*streams.Producer[*schema.Discovered]
}

// Wait implements seeds.Sender. It does not wait.
func (unread) Wait(context.Context) error { return nil }

// runs reports whether this process, or another one of the cluster, runs a group.
func (s *cluster) runs(ctx context.Context, group string) bool {
	if names := s.running.Load(); names != nil && slices.Contains(*names, group) {
		return true
	}
	if s.roster == nil {
		return false
	}
	return slices.ContainsFunc(s.roster.List(ctx), func(m *schema.MemberRow) bool { return slices.Contains(m.Groups, group) })
}

// Idler returns why an addition has no effect yet (no process runs schedule); "" if one does.
func (s *additions) Idler(ctx context.Context) string {
	switch {
	case s.runs(ctx, "schedule"):
		return ""
	case s.Config.Embedded():
		return "The crawl is stopped: this will be fetched when millrace run starts."
	}
	return "No process is in the group schedule: this will be fetched when one starts (millrace consume schedule)."
}
