package wire

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"millrace/ops/provision"
	"millrace/schema"
	"millrace/streams/state"
)

// scopeKeep is how long a scope that was read is believed when a host is not in
// it. Whoever widens the scope waits as long before appending seeds.
const scopeKeep = time.Second

// scope answers which hosts may be crawled, from the row that all processes share.
type scope struct {
	store state.Store
	log   *slog.Logger

	mu   sync.Mutex
	row  *schema.ScopeRow
	read time.Time
}

// has reports whether a host is in scope. A host that is not makes it look again,
// at most once per scopeKeep: seeds may have been added.
func (s *scope) has(host schema.Host, site schema.Site) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.row != nil && inScope(s.row, host, site) {
		return true
	}
	if time.Since(s.read) < scopeKeep {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	row, err := provision.Scope(ctx, s.store)
	if err != nil {
		s.log.Warn("scope not read, the last one stands", "error", err)
		return false
	}
	s.row, s.read = row, time.Now()
	return inScope(row, host, site)
}

// forget makes the next question look again.
func (s *scope) forget() {
	s.mu.Lock()
	s.read = time.Time{}
	s.mu.Unlock()
}

func inScope(row *schema.ScopeRow, host schema.Host, site schema.Site) bool {
	switch row.Mode {
	case schema.ScopeRow_ANY:
		return true
	case schema.ScopeRow_HOST:
		_, ok := slices.BinarySearch(row.Hosts, host.Name())
		return ok
	}
	_, ok := slices.BinarySearch(row.Sites, string(site))
	return ok
}

// scopeMode is the mode's name in the configuration.
func scopeMode(name string) schema.ScopeRow_Mode {
	switch name {
	case "host":
		return schema.ScopeRow_HOST
	case "any":
		return schema.ScopeRow_ANY
	}
	return schema.ScopeRow_SITE
}
