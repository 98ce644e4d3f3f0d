package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// tellBytes says where the bytes of the index go, as bytes for each byte of text.
func (o *own) tellBytes(w io.Writer, text int) error {
	all := map[string]int64{}
	for _, s := range o.shards {
		snap, err := s.Snapshot()
		if err != nil {
			return err
		}
		for name, n := range snap.Bytes() {
			all[name] += n
		}
		if err := snap.Release(); err != nil {
			return err
		}
	}
	names := slices.SortedFunc(maps.Keys(all), func(x, y string) int { return int(all[y] - all[x]) })
	sum := int64(0)
	for _, n := range all {
		sum += n
	}
	fmt.Fprintf(w, "bytes a byte of text: %.3f in %d shards\n", float64(sum)/float64(text), len(o.shards))
	for _, name := range names {
		if share := float64(all[name]) / float64(text); share >= .001 {
			fmt.Fprintf(w, "  %-18s %.3f\n", name, share)
		}
	}
	return nil
}

// size is how many bytes of title and text documents have.
func size(made []document) (n int) {
	for _, d := range made {
		n += len(d.title) + len(d.body)
	}
	return n
}
