package members

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"millrace/schema"
	"millrace/streams/state"
)

// away is a store that does not answer before the caller gives up, while it is away.
type away struct {
	rows
	gone  atomic.Bool
	reads atomic.Int64
}

func (s *away) Slice(ctx context.Context, t *schema.Table, key state.Key, from []state.Value, limit int) ([]state.Row, error) {
	s.reads.Add(1)
	if s.gone.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.rows.Slice(ctx, t, key, from, limit)
}

// While the store is away ten searches at once wait once, together, for at most Wait; those after
// them not at all, until it is time to try again. The last list stands, with its age.
func TestSearchesDoNotQueueForAStoreThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &away{rows: rows{cells: map[string]state.Cells{}}}
		said := &strings.Builder{}
		o := DefaultOptions()
		r, err := New(o, s, slog.New(slog.NewTextHandler(said, nil)))
		if err != nil {
			t.Fatal(err)
		}
		r.write(t.Context(), &schema.MemberRow{Id: "a", SeenAt: time.Now().UnixMilli()}, false)
		if got := r.List(t.Context()); len(got) != 1 {
			t.Fatalf("%d members", len(got))
		}
		s.gone.Store(true)
		time.Sleep(o.Every)
		reads := s.reads.Load()
		began := time.Now()
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if got := r.List(t.Context()); len(got) != 1 {
					t.Errorf("%d members", len(got))
				}
			})
		}
		all.Wait()
		if took := time.Since(began); took > o.Wait || s.reads.Load() != reads+1 {
			t.Fatalf("ten lists took %s and %d reads", took, s.reads.Load()-reads)
		}
		synctest.Wait()
		began = time.Now()
		for range 10 {
			r.List(t.Context())
		}
		if took := time.Since(began); took > 0 {
			t.Fatalf("ten more took %s", took)
		}
		if age, ok := r.Age(); !ok || age != o.Every+o.Wait || !strings.Contains(said.String(), "age=3s") {
			t.Fatalf("age %s, log: %s", age, said)
		}
		// Who is in a hurry does not wait at all.
		time.Sleep(o.Every)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began = time.Now()
		if r.List(ctx); time.Since(began) > 0 {
			t.Fatal("waited for a search that had ended")
		}
		s.gone.Store(false)
		time.Sleep(o.Every + o.Wait)
		r.List(t.Context())
		if age, _ := r.Age(); age > 0 {
			t.Fatalf("the store is back, the list is %s old", age)
		}
	})
}
