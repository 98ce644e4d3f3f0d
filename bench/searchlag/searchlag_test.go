package main

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestEveryDocumentIsTimedOnceAndFound protects the measurement: a document that is left out would
// make the figures better than they are.
func TestEveryDocumentIsTimedOnceAndFound(t *testing.T) {
	s := settings{pages: 200, vocabulary: 10_000, most: 2 * time.Minute, dir: t.TempDir()}
	r, err := s.run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.lags) != s.pages || r.left > 0 || r.unknown > 0 || len(r.missed) > 0 || r.found != s.pages/askEach {
		t.Fatalf("%d documents of %d pages:\n%s", len(r.lags), s.pages, r)
	}
	for _, l := range r.lags {
		if l.search < l.unique || l.unique < 0 {
			t.Errorf("a document is found before it is there: %+v", l)
		}
	}
}
