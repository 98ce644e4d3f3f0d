package scylla

import (
	"strconv"
	"testing"

	"millrace/schema"
	"millrace/streams/state"
)

func benchRow(i int) state.Mutation {
	return state.Mutation{Table: schema.URLTable, TS: 1,
		Cells: state.Cells{state.Str("seventy bytes of state, of which some are the same in every row of it.")},
		Key: state.Key{state.Str("com.example.www"), state.Num(0), state.Num(int64(i / 1000)),
			state.Str(":https/a/path/of/some/length/" + strconv.Itoa(i%1000))}}
}

func BenchmarkStore(b *testing.B) {
	s := open(b, provisioned(b))
	group := make([]state.Mutation, 10_000)
	for i := range group {
		group[i] = benchRow(i)
	}
	b.Run("Write10000In10Partitions", func(b *testing.B) {
		for b.Loop() {
			if err := s.Write(b.Context(), group); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Write1", func(b *testing.B) {
		for b.Loop() {
			if err := s.Write(b.Context(), group[:1]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Get", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Get(b.Context(), schema.URLTable, group[7].Key); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("GetMany100", func(b *testing.B) {
		last := make([]state.Value, state.MaxKeys)
		for i := range last {
			last[i] = group[2*i].Key[3]
		}
		for b.Loop() {
			if rows, err := s.GetMany(b.Context(), schema.URLTable, group[0].Key[:3], last); err != nil || len(rows) != len(last) {
				b.Fatal(len(rows), err)
			}
		}
	})
	b.Run("Slice1000", func(b *testing.B) {
		for b.Loop() {
			if rows, err := s.Slice(b.Context(), schema.URLTable, group[0].Key[:3], nil, 2000); err != nil || len(rows) != 1000 {
				b.Fatal(len(rows), err)
			}
		}
	})
}
