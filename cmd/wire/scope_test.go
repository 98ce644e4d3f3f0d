package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"millrace/ops/provision"
	"millrace/schema"
	"millrace/streams/state"
	"millrace/streams/state/embedded"
)

// countedStore counts reads of rows, and can be made to fail.
type countedStore struct {
	state.Store
	gets atomic.Int64
	gone atomic.Bool
}

var errAway = errors.New("the store is away")

func (s *countedStore) Get(ctx context.Context, t *schema.Table, key state.Key) (state.Cells, error) {
	s.gets.Add(1)
	if s.gone.Load() {
		return nil, errAway
	}
	return s.Store.Get(ctx, t, key)
}

func openScope(t *testing.T) (*scope, *countedStore) {
	t.Helper()
	store, err := embedded.Open(t.TempDir(), embedded.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	c := &countedStore{Store: store}
	return &scope{store: c, log: slog.New(slog.DiscardHandler)}, c
}

func urls(t *testing.T, from, to int) []schema.URL {
	t.Helper()
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		t.Fatal(err)
	}
	var out []schema.URL
	for i := from; i < to; i++ {
		u, err := canon.Parse(fmt.Sprintf("https://www.site%d.test/", i))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, u)
	}
	return out
}

func widen(t *testing.T, store state.Store, mode schema.ScopeRow_Mode, list []schema.URL) bool {
	t.Helper()
	changed, err := provision.Widen(t.Context(), store, mode, list)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func ask(s *scope, u schema.URL) bool { return s.has(u.Host(), u.Site()) }

// Seeds of many sites: each batch costs the same, no row grows, a lookup is one read at most.
func TestTheScopeOfManySitesCostsWhatIsAsked(t *testing.T) {
	const batch, batches = 5000, 40
	s, store := openScope(t)
	all := urls(t, 0, batch*batches)
	var writes []int
	for i := range batches {
		store.gets.Store(0)
		widen(t, store, schema.ScopeRow_SITE, all[i*batch:(i+1)*batch])
		writes = append(writes, int(store.gets.Load()))
	}
	if writes[0] != writes[batches-1] {
		t.Errorf("reads of the first and the last batch: %d, %d", writes[0], writes[batches-1])
	}
	row, err := provision.Scope(t.Context(), store)
	if b, _ := row.MarshalVT(); err != nil || len(b) > 64 {
		t.Fatalf("the row has %d bytes, %v", len(b), err)
	}
	s.read = time.Now().Add(time.Hour) // the row is not looked at again
	s.row = row
	store.gets.Store(0)
	for _, u := range all[:1000] {
		if !ask(s, u) || !ask(s, u) {
			t.Fatalf("%s is not in scope", u)
		}
	}
	for _, u := range urls(t, len(all), len(all)+1000) {
		if ask(s, u) || ask(s, u) {
			t.Fatalf("%s is in scope", u)
		}
	}
	if n := store.gets.Load(); n != 2000 {
		t.Fatalf("2,000 names took %d reads", n)
	}
	for _, u := range all {
		ask(s, u)
	}
	if n := len(s.names.now) + len(s.names.before); n > 2*scopeNames {
		t.Fatalf("%d names are remembered", n)
	}
}

// A host that was not in scope is in scope at the latest scopeKeep after its seed; a crawl with
// state of an earlier version goes on.
func TestTheScopeGrowsAndIsMigrated(t *testing.T) {
	s, store := openScope(t)
	old := urls(t, 0, 1)[0]
	b, err := (&schema.ScopeRow{Mode: schema.ScopeRow_HOST, Hosts: []string{"www.site0.test"}, Sites: []string{"site0.test"}}).MarshalVT()
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Write(t.Context(), []state.Mutation{{Table: schema.Meta, Key: state.Key{state.Str("scope")}, TS: 1, Cells: state.Cells{state.Bytes(b)}}}); err != nil {
		t.Fatal(err)
	}
	added := urls(t, 1, 2)[0]
	if !ask(s, old) || ask(s, added) {
		t.Fatal("the old row is not understood")
	}
	if !widen(t, store, schema.ScopeRow_UNSPECIFIED, []schema.URL{added}) {
		t.Fatal("nothing changed")
	}
	s.forget()
	if !ask(s, old) || !ask(s, added) {
		t.Fatal("after the seeds a host is not in scope")
	}
	if row, err := provision.Scope(t.Context(), store); err != nil || len(row.Hosts)+len(row.Sites) != 0 || row.Mode != schema.ScopeRow_HOST {
		t.Fatalf("%v, %v", row, err)
	}
	if widen(t, store, schema.ScopeRow_HOST, []schema.URL{old, added}) {
		t.Fatal("known seeds changed something")
	}
	if !widen(t, store, schema.ScopeRow_SITE, nil) {
		t.Fatal("the mode did not change")
	}
	s.forget()
	if !s.has("test.site0.other", "site0.test") {
		t.Fatal("another host of the site is not in scope")
	}
}

// While the store does not answer, has waits, so that no link is lost.
func TestAScopeThatCannotBeReadIsWaitedFor(t *testing.T) {
	s, store := openScope(t)
	u := urls(t, 0, 1)
	widen(t, store, schema.ScopeRow_SITE, u)
	synctest.Test(t, func(t *testing.T) {
		store.gone.Store(true)
		got := make(chan bool)
		go func() { got <- ask(s, u[0]) }()
		time.Sleep(time.Minute)
		select {
		case in := <-got:
			t.Fatalf("did not wait, said %v", in)
		default:
		}
		store.gone.Store(false)
		if !<-got {
			t.Fatal("not in scope")
		}
	})
}
