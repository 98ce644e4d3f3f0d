// Package statetest turns the contract of package state into one suite of tests
// that every Store passes.
//
// Durability and failures are tested beside each implementation, because each needs its own way to
// crash the store.
package statetest

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"millrace/schema"
	"millrace/streams/state"
)

// Run tests stores that open returns. open is called twice; the tables of Tables
// must exist, and each test writes partitions of its own, so open may return
// stores of the same data.
func Run(t *testing.T, open func(t *testing.T) state.Store) {
	s := open(t)
	run := "run " + strconv.FormatUint(rand.Uint64(), 36) + " "
	for _, test := range []struct {
		name string
		f    func(*suite)
	}{
		{"RowsComeBackAsWritten", rowsComeBack},
		{"AnOlderTimestampLoses", olderLoses},
		{"TiesAreDecidedByValue", ties},
		{"CellsMergeOneByOne", cellsMerge},
		{"ADeletedRowStaysDead", deletedStaysDead},
		{"ADroppedPartitionStaysDead", droppedStaysDead},
		{"AStaleDropSparesNewerRows", staleDrop},
		{"ARowWithoutCellsIsARow", rowWithoutCells},
		{"TextsAndBlobsSortBytewise", octetsSort},
		{"IntegersSortByValue", integersSort},
		{"ASliceBeginsAtAPrefix", slicePrefix},
		{"AScanReadsPartitionsInOrder", scan},
		{"GetManyAnswersInOrder", getMany},
		{"GetAllAnswersAtTheKeysPlaces", getAll},
		{"SlicesAreThoseOfTheirPartitions", slicesOf},
		{"ALargePartitionIsReadInPages", largePartition},
		{"LargeRowsFit", largeRows},
		{"GroupsBecomeVisibleInOrder", groupOrder},
		{"TheNewestOfManyWritersWins", concurrentWriters},
		{"WrongCallsAreErrInvalid", wrongCalls},
		{"ACancelledCallDoesNothing", cancelled},
		{"AnswersAreTheModels", model},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.f(&suite{T: t, s: s, ctx: t.Context(), name: run + test.name})
		})
	}
	t.Run("AClosedStoreIsErrClosed", func(t *testing.T) { closed(t, open(t)) })
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// suite is one running test: a store, and helpers that fail the test on an error.
type suite struct {
	*testing.T
	s    state.Store
	ctx  context.Context
	name string // this test's partition
}

func (c *suite) write(groups ...[]state.Mutation) {
	c.Helper()
	if err := c.s.Write(c.ctx, groups...); err != nil {
		c.Fatalf("Write: %v", err)
	}
}

// put sets cells; a nil stays unset.
func (c *suite) put(t *schema.Table, key state.Key, ts int64, cells ...any) {
	c.Helper()
	c.write([]state.Mutation{{Table: t, Key: key, TS: ts, Cells: values(cells...)}})
}

func (c *suite) delete(t *schema.Table, key state.Key, ts int64) {
	c.Helper()
	c.write([]state.Mutation{{Table: t, Key: key, TS: ts, Delete: true}})
}

func (c *suite) drop(t *schema.Table, partition state.Key, ts int64) {
	c.Helper()
	if err := c.s.Drop(c.ctx, t, partition, ts); err != nil {
		c.Fatalf("Drop: %v", err)
	}
}

// wantRow compares the cells of one row.
func (c *suite) wantRow(t *schema.Table, key state.Key, cells ...any) {
	c.Helper()
	got, err := c.s.Get(c.ctx, t, key)
	if want := state.Cells(values(cells...)); err != nil || !reflect.DeepEqual(got, want) {
		c.Errorf("Get %s %v = %v, %v, want %v", t.Name, key, got, err, want)
	}
}

func (c *suite) wantNone(t *schema.Table, key state.Key) {
	c.Helper()
	if got, err := c.s.Get(c.ctx, t, key); !errors.Is(err, state.ErrNotFound) {
		c.Errorf("Get %s %v = %v, %v, want ErrNotFound", t.Name, key, got, err)
	}
}

func (c *suite) slice(t *schema.Table, partition state.Key, from []state.Value, limit int) []state.Row {
	c.Helper()
	rows, err := c.s.Slice(c.ctx, t, partition, from, limit)
	if err != nil {
		c.Fatalf("Slice: %v", err)
	}
	return rows
}

func (c *suite) getMany(t *schema.Table, key state.Key, last ...state.Value) []state.Row {
	c.Helper()
	rows, err := c.s.GetMany(c.ctx, t, key, last)
	if err != nil {
		c.Fatalf("GetMany: %v", err)
	}
	return rows
}

// key builds a key below this test's own first value.
func (c *suite) key(more ...any) state.Key {
	return state.Key(values(append([]any{c.name}, more...)...))
}

func values(list ...any) []state.Value {
	out := make([]state.Value, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case int:
			out[i] = state.Num(int64(v))
		case int64:
			out[i] = state.Num(v)
		case string:
			out[i] = state.Str(v)
		case []byte:
			out[i] = state.Bytes(v)
		}
	}
	return out
}
