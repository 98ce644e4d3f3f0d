package members

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"millrace/schema"
	"millrace/streams/state"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rows is a table in memory that can be made to fail.
type rows struct {
	state.Store // what is not called is not there
	mu          sync.Mutex
	cells       map[string]state.Cells
	broken      error
}

func (s *rows) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *rows) Write(ctx context.Context, groups ...[]state.Mutation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range groups[0] {
		if err := m.Check(); err != nil || s.broken != nil || ctx.Err() != nil {
			return s.broken
		}
		if m.Delete {
			delete(s.cells, m.Key[0].Str()+" "+m.Key[1].Str())
		} else {
			s.cells[m.Key[0].Str()+" "+m.Key[1].Str()] = m.Cells
		}
	}
	return nil
}

func (s *rows) Slice(_ context.Context, _ *schema.Table, key state.Key, _ []state.Value, _ int) ([]state.Row, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []state.Row
	for name, c := range s.cells {
		if kind, id, _ := strings.Cut(name, " "); kind == key[0].Str() {
			out = append(out, state.Row{Key: state.Key{state.Str(kind), state.Str(id)}, Cells: c})
		}
	}
	return out, s.broken
}

func TestWhoStopsLeavesAtOnceAndWhoIsKilledAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &rows{cells: map[string]state.Cells{}}
		r, err := New(DefaultOptions(), s, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		lists := func(want int) {
			t.Helper()
			time.Sleep(r.o.Every)
			synctest.Wait()
			if got := r.List(t.Context()); len(got) != want {
				t.Fatalf("%d members, want %d: %v", len(got), want, got)
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			r.Keep(ctx, func() *schema.MemberRow { return &schema.MemberRow{Id: "a", Address: "a:1"} })
			close(done)
		}()
		lists(1)
		time.Sleep(10 * r.o.Stale)
		lists(1) // it is alive
		var killed state.Cells
		s.set(func() { killed, s.broken = s.cells["process a"], context.DeadlineExceeded })
		lists(1) // the store is not there: the last list stands
		s.set(func() { s.broken = nil })
		stop()
		<-done
		lists(0)
		s.set(func() { s.cells["process a"] = killed })
		lists(1) // its row was left behind
		time.Sleep(r.o.Stale)
		lists(0)
	})
}
