package index

import (
	"context"
	"testing"
)

// A proof of another era of docs.unique says nothing about this one.
func TestAProofOfAnotherLogCountsForNothing(t *testing.T) {
	w := newWorld(t)
	wrong := Proof{Era: 9, Digest: 4711, Documents: 1}
	w.deps.Proof = func(_ context.Context, p int32) (Proof, bool, error) {
		wrong.Offset = w.ends[p]
		return wrong, true, nil
	}
	w.some(0, 20)
	s := w.open()
	w.run(s)
	w.caughtUp(s)
	if err := s.prove(t.Context(), 0); err != nil || s.Status()[0].Difference != nil {
		t.Fatalf("%+v, %v", s.Status()[0], err)
	}
	wrong.Era = 1
	if err := s.prove(t.Context(), 0); err != nil || s.Status()[0].Difference == nil {
		t.Fatalf("a wrong proof of this log was not reported: %+v, %v", s.Status()[0], err)
	}
}
