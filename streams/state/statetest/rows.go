package statetest

import (
	"errors"
	"hash/crc32"
	"math"
	"reflect"
	"strconv"
	"strings"

	"millrace/schema"
	"millrace/streams/state"
)

func rowsComeBack(c *suite) {
	key := c.key([]byte{0xff, 0, 0xfe}, "", []byte{})
	c.wantNone(wide(), key)
	c.put(wide(), key, 1, "", []byte{}, 0)
	c.wantRow(wide(), key, "", []byte{}, 0)
	c.put(wide(), key, 2, "\x00ü\x00", []byte{0, 0xff, 0xc3, 0x28}, -1)
	c.wantRow(wide(), key, "\x00ü\x00", []byte{0, 0xff, 0xc3, 0x28}, -1)
	for _, n := range []struct{ v1, v2, v4, v8 int64 }{
		{math.MinInt8, math.MinInt16, math.MinInt32, math.MinInt64},
		{-1, -1, -1, -1}, {0, 0, 0, 0},
		{math.MaxInt8, math.MaxInt16, math.MaxInt32, math.MaxInt64},
	} {
		key := c.key(n.v1, n.v2, n.v8)
		c.put(ints(), key, 1, n.v1, n.v2, n.v4, n.v8)
		c.wantRow(ints(), key, n.v1, n.v2, n.v4, n.v8)
	}
	c.put(schema.Polite, c.key(), 1, []byte("st"))
	c.wantRow(schema.Polite, c.key(), []byte("st"))
}

func olderLoses(c *suite) {
	key := c.key()
	era := int64(1) << 44
	c.put(schema.Polite, key, era+5, []byte("second"))
	c.put(schema.Polite, key, era+4, []byte("zzz, but older"))
	c.wantRow(schema.Polite, key, []byte("second"))
	c.put(schema.Polite, key, 2*era, []byte("next era"))
	c.put(schema.Polite, key, era+6, []byte("a zombie's"))
	c.wantRow(schema.Polite, key, []byte("next era"))
	both := c.key(1)
	c.write([]state.Mutation{
		{Table: chunks(), Key: both, TS: 9, Cells: values("newer", nil)},
		{Table: chunks(), Key: both, TS: 8, Cells: values("older", 1)},
	})
	c.wantRow(chunks(), both, "newer", 1)
}

func ties(c *suite) {
	for i, order := range [][2]int{{0, 1}, {1, 0}} {
		cells := [2][]any{{"b", 1}, {"a", -1}} // -1 is 0xffffffff
		key := c.key(i)
		c.put(chunks(), key, 7, cells[order[0]]...)
		c.put(chunks(), key, 7, cells[order[1]]...)
		c.wantRow(chunks(), key, "b", -1)
	}
	c.delete(chunks(), c.key(0), 7)
	c.wantNone(chunks(), c.key(0))
	c.delete(chunks(), c.key(2), 7)
	c.put(chunks(), c.key(2), 7, "delete beats set", 1)
	c.wantNone(chunks(), c.key(2))
	c.put(chunks(), c.key(3), 7, "longer", nil)
	c.put(chunks(), c.key(3), 7, "long", nil)
	c.wantRow(chunks(), c.key(3), "longer", nil)
}

func cellsMerge(c *suite) {
	key := c.key(1)
	c.put(chunks(), key, 5, "first", 1)
	c.put(chunks(), key, 9, nil, 2)
	c.wantRow(chunks(), key, "first", 2)
	c.put(chunks(), key, 7, "between", 3)
	c.wantRow(chunks(), key, "between", 2)
	if rows := c.getMany(chunks(), c.key(), state.Num(1)); len(rows) != 1 || rows[0].TS != 9 {
		c.Errorf("GetMany = %v, want one row of timestamp 9", rows)
	}
	c.put(chunks(), c.key(2), 5, nil, nil)
	c.wantRow(chunks(), c.key(2), nil, nil)
}

