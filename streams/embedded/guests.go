package embedded

import (
	"net"
	"slices"
	"sync"
)

// guests are the connections of a Door. Connections before their login have a limit of their own,
// so that clients without a password cannot keep out readers with one: when the limit is reached,
// the oldest connection that has not logged in is closed. A login takes some milliseconds.
type guests struct {
	mu        sync.Mutex
	strangers []net.Conn            // before their login, oldest first
	readers   map[net.Conn]struct{} // after it
	groups    map[string]struct{}   // that readers use
	closed    bool
}

// The limits of a Door's connections and groups.
const (
	maxReaders   = 128 // connections that have logged in
	maxStrangers = 64  // and that have not
	maxGroups    = 256 // that readers use in the life of a process
	allFetches   = 64 << 20
	leastFetch   = 1 << 20
)

func newGuests() *guests {
	return &guests{readers: map[net.Conn]struct{}{}, groups: map[string]struct{}{}}
}

// come adds a connection that has not logged in; false if the Door is closed.
func (g *guests) come(conn net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	if len(g.strangers) == maxStrangers {
		_ = g.strangers[0].Close()
		g.strangers = slices.Delete(g.strangers, 0, 1)
	}
	g.strangers = append(g.strangers, conn)
	return true
}

// login moves a connection to those that have logged in; false if there are maxReaders already, or
// the Door is closed.
func (g *guests) login(conn net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || len(g.readers) == maxReaders {
		return false
	}
	g.forget(conn)
	g.readers[conn] = struct{}{}
	return true
}

func (g *guests) leave(conn net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forget(conn)
	delete(g.readers, conn)
}

func (g *guests) forget(conn net.Conn) {
	if i := slices.Index(g.strangers, conn); i >= 0 {
		g.strangers = slices.Delete(g.strangers, i, i+1)
	}
}

// close closes all connections and accepts no more.
func (g *guests) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for _, c := range g.strangers {
		_ = c.Close()
	}
	for c := range g.readers {
		_ = c.Close()
	}
}

// fetch returns how many bytes of records a reader may ask for at once: allFetches shared among the
// readers, within leastFetch and maxFetch, so that memory hardly grows with their number.
func (g *guests) fetch() int32 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return int32(min(maxFetch, max(leastFetch, allFetches/max(1, len(g.readers)))))
}

// mayKeep reports whether readers may use this group, and adds it to theirs. They may use maxGroups
// groups.
func (g *guests) mayKeep(group string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.groups[group]; ok {
		return true
	}
	if len(g.groups) == maxGroups {
		return false
	}
	g.groups[group] = struct{}{}
	return true
}
