package scylla

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gocql/gocql"
	"github.com/scylladb/gocqlx/v2"

	"millrace/schema"
	"millrace/streams/state"
)

// Store is a state.Store in a keyspace.
type Store struct {
	session  gocqlx.Session
	keyspace string
	slots    chan struct{} // one for each write request under way
	lanes    *lanes

	mu     sync.RWMutex // held for reading by every call, so Close waits
	closed bool
}

var _ state.Store = (*Store)(nil)

// Open connects to a keyspace that was provisioned.
func Open(ctx context.Context, opts Options) (*Store, error) {
	session, err := connect(ctx, opts, opts.Keyspace)
	if err != nil {
		return nil, err
	}
	s := &Store{session: session, keyspace: opts.Keyspace, slots: make(chan struct{}, opts.Parallel)}
	s.lanes = newLanes(s)
	return s, nil
}

// Close waits for the calls under way, then closes the session.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.lanes.close()
		s.session.Close()
	}
	s.closed = true
	return nil
}

// begin starts a call, unless ctx has ended or the store is closed; end ends it.
func (s *Store) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.RLock()
	if s.closed {
		s.mu.RUnlock()
		return state.ErrClosed
	}
	return nil
}

func (s *Store) end() { s.mu.RUnlock() }

// query prepares a statement, as idempotent: everything that this package sends may be repeated.
func (s *Store) query(ctx context.Context, stmt string, args ...any) *gocqlx.Queryx {
	return s.session.ContextQuery(ctx, stmt, nil).Bind(args...).Idempotent(true)
}

// Get implements state.Store.
func (s *Store) Get(ctx context.Context, t *schema.Table, k state.Key) (state.Cells, error) {
	if err := state.CheckGet(t, k); err != nil {
		return nil, err
	}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.end()
	if len(t.Clustering) > 0 {
		return s.get(ctx, t, k)
	}
	asked := []*asked{{table: t, key: k}}
	if err := s.lanes.of(t).send(ctx, asked); err != nil {
		return nil, err
	}
	if asked[0].cells == nil {
		return nil, state.ErrNotFound
	}
	return asked[0].cells, nil
}

func (s *Store) get(ctx context.Context, t *schema.Table, k state.Key) (state.Cells, error) {
	read := t.Cells
	if len(read) == 0 {
		read = t.Partition
	}
	row := scanColumns(read, 0)
	err := kindOf(s.query(ctx, selectCells(t), arguments(key(t), k)...).Scan(row.dests...))
	switch {
	case errors.Is(err, state.ErrNotFound):
		return nil, state.ErrNotFound
	case err != nil:
		return nil, fmt.Errorf("get from %s %v: %w", t.Name, k, err)
	}
	return row.take(0, len(t.Cells)), nil
}

// GetMany implements state.Store.
func (s *Store) GetMany(ctx context.Context, t *schema.Table, k state.Key, last []state.Value) ([]state.Row, error) {
	if err := state.CheckMany(t, k, last); err != nil {
		return nil, err
	}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.end()
	if len(last) == 0 {
		return nil, nil
	}
	args := arguments(key(t), k)
	args = append(args, list(t.Clustering[len(t.Clustering)-1].Type, last))
	rows, err := rows(s.query(ctx, selectMany(t), args...), t, k)
	if err != nil {
		return nil, fmt.Errorf("get many from %s %v: %w", t.Name, k, err)
	}
	return rows, nil
}

// Slice implements state.Store.
func (s *Store) Slice(ctx context.Context, t *schema.Table, partition state.Key, from []state.Value, limit int) ([]state.Row, error) {
	if err := state.CheckSlice(t, partition, from, limit); err != nil {
		return nil, err
	}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.end()
	args := append(arguments(key(t), slices.Concat(partition, from)), limit)
	rows, err := rows(s.query(ctx, selectSlice(t, len(from)), args...), t, partition)
	if err != nil {
		return nil, fmt.Errorf("slice of %s %v: %w", t.Name, partition, err)
	}
	return rows, nil
}

// rows reads an answer to its end; k begins with the partition.
func rows(q *gocqlx.Queryx, t *schema.Table, k state.Key) ([]state.Row, error) {
	partition := k[:len(t.Partition)]
	row := scanColumns(slices.Concat(t.Clustering, t.Cells), len(t.Cells))
	var out []state.Row
	it := q.Iter()
	for it.Scan(row.dests...) {
		out = append(out, row.row(t, partition))
	}
	if err := it.Close(); err != nil {
		return nil, kindOf(err)
	}
	return out, nil
}

// kindOf turns the driver's errors into the kinds of package state. A missing table is
// state.ErrInvalid, not transient: provisioning must come first.
func kindOf(err error) error {
	var refused gocql.RequestError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gocql.ErrNotFound):
		return state.ErrNotFound
	case errors.Is(err, gocql.ErrSessionClosed):
		return state.ErrClosed
	case errors.As(err, &refused) && (refused.Code() == gocql.ErrCodeUnauthorized || refused.Code() == gocql.ErrCodeCredentials):
		return fmt.Errorf("%w: %w", state.ErrDenied, err)
	case errors.As(err, &refused) && refused.Code() == gocql.ErrCodeInvalid &&
		(strings.Contains(err.Error(), "does not exist") || strings.Contains(err.Error(), "unconfigured table")):
		return fmt.Errorf("%w: %w: millrace provision makes the tables that are missing, and says which", state.ErrInvalid, err)
	case errors.As(err, &refused) && (refused.Code() == gocql.ErrCodeInvalid || refused.Code() == gocql.ErrCodeSyntax):
		return fmt.Errorf("%w: %w", state.ErrInvalid, err)
	}
	return err
}
