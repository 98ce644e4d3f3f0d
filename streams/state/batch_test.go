package state_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"millrace/schema"
	"millrace/streams/state"
	"millrace/streams/state/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openStore(t *testing.T) state.Store {
	t.Helper()
	s, err := embedded.Open(t.TempDir(), embedded.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// rounds uses one batch at random. The mutations that the batch keeps are also written one by one
// to a twin partition, so both must be equal after Commit.
type rounds struct {
	*rapid.T
	s      state.Store
	b      *state.Batch
	slot   int64
	round  int64
	staged []state.Mutation
}

func TestABatchAnswersAsTheStoreWillAfterCommit(t *testing.T) {
	s, slot := openStore(t), int64(0)
	rapid.Check(t, func(t *rapid.T) {
		slot++
		r := &rounds{T: t, s: s, b: state.NewBatch(s), slot: slot}
		for range rapid.IntRange(1, 3).Draw(t, "rounds") {
			r.play()
		}
	})
}

func (r *rounds) play() {
	r.round++
	for range rapid.IntRange(1, 6).Draw(r.T, "records") {
		save, kept := r.b.Savepoint(), len(r.staged)
		for range rapid.IntRange(0, 5).Draw(r.T, "puts") {
			m := r.mutation()
			r.staged = append(r.staged, m)
			if err := r.b.Put(rapid.IntRange(-1, 1).Draw(r.T, "group"), m); err != nil {
				r.Fatal(err)
			}
		}
		if rapid.Bool().Draw(r.T, "read") {
			answers(r.T, r.b, r.slot, original)
		}
		if rapid.IntRange(0, 2).Draw(r.T, "rollback") == 0 {
			r.b.Rollback(save)
			r.staged = r.staged[:kept]
		}
	}
	before := answers(r.T, r.b, r.slot, original)
	if err := r.b.Commit(r.Context()); err != nil {
		r.Fatal(err)
	}
	r.writeTwin()
	for name, after := range map[string]string{
		"the store":  answers(r.T, r.s, r.slot, original),
		"the batch":  answers(r.T, r.b, r.slot, original),
		"one by one": answers(r.T, r.s, r.slot, twin),
	} {
		if after != before {
			r.Fatalf("%s says after Commit\n%s\nbefore\n%s", name, after, before)
		}
	}
}

// mutation is of a timestamp of this round, often a tie.
func (r *rounds) mutation() state.Mutation {
	m := state.Mutation{Table: schema.Later, TS: 10*r.round + rapid.Int64Range(0, 5).Draw(r.T, "ts"),
		Key: state.Key{state.Num(original), state.Num(r.slot), state.Num(7),
			rapid.SampledFrom(hosts()).Draw(r.T, "host"), rapid.SampledFrom(paths()).Draw(r.T, "path")}}
	if m.Delete = rapid.IntRange(0, 3).Draw(r.T, "delete") == 0; m.Delete {
		return m
	}
	m.Cells = make(state.Cells, 2)
	for i := range m.Cells {
		if rapid.IntRange(0, 3).Draw(r.T, "set") > 0 {
			m.Cells[i] = state.Num(rapid.Int64Range(-2, 2).Draw(r.T, "cell"))
		}
	}
	return m
}

func (r *rounds) writeTwin() {
	for _, m := range r.staged {
		m.Key = slices.Clone(m.Key)
		m.Key[0] = state.Num(twin)
		if err := r.s.Write(r.Context(), []state.Mutation{m}); err != nil {
			r.Fatal(err)
		}
	}
	r.staged = nil
}

const original, twin = 0, 1 // shards

func hosts() []state.Value { return []state.Value{state.Str("a"), state.Str("b")} }

func paths() []state.Value {
	return []state.Value{state.Str(""), state.Str("/"), state.Str("/\x00"), state.Str("/x")}
}

type reads interface {
	Get(ctx ctx, t *schema.Table, key state.Key) (state.Cells, error)
	GetMany(ctx ctx, t *schema.Table, key state.Key, last []state.Value) ([]state.Row, error)
	Slice(ctx ctx, t *schema.Table, partition state.Key, from []state.Value, limit int) ([]state.Row, error)
}

// slicesOf are those of a store or a batch.
func slicesOf(c ctx, s reads, list []state.Key, limit int) ([][]state.Row, error) {
	if b, ok := s.(*state.Batch); ok {
		return b.Slices(c, schema.Later, list, limit)
	}
	return state.Slices(c, s.(state.Store), schema.Later, list, limit)
}

// answers makes every kind of read, and returns the results as text.
func answers(t *rapid.T, s reads, slot, shard int64) string {
	var out strings.Builder
	p := state.Key{state.Num(shard), state.Num(slot)}
	for _, host := range hosts() {
		for _, path := range paths() {
			cells, err := s.Get(t.Context(), schema.Later, append(p[:2:2], state.Num(7), host, path))
			if err != nil && !errors.Is(err, state.ErrNotFound) {
				t.Fatal(err)
			}
			fmt.Fprintln(&out, "get", host, path, cells, err)
			for _, limit := range []int{1, 3, 100} {
				rows, err := s.Slice(t.Context(), schema.Later, p, []state.Value{state.Num(7), host, path}, limit)
				list(t, &out, rows, err)
			}
		}
		rows, err := s.GetMany(t.Context(), schema.Later, append(p[:2:2], state.Num(7), host), paths())
		list(t, &out, rows, err)
	}
	for _, limit := range []int{1, 3, 100} {
		found, err := slicesOf(t.Context(), s, []state.Key{{p[0], state.Num(slot + 1000)}, p}, limit)
		if err != nil || len(found) != 2 {
			t.Fatalf("%d slices, %v, want 2", len(found), err)
		}
		list(t, &out, found[0], err)
		list(t, &out, found[1], err)
	}
	return out.String()
}

func list(t *rapid.T, out *strings.Builder, rows []state.Row, err error) {
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		fmt.Fprintln(out, row.Key[2:], row.Cells, row.TS)
	}
	fmt.Fprintln(out, "-")
}

