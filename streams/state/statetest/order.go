package statetest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"

	"millrace/streams/state"
)

// octets in bytewise order; with all pairs of them as clustering keys an
// encoding that lets one value run into the next is found.
func octets() []string {
	return []string{"", "\x00", "\x00\x00", "\x00\x01", "\x00\x7f", "\x01", "\x01\x00", "a", "a\x00", "a\x00b", "a\x01", "aa", "b", "ü", "\U0010ffff"}
}

func octetsSort(c *suite) {
	var group []state.Mutation
	var want []state.Key
	blobs := append(octets(), "\xff", "\xff\x00", "\xff\xff")
	for _, a := range octets() {
		for _, b := range blobs {
			key := c.key("q", a, b)
			want = append(want, key)
			group = append(group, state.Mutation{Table: wide(), Key: key, TS: 1, Cells: values(a, b, 1)})
		}
	}
	rand.Shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
	c.write(group)
	rows := c.slice(wide(), c.key("q"), nil, len(want)+1)
	c.wantKeys(rows, want)
	for _, row := range rows {
		if row.Cells[0] != row.Key[2] || row.Cells[1] != row.Key[3] {
			c.Errorf("row %v has cells %v", row.Key, row.Cells)
		}
	}
}

func integersSort(c *suite) {
	var group []state.Mutation
	var want []state.Key
	for _, a := range []int64{math.MinInt16, -257, -256, -1, 0, 1, 255, 256, math.MaxInt16} {
		for _, b := range []int64{math.MinInt64, -1 << 33, -1, 0, 1, 1 << 33, math.MaxInt64} {
			key := c.key(-5, a, b)
			want = append(want, key)
			group = append(group, state.Mutation{Table: ints(), Key: key, TS: 1, Cells: values(1, 1, 1, b)})
		}
	}
	rand.Shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
	c.write(group)
	c.wantKeys(c.slice(ints(), c.key(-5), nil, 1000), want)
	c.wantKeys(c.slice(ints(), c.key(-5), values(-1, -1), 3), want[23:26])
}