func deletedStaysDead(c *suite) {
	key := c.key(1)
	c.put(chunks(), key, 5, "old", 1)
	c.put(chunks(), key, 9, nil, 2)
	c.delete(chunks(), key, 7)
	c.wantRow(chunks(), key, nil, 2)
	c.delete(chunks(), key, 9)
	c.wantNone(chunks(), key)
	c.put(chunks(), key, 8, "older than its deletion", 3)
	c.wantNone(chunks(), key)
	if rows := c.slice(chunks(), c.key(), nil, 10); len(rows) != 0 {
		c.Errorf("Slice = %v, want none", rows)
	}
	c.put(chunks(), key, 10, "again", nil)
	c.wantRow(chunks(), key, "again", nil)
	unseen := c.key(2)
	c.delete(chunks(), unseen, 4)
	c.put(chunks(), unseen, 3, "arrives late", 1)
	c.wantNone(chunks(), unseen)
}

// By contract a dropped partition is never written again. If it is: older writes stay hidden, newer
// ones are visible.
func droppedStaysDead(c *suite) {
	other := append(c.key(), state.Num(1))
	other[0] = state.Str(c.name + ", the next")
	c.put(chunks(), other, 1, "stays", 1)
	for i := range 10 {
		c.put(chunks(), c.key(i), int64(1+i), "v", i)
	}
	c.drop(chunks(), c.key(), 20)
	c.drop(chunks(), c.key(), 19)
	c.put(chunks(), c.key(3), 20, "late", 1)
	c.put(chunks(), c.key(4), 21, nil, 1)
	c.wantNone(chunks(), c.key(2))
	c.wantNone(chunks(), c.key(3))
	c.wantRow(chunks(), c.key(4), nil, 1)
	if rows := c.slice(chunks(), c.key(), nil, 100); len(rows) != 1 {
		c.Errorf("Slice = %v, want the newer row only", rows)
	}
	if rows := c.getMany(chunks(), c.key(), values(2, 3, 4)...); len(rows) != 1 {
		c.Errorf("GetMany = %v, want the newer row only", rows)
	}
	c.wantRow(chunks(), other, "stays", 1)
}

func staleDrop(c *suite) {
	c.put(chunks(), c.key(1), 5, "old", 1)
	c.put(chunks(), c.key(2), 50, "the new owner's", nil)
	c.put(chunks(), c.key(2), 10, nil, 1)
	c.drop(chunks(), c.key(), 10)
	c.wantNone(chunks(), c.key(1))
	c.wantRow(chunks(), c.key(2), "the new owner's", nil)
	c.drop(chunks(), c.key(), 50)
	c.wantNone(chunks(), c.key(2))
}

func rowWithoutCells(c *suite) {
	c.put(bare(), c.key("b"), 5)
	c.put(bare(), c.key("a"), 6)
	c.wantRow(bare(), c.key("a"))
	want := []state.Row{{Key: c.key("a"), Cells: state.Cells{}}, {Key: c.key("b"), Cells: state.Cells{}}}
	if got := c.slice(bare(), c.key(), nil, 5); !reflect.DeepEqual(got, want) {
		c.Errorf("Slice = %v, want %v", got, want)
	}
	c.delete(bare(), c.key("b"), 5)
	c.wantNone(bare(), c.key("b"))
}

func largeRows(c *suite) {
	big := make([]byte, state.MaxRowBytes-1000)
	c.put(schema.Polite, c.key(), 1, big)
	c.wantRow(schema.Polite, c.key(), big)
	group := make([]state.Mutation, 8) // together far above what one request may carry
	for i := range group {
		group[i] = state.Mutation{Table: chunks(), Key: c.key(i), TS: 1,
			Cells: values(strings.Repeat("x", 3<<20), i)}
	}
	c.write(group)
	if rows := c.slice(chunks(), c.key(), values(6), 5); len(rows) != 2 {
		c.Errorf("%d rows, want 2", len(rows))
	}
	long := c.key(strings.Repeat("k", 30<<10))
	c.put(bare(), long, 1)
	c.wantRow(bare(), long)
}