// recorder records what a batch writes.
type recorder struct {
	state.Store
	groups [][]state.Mutation
	drops  int
	gets   int
	err    error
}

func (r *recorder) Write(c ctx, groups ...[]state.Mutation) error {
	r.groups = groups
	return errors.Join(r.err, r.Store.Write(c, groups...))
}

func (r *recorder) Drop(c ctx, t *schema.Table, p state.Key, ts int64) error {
	r.drops++
	return r.Store.Drop(c, t, p, ts)
}

func (r *recorder) Get(c ctx, t *schema.Table, key state.Key) (state.Cells, error) {
	r.gets++
	return r.Store.Get(c, t, key)
}

func host(name string, ts int64, st string) state.Mutation {
	return state.Mutation{Table: schema.HostTable, Key: state.Key{state.Num(1), state.Str(name)},
		TS: ts, Cells: state.Cells{state.Str(st)}}
}

func TestARowWrittenByManyRecordsIsWrittenOnceInItsGroup(t *testing.T) {
	r := &recorder{Store: openStore(t)}
	b := state.NewBatch(r)
	put := func(group int, m state.Mutation) {
		t.Helper()
		if err := b.Put(group, m); err != nil {
			t.Fatal(err)
		}
	}
	put(2, host("b", 1, "1"))
	put(1, host("a", 1, "1"))
	put(1, host("a", 3, "3"))
	put(1, host("a", 2, "2"))
	put(1, host("c", 2, "2"))
	if err := b.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := [][]state.Mutation{{host("a", 3, "3"), host("c", 2, "2")}, {host("b", 1, "1")}}
	if !reflect.DeepEqual(r.groups, want) || b.Len() != 0 {
		t.Errorf("wrote %v and has %d left, want %v and 0", r.groups, b.Len(), want)
	}
}

func TestAFailedCommitMayBeRepeated(t *testing.T) {
	r := &recorder{Store: openStore(t), err: errors.New("no answer")}
	b := state.NewBatch(r)
	p := state.Key{state.Num(1), state.Num(1)}
	if err := errors.Join(b.Put(0, host("a", 5, "st")), b.Drop(schema.Later, p, 5)); err != nil {
		t.Fatal(err)
	}
	if err := b.Commit(t.Context()); !errors.Is(err, r.err) || r.drops != 0 {
		t.Fatalf("Commit = %v after %d drops, want %v and none", err, r.drops, r.err)
	}
	r.err = nil
	if err := b.Commit(t.Context()); err != nil || r.drops != 1 {
		t.Fatalf("Commit again = %v, %d drops, want 1", err, r.drops)
	}
	if _, err := r.Get(t.Context(), schema.HostTable, host("a", 5, "").Key); err != nil {
		t.Error(err)
	}
	if err := b.Commit(t.Context()); err != nil || r.drops != 1 {
		t.Errorf("an empty Commit: %v, %d drops", err, r.drops)
	}
}

func TestABatchReadsARowOnce(t *testing.T) {
	r := &recorder{Store: openStore(t)}
	b := state.NewBatch(r)
	absent, written := host("absent", 1, "").Key, host("written", 1, "")
	if err := b.Put(0, written); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := b.Get(t.Context(), schema.HostTable, absent); !errors.Is(err, state.ErrNotFound) {
			t.Fatal(err)
		}
		if _, err := b.Get(t.Context(), schema.HostTable, written.Key); err != nil {
			t.Fatal(err)
		}
	}
	if r.gets != 1 {
		t.Errorf("%d reads of the store, want 1: the other row is staged whole", r.gets)
	}
}

func TestABatchRefusesWhatTheStoreWould(t *testing.T) {
	b := state.NewBatch(openStore(t))
	if err := b.Put(0, host("a", 0, "st")); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("Put = %v, want ErrInvalid", err)
	}
	if err := b.Drop(schema.HostTable, state.Key{state.Num(1)}, 1); !errors.Is(err, state.ErrInvalid) {
		t.Errorf("Drop = %v, want ErrInvalid", err)
	}
	if b.Len() != 0 {
		t.Errorf("%d mutations staged, want none", b.Len())
	}
}
