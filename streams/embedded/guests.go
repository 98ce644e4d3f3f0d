package embedded

import (
	"net"
	"slices"
	"sync"
)

// guests are the connections of a door. Those that have not logged in have places of their own, so
// that whoever has no password keeps nobody out who has: when these places are taken, the
// connection that has waited longest for its login ends. A login takes some milliseconds.
type guests struct {
	mu        sync.Mutex
	strangers []net.Conn            // before their login, oldest first
	readers   map[net.Conn]struct{} // after it
	groups    map[string]struct{}   // that readers made
	closed    bool
}

// What a door holds.
const (
	maxReaders   = 128 // connections that have logged in
	maxStrangers = 64  // and that have not
	maxGroups    = 256 // that readers make in the life of a process
	allFetches   = 64 << 20
	leastFetch   = 1 << 20
)

func newGuests() *guests {
	return &guests{readers: map[net.Conn]struct{}{}, groups: map[string]struct{}{}}
}

// come takes a connection in; false if the door is closed.
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

// login moves a connection to those that have logged in; false if there are too many of them.
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

// close ends all connections and takes no more.
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

// fetch is how many bytes of records a reader may ask for at once: all of them together take about
// as much memory however many there are.
func (g *guests) fetch() int32 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return int32(min(maxFetch, max(leastFetch, allFetches/max(1, len(g.readers)))))
}

// mayKeep reports whether readers may have this group besides those they have.
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
