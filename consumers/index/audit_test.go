package index

import (
	"context"
	"testing"
	"time"

	"millrace/consumers/index/shard"
)

func TestAuditComparesAtTheRightStep(t *testing.T) {
	a := newAudit(shard.Position{Offset: 10, Docs: 1, Digest: 1})
	a.add([]shard.Step{{Next: 12, Docs: 2, Digest: 3}, {Next: 15, Docs: 3, Digest: 7}})
	cases := []struct {
		offset int64
		digest shard.Digest
		docs   int64
		want   verdict
	}{
		{9, 1, 1, tooLate},
		{10, 1, 1, equal},
		{11, 1, 1, equal}, // no record 10: the record at 11 came next
		{12, 3, 2, equal},
		{13, 3, 2, equal}, // offsets 12 and 13 hold no record
		{14, 3, 2, equal},
		{15, 7, 3, equal},
		{15, 7, 2, different},
		{14, 7, 3, different},
		{16, 7, 3, early}, // a record at 15 may still come
	}
	for _, c := range cases {
		if got, _ := a.compare(c.offset, c.digest, c.docs); got != c.want {
			t.Errorf("compare at %d: %v, want %v", c.offset, got, c.want)
		}
	}
}

func TestBatchesKeepTheirLimits(t *testing.T) {
	o := DefaultOptions()
	o.BatchDocs, o.BatchBytes = 3, 100
	var p pending
	for i, size := range []int{10, 10, 10, 10, 90, 95, 300, 5} {
		p.add(shard.Change{Offset: int64(i)}, &Record{Offset: int64(i), Bytes: make([]byte, size), Time: time.Unix(int64(i), 0)})
	}
	p.pass(&Record{Offset: 8})
	var sizes []int
	var nexts []int64
	err := p.apply(t.Context(), &o, 1, func(_ context.Context, b Batch) error {
		sizes, nexts = append(sizes, len(b.Changes)), append(nexts, b.Next)
		return nil
	})
	if err != nil || len(p.changes) != 0 {
		t.Fatal(err, p)
	}
	wantSizes, wantNexts := []int{3, 2, 1, 1, 1}, []int64{3, 5, 6, 7, 9}
	for i := range wantSizes {
		if len(sizes) != len(wantSizes) || sizes[i] != wantSizes[i] || nexts[i] != wantNexts[i] {
			t.Fatalf("batches of %v up to %v, want %v up to %v", sizes, nexts, wantSizes, wantNexts)
		}
	}
}
