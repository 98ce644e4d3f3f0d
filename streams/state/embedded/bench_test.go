package embedded

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"millrace/schema"
	"millrace/streams/state"
)

const (
	benchHosts = 1000
	benchPaths = 200 // of each host
)

func urlRow(host, path int) state.Mutation {
	return state.Mutation{Table: schema.URLTable, TS: 1, Cells: state.Cells{state.Str("seventy bytes of state, of which some are the same in every row of it.")},
		Key: state.Key{state.Str("com.example.www" + strconv.Itoa(host)), state.Num(0), state.Num(0),
			state.Str(":https/a/path/of/some/length/" + strconv.Itoa(path))}}
}

func BenchmarkStore(b *testing.B) {
	s, err := Open(b.TempDir(), DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for h := range benchHosts {
		group := make([]state.Mutation, benchPaths)
		for p := range group {
			group[p] = urlRow(h, p)
		}
		if err := s.Write(b.Context(), group); err != nil {
			b.Fatal(err)
		}
	}
	get := func(b *testing.B, path int) {
		for b.Loop() {
			s.Get(b.Context(), schema.URLTable, urlRow(rand.IntN(benchHosts), path).Key)
		}
	}
	b.Run("GetPresent", func(b *testing.B) { get(b, 77) })
	b.Run("GetAbsent", func(b *testing.B) { get(b, benchPaths) })
	b.Run("GetMany100", func(b *testing.B) {
		last := make([]state.Value, state.MaxKeys)
		for i := range last {
			last[i] = urlRow(0, 2*i).Key[3]
		}
		for b.Loop() {
			s.GetMany(b.Context(), schema.URLTable, urlRow(rand.IntN(benchHosts), 0).Key[:3], last)
		}
	})
	b.Run("Slice200", func(b *testing.B) {
		for b.Loop() {
			s.Slice(b.Context(), schema.URLTable, urlRow(rand.IntN(benchHosts), 0).Key[:3], nil, 1000)
		}
	})
	for _, n := range []int{1, 100, 1000} {
		b.Run("Write"+strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				group := make([]state.Mutation, n)
				for i := range group {
					group[i] = urlRow(rand.IntN(benchHosts), rand.IntN(2*benchPaths))
				}
				if err := s.Write(b.Context(), group); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