// Rows of many partitions are written together and read together: each comes back at the place of
// its key, also if a key is asked for twice, and nothing where there is none.
func getAll(c *suite) {
	place := func(n int) int64 { return int64(crc32.ChecksumIEEE([]byte(c.name)))<<16 + int64(n) }
	for _, kind := range []struct {
		table *schema.Table
		key   func(n int) state.Key
		cells func(n int) state.Cells
	}{
		{schema.Polite, func(n int) state.Key { return state.Key{state.Str(c.name + strconv.Itoa(n))} }, stateCell},
		{schema.NearBand, func(n int) state.Key { return state.Key{state.Num(place(n))} }, stateCell},
		{schema.LinkPage, func(n int) state.Key { return state.Key{state.Num(int64(n % 4)), state.Num(place(n))} }, stateCell},
		{schema.Cluster, func(n int) state.Key {
			return state.Key{state.Str(c.name + strconv.Itoa(n%3)), state.Bytes([]byte{0xff, byte(n)})}
		}, func(n int) state.Cells { return append(stateCell(n), state.Value{}) }},
		{bare(), func(n int) state.Key { return c.key(strconv.Itoa(n)) }, func(int) state.Cells { return state.Cells{} }},
	} {
		var rows []state.Mutation
		var list []state.Wanted
		var want []state.Cells
		for n := range 150 {
			list, want = append(list, state.Wanted{Table: kind.table, Key: kind.key(n)}), append(want, nil)
			if n%2 == 0 {
				want[n] = kind.cells(n)
				rows = append(rows, state.Mutation{Table: kind.table, Key: kind.key(n), TS: 1, Cells: kind.cells(n)})
			}
		}
		c.write(rows)
		list, want = append(list, list[0], list[1]), append(want, want[0], nil)
		if got, err := state.GetAll(c.ctx, c.s, list); err != nil || !reflect.DeepEqual(got, want) {
			c.Errorf("GetAll of %s = %v, %v, want %v", kind.table.Name, got, err, want)
		}
	}
	if got, err := state.GetAll(c.ctx, c.s, nil); err != nil || len(got) != 0 {
		c.Errorf("GetAll of nothing = %v, %v", got, err)
	}
	if _, err := state.GetAll(c.ctx, c.s, []state.Wanted{{Table: schema.Polite, Key: c.key()}, {Table: schema.Polite}}); !errors.Is(err, state.ErrInvalid) {
		c.Errorf("GetAll of a key without values: %v, want ErrInvalid", err)
	}
}

// The first rows of many partitions are read together: each list stands at the place of its key and
// is what Slice returns, also if a partition is asked for twice or has no rows.
func slicesOf(c *suite) {
	shard := int64(crc32.ChecksumIEEE([]byte(c.name)) % 1000)
	var list []state.Key
	for n := range 40 {
		p := state.Key{state.Num(shard + int64(n))}
		list = append(list, p)
		var rows []state.Mutation
		for i := range n % 7 {
			key := append(p[:1:1], state.Str(c.name+strconv.Itoa(i)))
			rows = append(rows, state.Mutation{Table: schema.HostTable, Key: key, TS: int64(i + 1), Cells: stateCell(i)})
		}
		c.write(rows)
	}
	list = append(list, list[3])
	got, err := state.Slices(c.ctx, c.s, schema.HostTable, list, 4)
	if err != nil || len(got) != len(list) {
		c.Fatalf("%d lists, %v, want %d", len(got), err, len(list))
	}
	for i, p := range list {
		want, err := c.s.Slice(c.ctx, schema.HostTable, p, nil, 4)
		if err != nil || len(want) < min(4, i%40%7) || len(got[i])+len(want) > 0 && !reflect.DeepEqual(got[i], want) {
			c.Errorf("list %d = %v, want %v, %v", i, got[i], want, err)
		}
	}
	if _, err := state.Slices(c.ctx, c.s, schema.HostTable, []state.Key{list[0], {}}, 1); !errors.Is(err, state.ErrInvalid) {
		c.Errorf("Slices of a partition without a value: %v, want ErrInvalid", err)
	}
}

func stateCell(n int) state.Cells { return values([]byte(strings.Repeat(strconv.Itoa(n), 50))) }
