package fetch

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// hostID identifies a host in memory. A key belongs to one partition; a new owner of the partition,
// even in the same process, reads the row again.
type hostID struct {
	partition int32
	key       string
}

// hosts keeps the politeness keys in use, and as many unused ones as its memory allows.
type hosts struct {
	store  state.Store
	agents []string
	limit  int64 // most bytes of unused hosts

	restMost, keepMost time.Duration // longest block and longest life of a robots.txt that a row may have

	mu    sync.Mutex
	byID  map[hostID]*host
	idle  *list.List // of *host, unused; the one used longest ago first
	bytes int64
}

// hostBytes is the assumed size of a host without rules.
const hostBytes = 1 << 10

func newHosts(store state.Store, o Options) *hosts {
	return &hosts{store: store, agents: o.agents(), limit: o.HostBytes, restMost: max(o.BackoffMost, o.MaxRetryAfter), keepMost: max(o.RobotsKeep, o.RobotsRetryMost), byID: make(map[hostID]*host), idle: list.New()}
}

// take returns a key's host, from memory or from its row. release must follow. Only the partition's
// loop calls it, so a row is read once.
func (hs *hosts) take(ctx context.Context, id hostID) (*host, error) {
	hs.mu.Lock()
	if h, ok := hs.byID[id]; ok {
		hs.hold(h)
		hs.mu.Unlock()
		return h, nil
	}
	hs.mu.Unlock()
	h := &host{id: id, held: 1, size: hostBytes, files: make(map[string]*robotsFile)}
	if err := hs.read(ctx, h); err != nil {
		return nil, err
	}
	hs.mu.Lock()
	hs.byID[id] = h
	hs.mu.Unlock()
	return h, nil
}

// peek reads the row of a key that may belong to another process. Nothing is kept.
func (hs *hosts) peek(ctx context.Context, key string) (*host, error) {
	h := &host{id: hostID{key: key}, files: make(map[string]*robotsFile)}
	return h, hs.read(ctx, h)
}

func (hs *hosts) hold(h *host) {
	h.held++
	if h.idle != nil {
		hs.idle.Remove(h.idle)
		hs.bytes -= h.size
		h.idle = nil
	}
}

func (hs *hosts) read(ctx context.Context, h *host) error {
	cells, err := hs.store.Get(ctx, schema.Polite, state.Key{state.Str(h.id.key)})
	if errors.Is(err, state.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("polite row of %s: %w", h.id.key, err)
	}
	row := new(schema.PoliteRow)
	if err := row.UnmarshalVT(cells[0].Bytes()); err != nil {
		return streams.DeadLetter("decode", "polite row of %s: %v", h.id.key, err)
	}
	h.load(row, hs.agents)
	h.bound(time.Now(), hs.restMost, hs.keepMost)
	return nil
}

// release ends a use. If the unused hosts take too much memory, those used longest ago are dropped.
func (hs *hosts) release(h *host) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h.held--
	if h.held > 0 || hs.byID[h.id] != h {
		return
	}
	h.idle = hs.idle.PushBack(h)
	hs.bytes += h.size
	for hs.bytes > hs.limit {
		hs.forget(hs.idle.Front().Value.(*host))
	}
}

func (hs *hosts) forget(h *host) {
	if h.idle != nil {
		hs.idle.Remove(h.idle)
		hs.bytes -= h.size
		h.idle = nil
	}
	delete(hs.byID, h.id)
}

// drop drops the hosts of a partition: another process may change their rows now.
func (hs *hosts) drop(partition int32) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	for id, h := range hs.byID {
		if id.partition == partition {
			hs.forget(h)
		}
	}
}

// save stores a host's row.
func (hs *hosts) save(ctx context.Context, h *host) error {
	row := h.row(time.Now())
	b, err := row.MarshalVT()
	if err != nil {
		return fmt.Errorf("polite row of %s: %w", h.id.key, err)
	}
	hs.resize(h, hostBytes+int64(len(b)))
	return hs.store.Write(ctx, []state.Mutation{{
		Table: schema.Polite, Key: state.Key{state.Str(h.id.key)}, Cells: state.Cells{state.Bytes(b)}, TS: row.At,
	}})
}

func (hs *hosts) resize(h *host, size int64) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if h.idle != nil {
		hs.bytes += size - h.size
	}
	h.size = size
}
