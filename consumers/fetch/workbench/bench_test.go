package workbench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world drives a bench in virtual time and notes what happened.
type world struct {
	t *testing.T
	b *Bench[int]

	mu       sync.Mutex
	starts   map[string][]time.Time
	flying   map[string]int
	ended    map[int]int // value → how often it left
	deferred map[int]time.Time
	waits    map[int]time.Duration // value → from arrival to lease
	order    []int
}

func newWorld(t *testing.T, o Options) *world {
	w := &world{
		t: t, starts: map[string][]time.Time{}, flying: map[string]int{},
		ended: map[int]int{}, deferred: map[int]time.Time{}, waits: map[int]time.Duration{},
	}
	b, err := New(o, func(it Item[int], until time.Time) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ended[it.Value]++
		w.deferred[it.Value] = until
	}, func(Item[int]) {})
	if err != nil {
		t.Fatal(err)
	}
	w.b = b
	return w
}

// run serves leases until ctx ends; a request takes as long as work says.
func (w *world) run(ctx context.Context, work func(l *Lease[int]) time.Duration, resource ...func(key string) string) {
	var wg sync.WaitGroup
	for {
		l, err := w.b.Acquire(ctx)
		if err != nil {
			break
		}
		names := []string{l.Key}
		for _, f := range resource {
			names = append(names, f(l.Key))
		}
		w.begin(l, names)
		wg.Go(func() {
			started := time.Now()
			time.Sleep(work(l))
			w.end(l, names)
			l.Done(started)
		})
	}
	wg.Wait()
}

func (w *world) begin(l *Lease[int], names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range names {
		w.starts[n] = append(w.starts[n], time.Now())
		if w.flying[n]++; w.flying[n] > 1 {
			w.t.Errorf("two requests of %s at once", n)
		}
	}
	w.waits[l.Item.Value] = time.Since(l.Arrived)
	w.order = append(w.order, l.Item.Value)
}

func (w *world) end(l *Lease[int], names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range names {
		w.flying[n]--
	}
	w.ended[l.Item.Value]++
}

// TestGapsAreNeverShortAndEveryItemLeavesOnce is the politeness invariant I4 over random keys,
// delays, answers, arrivals, back-offs and re-tries.
func TestGapsAreNeverShortAndEveryItemLeavesOnce(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { randomLife(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func randomLife(t *testing.T, r *rand.Rand) {
	o := DefaultOptions()
	o.InFlight, o.Reserve = 1+r.IntN(40), r.IntN(8)
	o.PerSite, o.PerAddress = 1+r.IntN(5), 1+r.IntN(10)
	o.SlowAfter = time.Duration(100+r.IntN(1000)) * time.Millisecond
	grouped := r.IntN(2) == 0
	if grouped {
		o.SiteDelay = 300 * time.Millisecond
	}
	w := newWorld(t, o)
	const keys, items = 40, 2000
	delay := func(k int) time.Duration { return time.Duration(1+k%7) * 250 * time.Millisecond }
	ip := func(key string) string { return "ip" + key[len(key)-1:] }
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		work := func(l *Lease[int]) time.Duration { return time.Duration(l.Item.Value%900) * time.Millisecond }
		if grouped {
			w.run(ctx, work, ip)
		} else {
			w.run(ctx, work)
		}
	})
	for i := range items {
		k := r.IntN(keys)
		key := fmt.Sprintf("key%02d", k)
		clock := Clock{Delay: delay(k)}
		if grouped {
			clock.Site, clock.Address = ip(key), "192.0.2.1"
		}
		w.b.Add(key, clock, Item[int]{Offset: int64(i), Class: uint8(r.IntN(8)), Value: i})
		switch r.IntN(200) {
		case 0:
			w.b.Block(key, time.Now().Add(time.Duration(r.IntN(90))*time.Second))
		case 1:
			w.b.SetDelay(key, delay(k)) // no change must change nothing
		}
		time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
	}
	time.Sleep(5 * time.Minute)
	cancel()
	wg.Wait()
	for i := range items {
		if w.ended[i] != 1 {
			t.Errorf("item %d left %d times", i, w.ended[i])
		}
	}
	for k := range keys {
		checkGaps(t, w.starts[fmt.Sprintf("key%02d", k)], guarded(delay(k), o.Guard), "key")
	}
	for i := range 10 {
		checkGaps(t, w.starts[fmt.Sprintf("ip%d", i)], guarded(o.SiteDelay, o.Guard), "group")
	}
	if n := w.b.Keys(); n != 0 {
		t.Errorf("%d keys are remembered for nothing", n)
	}
}

func checkGaps(t *testing.T, starts []time.Time, least time.Duration, what string) {
	t.Helper()
	for i := 1; i < len(starts); i++ {
		if gap := starts[i].Sub(starts[i-1]); gap < least {
			t.Errorf("%s: gap of %v, at least %v is due", what, gap, least)
		}
	}
}

func TestClassThenOffsetInsideAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, DefaultOptions())
		for i, class := range []uint8{6, 2, 6, 0, 2} {
			w.b.Add("k", Clock{Delay: time.Second, NotBefore: time.Now().Add(time.Second)}, Item[int]{Offset: int64(i), Class: class, Value: i})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		w.run(ctx, func(*Lease[int]) time.Duration { return 0 })
		if want := []int{3, 1, 4, 0, 2}; !slices.Equal(w.order, want) {
			t.Errorf("order %v, want %v", w.order, want)
		}
	})
}

