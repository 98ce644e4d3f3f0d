package remote

import (
	"context"
	"strings"
	"testing"

	"millrace/consumers/index"
)

// expect tells an owner where the log of a partition ends.
func expect(t *testing.T, s *index.Shards, partition int32, end int64) {
	t.Helper()
	if err := s.Expect(t.Context(), partition, index.Bounds{Era: 1, End: end}); err != nil {
		t.Fatal(err)
	}
}

// The owner of partition 1 (5,000 records) is gone; its new owner has read 3 of them so far.
func TestAPartThatHasJustBegunIsAWarning(t *testing.T) {
	here := process(t, map[int32]int{0: 9, 2: 5, 3: 2})
	begun := process(t, map[int32]int{1: 3})
	expect(t, begun, 1, 5000)
	_, fresh := serve(t, begun, nil)
	r := ask(t, joined(here, fresh), "water")
	if len(r.Gaps) != 1 || r.Gaps[0].Partition != 1 || r.Gaps[0].Share < 0.99 || !strings.Contains(r.Warnings[0], "part 1") {
		t.Fatalf("%d found, gaps %+v, warnings %q", r.Total, r.Gaps, r.Warnings)
	}
	if err := begun.Ready(); err == nil || !strings.Contains(err.Error(), "3 of 5000") {
		t.Fatalf("the owner says it is ready: %v", err)
	}
	// Its old owner comes back: the shard it kept answers, until the new one is further.
	old := process(t, map[int32]int{1: 40})
	old.Revoke(1)
	_, kept := serve(t, old, nil)
	r = ask(t, joined(here, fresh, kept), "water")
	if r.Total != 56 || len(r.Gaps) != 1 || r.Gaps[0].Share > 0.995 {
		t.Fatalf("%d found, gaps %+v", r.Total, r.Gaps)
	}
	caught := process(t, map[int32]int{1: 50})
	expect(t, caught, 1, 50)
	_, owner := serve(t, caught, nil)
	r = ask(t, joined(here, owner, kept), "water")
	if r.Total != 66 || len(r.Gaps) != 0 {
		t.Fatalf("%d found, gaps %+v", r.Total, r.Gaps)
	}
	// Nobody owns it: what there is answers, and says so.
	r = ask(t, joined(here, kept), "water")
	if r.Total != 56 || len(r.Gaps) != 1 || r.Gaps[0].Share != 0 {
		t.Fatalf("%d found, gaps %+v", r.Total, r.Gaps)
	}
}

// A partition in which nothing was ever published lacks nothing, although no process has a shard of
// it.
func TestAnEmptyPartitionIsNoGap(t *testing.T) {
	here := process(t, map[int32]int{0: 9, 2: 5, 3: 2})
	s := joined(here)
	s.Count = 4
	if r := ask(t, s, "water"); len(r.Gaps) != 1 || r.Gaps[0].Partition != 1 {
		t.Fatalf("gaps %+v", r.Gaps)
	}
	s.Empty = func(_ context.Context, p int32) bool { return p == 1 }
	if r := ask(t, s, "water"); len(r.Gaps) != 0 {
		t.Errorf("gaps %+v", r.Gaps)
	}
}
