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
	// scopeKeep is how long the row of the scope is used before it is read again. A process that
	// widens the scope waits twice as long before it appends seeds.
	scopeKeep = time.Second
	// scopeNames is how many hosts or sites each of the two maps of names holds.
	scopeNames = 64 << 10
	scopeRetry = 250 * time.Millisecond
)

// scope answers which hosts may be crawled. A name that is in scope stays in scope; one that is not
// is remembered until the scope changes. A new name costs the read of one row.
type scope struct {
	store state.Store
	log   *slog.Logger
	ctx   atomic.Pointer[context.Context] // context of Run, for reads

	asking sync.Mutex // held while the store is read: one read at a time

	mu    sync.Mutex
	row   *schema.ScopeRow // nil: not read yet
	read  time.Time
	names names
}

// names remembers whether names are in scope, in two maps: when now is full it becomes before, and
// the old before is dropped.
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

// forgetOut removes the names that are not in scope.
func (n *names) forgetOut() {
	for _, m := range []map[string]bool{n.now, n.before} {
		for name, in := range m {
			if !in {
				delete(m, name)
			}
		}
	}
}

// has reports whether a host is in scope. If the store does not answer it waits and asks again,
// until Run's context ends: a wrong "no" would lose the link.
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

// remembered answers from memory, if it can.
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

// name returns the name that decides: of the host, or of its site.
func (s *scope) name(host schema.Host, site schema.Site) string {
	if s.row.Mode == schema.ScopeRow_HOST {
		return host.Name()
	}
	return string(site)
}

// ask reads the scope again if it is due, then the row of the name if it is not remembered.
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

// refresh reads the row of the scope, if the last read is scopeKeep ago.
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

// forget makes the next refresh read the row again.
func (s *scope) forget() {
	s.mu.Lock()
	s.read = time.Time{}
	s.mu.Unlock()
}

// scopeMode returns the mode that a name in the configuration means.
func scopeMode(name string) schema.ScopeRow_Mode {
	switch name {
	case "host":
		return schema.ScopeRow_HOST
	case "any":
		return schema.ScopeRow_ANY
	}
	return schema.ScopeRow_SITE
}