// An item of a low class starts although better ones of its key come as fast as the key can start
// them: pages of which each names the next would keep all others of their host waiting.
func TestNothingStarvesInsideAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, DefaultOptions())
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		clock := Clock{Delay: time.Second}
		w.b.Add("k", clock, Item[int]{Offset: 1, Class: 3, Value: 1})
		w.b.Add("k", clock, Item[int]{Offset: 2, Class: 6, Value: -1})
		w.run(ctx, func(l *Lease[int]) time.Duration {
			if n := l.Item.Value; n > 0 {
				w.b.Add("k", clock, Item[int]{Offset: int64(n) + 2, Class: 3, Value: n + 1})
			}
			return 0
		})
		if got, ok := w.waits[-1]; !ok || got > 20*time.Second {
			t.Errorf("the other page waited %v (started: %v)", got, ok)
		}
	})
}

// TestWhatCannotStartInTimeIsHandedBack: at once if that is known at once, and at the end of its
// hold at the latest.
func TestWhatCannotStartInTimeIsHandedBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, DefaultOptions())
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		w.b.Add("blocked", Clock{BlockedUntil: began.Add(time.Hour)}, Item[int]{Value: 1})
		if until := w.deferred[1]; !until.Equal(began.Add(time.Hour)) {
			t.Errorf("until %v", until.Sub(began))
		}
		for i := range 4 {
			w.b.Add("slow", Clock{Delay: 50 * time.Second}, Item[int]{Offset: int64(i), Value: 10 + i})
		}
		w.b.Add("later", Clock{NotBefore: began.Add(10 * time.Second)}, Item[int]{Value: 20})
		w.b.Block("later", began.Add(2*time.Minute))
		w.run(ctx, func(*Lease[int]) time.Duration { return time.Second })
		if got := len(w.starts["slow"]); got != 2 {
			t.Errorf("%d of slow's items started, 2 can within 60 s", got)
		}
		for _, v := range []int{12, 13, 20} {
			if w.ended[v] != 1 || w.deferred[v].IsZero() {
				t.Errorf("item %d was not handed back", v)
			}
		}
		if got := w.deferred[12].Sub(began); got < 100*time.Second {
			t.Errorf("handed back until %v, the key is free after 100 s", got)
		}
	})
}

// TestSlowServersCannotTakeEverySlot is I13: with every ordinary slot held for a minute, an urgent
// item of another key starts at once.
func TestSlowServersCannotTakeEverySlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := DefaultOptions()
		o.InFlight, o.Reserve = 10, 2
		w := newWorld(t, o)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		for i := range 100 {
			w.b.Add(fmt.Sprint("slow", i), Clock{Delay: time.Second}, Item[int]{Class: 6, Value: i})
		}
		time.AfterFunc(time.Second, func() { w.b.Add("news", Clock{Delay: time.Second}, Item[int]{Class: 0, Value: 1000}) })
		w.run(ctx, func(l *Lease[int]) time.Duration {
			if l.Key == "news" {
				return 0
			}
			return 30 * time.Second
		})
		if got, ok := w.waits[1000]; !ok || got != 0 {
			t.Errorf("the urgent item waited %v (started: %v)", got, ok)
		}
	})
}

