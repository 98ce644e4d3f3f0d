package scylla

import (
	"sync"

	"millrace/schema"
)

// lanes are those of a store: one a table for the rows that are asked for by key, if it has no
// clustering columns, and one a table for small writes.
type lanes struct {
	store   *Store
	flights *flights

	mu     sync.Mutex
	reads  map[*schema.Table]*lane[*asked]
	writes map[*schema.Table]*lane[request]
}

func newLanes(s *Store) *lanes {
	return &lanes{store: s, flights: newFlights(), reads: map[*schema.Table]*lane[*asked]{}, writes: map[*schema.Table]*lane[request]{}}
}

// close ends what no call waits for any more.
func (l *lanes) close() {
	l.flights.stop()
	l.flights.Wait()
}

// of returns the lane for rows of a table without clustering columns.
func (l *lanes) of(t *schema.Table) *lane[*asked] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reads[t] == nil {
		l.reads[t] = &lane[*asked]{flight: l.flights, fly: l.store.askAll}
	}
	return l.reads[t]
}

// to returns the lane for small writes of a table.
func (l *lanes) to(t *schema.Table) *lane[request] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writes[t] == nil {
		l.writes[t] = &lane[request]{flight: l.flights, fly: l.store.sendAll}
	}
	return l.writes[t]
}
