package main

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestEveryItemIsTimedOnItsWay protects the measurement, on a small web: items that a hub pushes
// are seen at each step, in order, while other URLs wait, and a search finds the last one.
func TestEveryItemIsTimedOnItsWay(t *testing.T) {
	s := settings{waiting: 2000, sites: 3, every: 2 * time.Second, most: 5 * time.Minute, items: 8, hubs: 3, dir: t.TempDir()}
	r, err := s.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.subscribed != 3 || r.found != 1 || len(r.missed) > 0 || len(r.all) == 0 {
		t.Fatalf("%d subscriptions, %d items\n%s", r.subscribed, len(r.all), r)
	}
	for _, it := range r.all {
		if it.listed.Before(it.published) || it.fetched.Before(it.listed) || it.found.Before(it.fetched) || it.unique.IsZero() {
			t.Errorf("%+v", it)
		}
	}
}