// TestNothingStarves: a stream of urgent work that would fill every slot does not keep an old item
// of the last class waiting for long.
func TestNothingStarves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := DefaultOptions()
		o.InFlight, o.Reserve, o.Urgent = 1, 0, 0
		w := newWorld(t, o)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		w.b.Add("poor", Clock{}, Item[int]{Class: 7, Value: -1})
		for i := range 1000 {
			time.AfterFunc(time.Duration(i)*100*time.Millisecond, func() {
				w.b.Add(fmt.Sprint("rich", i), Clock{}, Item[int]{Class: 0, Value: i})
			})
		}
		w.run(ctx, func(*Lease[int]) time.Duration { return 150 * time.Millisecond })
		if got, ok := w.waits[-1]; !ok || got > 55*time.Second {
			t.Errorf("the last class waited %v (started: %v)", got, ok)
		}
	})
}

// TestRobotsFirst: an item whose lease was used for robots.txt comes back one delay later, as one
// item.
func TestRobotsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, DefaultOptions())
		w.b.Add("k", Clock{Delay: 2 * time.Second}, Item[int]{Value: 1})
		first, err := w.b.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if !first.Again(start) {
			t.Fatal("not taken back")
		}
		second, err := w.b.Acquire(t.Context())
		if err != nil || second.Item.Value != 1 || time.Since(start) != 2010*time.Millisecond {
			t.Fatalf("%v after %v", err, time.Since(start))
		}
		second.Done(time.Time{})
		if w.b.Len() != 0 {
			t.Fatal("the item is still there")
		}
	})
}

func TestRevokeHandsBackOnePartitionAndLetsLeasesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, DefaultOptions())
		for i := range 20 {
			w.b.Add(fmt.Sprint("k", i%4), Clock{Delay: time.Second}, Item[int]{Partition: int32(i % 2), Offset: int64(i), Value: i})
		}
		l, err := w.b.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p := l.Item.Partition
		back := w.b.Revoke(p)
		if len(back) != 9 || w.b.Len() != 10 {
			t.Errorf("%d handed back, %d left", len(back), w.b.Len())
		}
		if l.Again(time.Now()) {
			t.Error("an item of a revoked partition was taken back")
		}
		// A new owner in the same process starts afresh and is not held up by the old lease.
		w.b.Add("k0", Clock{}, Item[int]{Partition: p, Value: 99})
		if w.b.Keys() != 3 {
			t.Errorf("%d keys", w.b.Keys())
		}
	})
}

// TestPauseHoldsOnePartition: its ordinary items wait while their hold runs on; urgent ones, what
// always goes on, and other partitions start at once.
func TestPauseHoldsOnePartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, DefaultOptions())
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		w.b.Pause(1, true)
		add := func(key string, it Item[int]) { w.b.Add(key, Clock{}, it) }
		add("a", Item[int]{Partition: 1, Class: 6, Value: 1})
		time.AfterFunc(50*time.Second, func() {
			add("b", Item[int]{Partition: 1, Class: 6, Value: 2})
			add("b", Item[int]{Partition: 1, Class: 5, Always: true, Value: 3})
			add("c", Item[int]{Partition: 1, Class: 0, Value: 4})
			add("d", Item[int]{Partition: 2, Class: 6, Value: 5})
		})
		time.AfterFunc(70*time.Second, func() { w.b.Pause(1, false) })
		w.run(ctx, func(*Lease[int]) time.Duration { return 0 })
		if w.deferred[1].IsZero() || w.waits[2] != 20*time.Second {
			t.Errorf("deferred %v, b waited %v", w.deferred[1], w.waits[2])
		}
		for v := 3; v <= 5; v++ {
			if d, ok := w.waits[v]; !ok || d != 0 {
				t.Errorf("item %d waited %v", v, d)
			}
		}
	})
}

// BenchmarkHundredThousandItems: add and lease with 10^5 items of 10^4 keys on the bench.
func BenchmarkHundredThousandItems(b *testing.B) {
	bench, err := New(DefaultOptions(), func(Item[int], time.Time) {}, func(Item[int]) {})
	if err != nil {
		b.Fatal(err)
	}
	add := func(i int) {
		bench.Add(fmt.Sprint("key", i%10_000), Clock{}, Item[int]{Offset: int64(i), Class: uint8(i % 8), Value: i})
	}
	for i := range 100_000 {
		add(i)
	}
	i := 100_000
	for b.Loop() {
		l, err := bench.Acquire(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		l.Done(time.Now())
		add(i)
		i++
	}
}