func (c *suite) wantKeys(rows []state.Row, want []state.Key) {
	c.Helper()
	if len(rows) != len(want) {
		c.Fatalf("%d rows, want %d", len(rows), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(rows[i].Key, want[i]) {
			c.Fatalf("row %d is %v, want %v", i, rows[i].Key, want[i])
		}
	}
}

func slicePrefix(c *suite) {
	var want []state.Key
	for _, k := range [][2]string{{"a", "1"}, {"a", "2"}, {"b", "1"}, {"b", "2"}, {"c", ""}} {
		key := c.key("", k[0], k[1])
		want = append(want, key)
		c.put(wide(), key, 1, "x", nil, nil)
	}
	for _, s := range []struct {
		from  []state.Value
		limit int
		want  []state.Key
	}{
		{nil, 100, want},
		{nil, 2, want[:2]},
		{values("b"), 100, want[2:]},
		{values("aa"), 100, want[2:]},
		{values("a", "2"), 2, want[1:3]},
		{values("a", "2\x00"), 1, want[2:3]},
		{values("c", ""), 5, want[4:]},
		{values("d"), 5, nil},
	} {
		c.wantKeys(c.slice(wide(), c.key(""), s.from, s.limit), s.want)
	}
	if rows := c.slice(wide(), c.key("another"), nil, 9); len(rows) != 0 {
		c.Errorf("an empty partition has %v", rows)
	}
}

// scan reads partitions of no, few and many rows, more than are read side by side.
func scan(c *suite) {
	var partitions, want []state.Key
	var rows []state.Mutation
	for i := range 80 {
		p := fmt.Sprintf("%s %03d", c.name, 80-i)
		partitions = append(partitions, values(p))
		for k := range map[int]int{11: 1, 12: 2, 40: 600, 79: 256}[i] {
			key := state.Key(values(p, fmt.Sprintf("%04d", k)))
			want = append(want, key)
			rows = append(rows, state.Mutation{Table: bare(), Key: key, TS: 1})
		}
	}
	for some := range slices.Chunk(rows, 100) {
		c.write(some)
	}
	var got []state.Row
	for r, err := range state.Scan(c.ctx, c.s, bare(), partitions) {
		if err != nil {
			c.Fatal(err)
		}
		got = append(got, r)
	}
	c.wantKeys(got, want)
	for range state.Scan(c.ctx, c.s, bare(), partitions) {
		break
	}
	ctx, cancel := context.WithCancel(c.ctx)
	cancel()
	for r, err := range state.Scan(ctx, c.s, bare(), partitions) {
		if err == nil {
			c.Fatalf("a cancelled scan has %v", r)
		}
	}
}

func getMany(c *suite) {
	var all, odd []state.Value
	var want []state.Key
	for i := range state.MaxKeys {
		n := i - 50
		all = append(all, state.Num(int64(n)))
		if i%2 == 1 {
			odd = append(odd, state.Num(int64(n)))
			want = append(want, c.key(n))
			c.put(chunks(), c.key(n), int64(i), "v", n)
		}
	}
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	rows := c.getMany(chunks(), c.key(), all...)
	c.wantKeys(rows, want)
	for i, row := range rows {
		if row.TS != int64(2*i+1) || row.Cells[1] != odd[i] {
			c.Errorf("row %v: cells %v, timestamp %d", row.Key, row.Cells, row.TS)
		}
	}
	c.wantKeys(c.getMany(chunks(), c.key(), values(1, -1, 1)...), []state.Key{c.key(-1), c.key(1)})
	c.wantKeys(c.getMany(chunks(), c.key()), nil)
	c.put(wide(), c.key("", "x", "y"), 1, "v", nil, nil)
	c.wantKeys(c.getMany(wide(), c.key("", "x"), values("y", "z")...), []state.Key{c.key("", "x", "y")})
}

func largePartition(c *suite) {
	const rows, page = 100_000, 7_001
	for first := 0; first < rows; first += 5_000 {
		group := make([]state.Mutation, 5_000)
		for i := range group {
			n := first + i
			group[i] = state.Mutation{Table: chunks(), Key: c.key(n), TS: 1, Cells: values("row", n)}
		}
		c.write(group)
	}
	next := 0
	for next < rows {
		got := c.slice(chunks(), c.key(), values(next), page)
		if len(got) != min(page, rows-next) {
			c.Fatalf("%d rows from %d on", len(got), next)
		}
		for _, row := range got {
			if row.Key[1].Num() != int64(next) || row.Cells[1].Num() != int64(next) {
				c.Fatalf("row %v, want %d", row, next)
			}
			next++
		}
	}
}

// A reader that sees a row of a later group must see those of the earlier ones.
func groupOrder(c *suite) {
	const writes = 50
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range writes {
			ts := int64(i + 1)
			err := c.s.Write(c.ctx,
				[]state.Mutation{{Table: chunks(), Key: c.key(i), TS: ts, Cells: values("queued", i)}},
				[]state.Mutation{{Table: bare(), Key: c.key("seen"), TS: ts}, {Table: wide(), Key: c.key("", "", ""), TS: ts, Cells: values("host", nil, i)}},
				[]state.Mutation{{Table: ints(), Key: c.key(0, 0, 0), TS: ts, Cells: values(0, 0, i, 0)}})
			if err != nil {
				c.Errorf("Write: %v", err)
			}
		}
	})
	for seen := int64(-1); seen < writes-1 && !c.Failed(); {
		cells, err := c.s.Get(c.ctx, ints(), c.key(0, 0, 0))
		if err != nil {
			continue // nothing yet
		}
		seen = cells[2].Num()
		if host, err := c.s.Get(c.ctx, wide(), c.key("", "", "")); err != nil || host[2].Num() < seen {
			c.Errorf("host row %v, %v after %d", host, err, seen)
		}
		if _, err := c.s.Get(c.ctx, chunks(), c.key(seen)); err != nil {
			c.Errorf("queue row %d: %v", seen, err)
		}
	}
	wg.Wait()
}

func concurrentWriters(c *suite) {
	const writers, rows = 8, 40
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			group := make([]state.Mutation, rows)
			for i, n := range rand.Perm(rows) {
				winner := (w + n) % writers // every writer wins some rows
				group[i] = state.Mutation{Table: chunks(), Key: c.key(n), TS: int64(1 + winner), Cells: values("w", winner)}
			}
			if err := c.s.Write(c.ctx, group[:rows/2], group[rows/2:]); err != nil {
				c.Errorf("Write: %v", err)
			}
		})
	}
	wg.Wait()
	for n := range rows {
		c.wantRow(chunks(), c.key(n), "w", writers-1)
	}
}
