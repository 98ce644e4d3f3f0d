package streams

import (
	"testing"
	"time"

	"millrace/topics"
)

func TestTheBoundFollowsTheSpeedOfTheReader(t *testing.T) {
	b := topics.Bound{Within: 2 * time.Second, Floor: 64, Records: 20_000, Bytes: 64 << 20}
	for _, c := range []struct {
		speed, size float64
		want        int64
	}{
		{0, 0, 64}, {10, 0, 64}, {100, 0, 200}, {1e6, 0, 20_000},
		{1000, 1 << 20, 64}, {1000, 1 << 28, 1},
	} {
		if got := b.At(c.speed, c.size); got != c.want {
			t.Errorf("speed %v, size %v: %d, want %d", c.speed, c.size, got, c.want)
		}
	}
}

func TestSpeedIsMeasuredWhileTheReaderHasWork(t *testing.T) {
	b := topics.Bound{Within: 2 * time.Second, Floor: 10, Records: 1 << 20}
	var m measure
	look := func(unread, done int64) { m = m.next(unread, done, time.Second, b, 0) }
	look(500, 1000)
	if m.speed != 0 || !m.over() {
		t.Fatalf("after one look: %+v; a speed needs two, and 500 are above the floor", m)
	}
	look(500, 1300)
	if m.speed != 300 || m.bound != 600 || m.over() {
		t.Fatalf("300 a second: %+v", m)
	}
	look(0, 1310) // the reader had nothing to do
	if m.speed != 300 {
		t.Fatalf("idle: %+v", m)
	}
	for range 40 { // the reader is stuck
		look(500, 1310)
	}
	if m.bound != 10 || !m.over() {
		t.Fatalf("stuck: %+v", m)
	}
}

// A partition waits only for partitions that it writes to, and BehindOn only for those of one
// topic.
func TestOnePartitionOverItsBoundStopsOnlyThoseThatWriteToIt(t *testing.T) {
	g, err := topics.GroupNamed("fetch")
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBacklog(nil, Config{Meter: NewMeter()}, g)
	if err != nil {
		t.Fatal(err)
	}
	pages, feeds := topics.Pages().Name, topics.Feeds().Name
	for p := range int32(4) {
		b.sent(p, pages, p, 100)
		b.sent(p, feeds, p, 100)
	}
	b.edges[pages].over[2] = Held{Topic: pages, Partition: 2, Reader: "extract"}
	for p := range int32(4) {
		if got, want := b.holds(p), p == 2; got != want {
			t.Errorf("partition %d waits: %v", p, got)
		}
		if b.holdsOn(p, feeds) || b.holdsOn(p, pages) != (p == 2) {
			t.Errorf("partition %d: waits for pages %v, feeds %v", p, b.holdsOn(p, pages), b.holdsOn(p, feeds))
		}
	}
}

func TestAFullLogStopsOnlyWhoStartsNewThings(t *testing.T) {
	full := false
	for name, want := range map[string]bool{"schedule": true, "extract": false, "fetch": false} {
		g, err := topics.GroupNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := newBacklog(nil, Config{Meter: NewMeter(), Hold: func() bool { return full }}, g)
		if err != nil {
			t.Fatal(err)
		}
		full = false
		if b.holds(0) {
			t.Errorf("%s waits though there is room", name)
		}
		if full = true; b.holds(0) != want {
			t.Errorf("%s waits while the log is full: %v", name, !want)
		}
	}
}
