package simweb

import (
	"testing"

	"millrace/ops/simweb/world"
)

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New("fast", 1, DefaultOptions()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPage is the cost of a page without HTTP.
func BenchmarkPage(b *testing.B) {
	w, err := New("fast", 1, DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 0, 64<<10)
	total := 0
	for i := uint64(0); b.Loop(); i++ {
		req := world.Request{Ref: world.Ref{Host: world.Host(i % 100), Page: world.ID(world.Tree, i%200)}}
		a := w.Answer(req, w.Start())
		buf = w.Body(buf[:0], &a)
		total += len(buf)
	}
	b.SetBytes(int64(total / b.N))
}

// BenchmarkTruth is the truth of a web of 20,000 pages.
func BenchmarkTruth(b *testing.B) {
	w, err := New("fast", 1, DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		tr, err := w.Truth(DefaultRules(w.Start(), w.Seeds(1, "")...))
		if err != nil || len(tr.Docs) != 20_000 {
			b.Fatal(len(tr.Docs), err)
		}
	}
}
