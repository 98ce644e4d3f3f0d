package wire

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"millrace/ops/provision"
	"millrace/schema"
	"millrace/streams/state"
)

const (
	// scopeKeep is how long it is believed that the scope did not change. Whoever widens it waits
	// twice as long before appending seeds.
	scopeKeep = time.Second
	// scopeNames is how many hosts or sites are remembered, at most twice.
	scopeNames = 64 << 10
	scopeRetry = 250 * time.Millisecond
)

// scope answers which hosts may be crawled. What is in scope stays in scope; what is not is
// remembered until the scope changes. Another name costs one read of one row.
type scope struct {
	store state.Store
	log   *slog.Logger
	ctx   atomic.Pointer[context.Context] // of the groups that ask, while they run

	asking sync.Mutex // held while the store is read: one read at a time

	mu    sync.Mutex
	row   *schema.ScopeRow // nil = not read yet
	read  time.Time
	names names
}

// names remembers whether names are in scope: the latest ones, and some before them.
type names struct{ now, before map[string]bool }

func (n *names) get(name string) (in, known bool) {
	if in, known = n.now[name]; !known {
		if in, known = n.before[name]; known {
			n.put(name, in)
		}
	}
	return in, known
}

func (n *names) put(name string, in bool) {
	if len(n.now) >= scopeNames {
		n.now, n.before = nil, n.now
	}
	if n.now == nil {
		n.now = map[string]bool{}
	}
	n.now[name] = in
}

// forgetOut forgets the names that are not in scope.
func (n *names) forgetOut() {
	for _, m := range []map[string]bool{n.now, n.before} {
		for name, in := range m {
			if !in {
				delete(m, name)
			}
		}
	}
}

// has reports whether a host is in scope. If the store does not answer it waits: a link that is
// taken for one out of scope would be lost.
func (s *scope) has(host schema.Host, site schema.Site) bool {
	if in, known := s.remembered(host, site); known {
		return in
	}
	s.asking.Lock()
	defer s.asking.Unlock()
	ctx := context.Background()
	if c := s.ctx.Load(); c != nil {
		ctx = *c
	}
	for {
		in, err := s.ask(ctx, host, site)
		if err == nil || ctx.Err() != nil {
			return in
		}
		s.log.Warn("scope not read, trying again", "host", host, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(scopeRetry):
		}
	}
}

// remembered answers without the store, if it can.
func (s *scope) remembered(host schema.Host, site schema.Site) (in, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.row == nil {
		return false, false
	}
	if s.row.Mode == schema.ScopeRow_ANY {
		return true, true
	}
	in, known = s.names.get(s.name(host, site))
	return in, known && (in || time.Since(s.read) < scopeKeep)
}

// name is what decides about a host.
func (s *scope) name(host schema.Host, site schema.Site) string {
	if s.row.Mode == schema.ScopeRow_HOST {
		return host.Name()
	}
	return string(site)
}

// ask looks whether the scope changed, and then for the name.
func (s *scope) ask(ctx context.Context, host schema.Host, site schema.Site) (bool, error) {
	if err := s.refresh(ctx); err != nil {
		return false, err
	}
	if in, known := s.remembered(host, site); known {
		return in, nil
	}
	s.mu.Lock()
	row := s.row
	s.mu.Unlock()
	in, err := provision.InScope(ctx, s.store, row, host, site)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names.put(s.name(host, site), in)
	return in, nil
}

// refresh reads the row of the scope again, if it was not read a moment ago.
func (s *scope) refresh(ctx context.Context) error {
	s.mu.Lock()
	fresh := s.row != nil && time.Since(s.read) < scopeKeep
	s.mu.Unlock()
	if fresh {
		return nil
	}
	began := time.Now()
	row, err := provision.Scope(ctx, s.store)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.row == nil || s.row.Mode != row.Mode:
		s.names = names{}
	case s.row.Version != row.Version:
		s.names.forgetOut()
	}
	s.row, s.read = row, began
	return nil
}

// forget makes the next question look again.
func (s *scope) forget() {
	s.mu.Lock()
	s.read = time.Time{}
	s.mu.Unlock()
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
