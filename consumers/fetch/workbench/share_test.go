package workbench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// life serves leases for a while as fetch does: it tells what the answers took, and ends what is
// cut.
type life struct {
	b    *Bench[int]
	took func(l *Lease[int]) time.Duration

	mu      sync.Mutex
	cancels map[int]context.CancelFunc
	starts  []start
	most    map[string]int // leases at once, by whatever name
	flying  map[string]int
}

// start is one request.
type start struct {
	key, site, address string
	at                 time.Time
}

func newLife(t *testing.T, o Options, took func(l *Lease[int]) time.Duration) *life {
	l := &life{took: took, cancels: map[int]context.CancelFunc{}, most: map[string]int{}, flying: map[string]int{}}
	b, err := New(o, func(Item[int], time.Time) {}, l.cut)
	if err != nil {
		t.Fatal(err)
	}
	l.b = b
	return l
}

func (w *life) cut(it Item[int]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cancels[it.Value]()
}

func (w *life) run(t *testing.T, d time.Duration) {
	ctx, stop := context.WithTimeout(t.Context(), d)
	defer stop()
	var wg sync.WaitGroup
	for {
		l, err := w.b.Acquire(ctx)
		if err != nil {
			break
		}
		one, cancel := context.WithCancel(ctx)
		names := w.begin(l, cancel)
		wg.Go(func() {
			defer cancel()
			began := time.Now()
			select {
			case <-one.Done():
			case <-time.After(w.took(l)):
			}
			l.Answered(time.Since(began), one.Err() == nil)
			w.end(names)
			if one.Err() == nil || ctx.Err() != nil {
				l.Done(began)
			} else {
				l.Again(began)
			}
		})
	}
	wg.Wait()
}

func (w *life) begin(l *Lease[int], cancel context.CancelFunc) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cancels[l.Item.Value] = cancel
	s := start{key: l.Key, address: l.Address, at: time.Now()}
	if l.e.key.group.site != nil {
		s.site = l.e.key.group.site.name
	}
	w.starts = append(w.starts, s)
	names := []string{"site " + s.site, "address " + s.address, "both " + s.site + "@" + s.address, "all leases"}
	for _, n := range names {
		w.flying[n]++
		w.most[n] = max(w.most[n], w.flying[n])
	}
	return names
}

func (w *life) end(names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range names {
		w.flying[n]--
	}
}

// gaps returns the smallest gap, the most starts in a second, and the number of the starts that
// which names.
func (w *life) gaps(which func(start) bool) (least time.Duration, perSecond, n int) {
	least = time.Hour
	var list []time.Time
	for _, s := range w.starts {
		if which(s) {
			list = append(list, s.at)
		}
	}
	for i, from := 1, 0; i < len(list); i++ {
		least = min(least, list[i].Sub(list[i-1]))
		for list[i].Sub(list[from]) >= time.Second {
			from++
		}
		perSecond = max(perSecond, i-from+1)
	}
	return least, perSecond, len(list)
}

// TestHostsOfASiteAtOneAddressShareADelay, and different sites there start ten times a second
// together, whatever the delay of each.
func TestHostsOfASiteAtOneAddressShareADelay(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			w := newLife(t, DefaultOptions(), func(*Lease[int]) time.Duration { return 5 * time.Millisecond })
			for i := range 1000 {
				w.b.Add(fmt.Sprintf("h%d.wild", i), Clock{Delay: delay, Site: "wild", Address: "192.0.2.1"}, Item[int]{Class: 6, Value: i})
				w.b.Add(fmt.Sprintf("www.s%d", i), Clock{Delay: delay, Site: fmt.Sprint("s", i), Address: "192.0.2.2"}, Item[int]{Class: 6, Value: 10000 + i})
				w.b.Add(fmt.Sprintf("h%d.cdn", i), Clock{Delay: delay, Site: "cdn", Address: fmt.Sprint("a", i)}, Item[int]{Class: 6, Value: 20000 + i})
			}
			w.run(t, 50*time.Second)
			gap, _, n := w.gaps(func(s start) bool { return s.site == "wild" })
			if gap < time.Second || n < 45 {
				t.Errorf("delay %v: a gap of %v between hosts of a site at one address, %d starts", delay, gap, n)
			}
			if _, rate, n := w.gaps(func(s start) bool { return s.address == "192.0.2.2" }); rate > 10 || n < 450 {
				t.Errorf("delay %v: %d starts a second of sites at one address, %d starts", delay, rate, n)
			}
			if _, _, n := w.gaps(func(s start) bool { return s.site == "cdn" }); n != 1000 {
				t.Errorf("delay %v: %d starts of a site with many addresses", delay, n)
			}
			if w.b.Len() == 0 {
				t.Error("nothing is left: the bounds were not tested")
			}
		})
	}
}

// TestASiteAndAnAddressHaveAShareOfTheSlots: a site of endless hosts that never answer takes no
// more than its share, so do many sites at one address.
func TestASiteAndAnAddressHaveAShareOfTheSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := DefaultOptions()
		o.AddressGap = 0
		w := newLife(t, o, func(l *Lease[int]) time.Duration { return 30 * time.Second })
		for i := range 1000 {
			w.b.Add(fmt.Sprintf("h%d.wild", i), Clock{Site: "wild", Address: fmt.Sprint("a", i)}, Item[int]{Class: 6, Value: i})
			w.b.Add(fmt.Sprintf("www.s%d", i), Clock{Site: fmt.Sprint("s", i), Address: "192.0.2.2"}, Item[int]{Class: 6, Value: 10000 + i})
		}
		w.run(t, 100*time.Second)
		if n := w.most["site wild"]; n != o.PerSite {
			t.Errorf("%d leases of one site", n)
		}
		if n := w.most["address 192.0.2.2"]; n != o.PerAddress {
			t.Errorf("%d leases of one address", n)
		}
	})
}

// TestSlowHostsLearnTheirPlace: 1,000 hosts take 30 s for an answer, 50 take 200 ms; both kinds
// are new. What the fast ones lose is the time until the slow ones are known.
func TestSlowHostsLearnTheirPlace(t *testing.T) {
	fetched := func(slow int) int {
		n := 0
		synctest.Test(t, func(t *testing.T) {
			o := DefaultOptions()
			o.Hold = time.Hour
			w := newLife(t, o, func(l *Lease[int]) time.Duration {
				if l.Key[:4] == "slow" {
					return 30 * time.Second
				}
				return 200 * time.Millisecond
			})
			v := 0
			add := func(host string, n int) {
				for range n {
					v++
					w.b.Add(host, Clock{Delay: time.Second, Site: host, Address: host}, Item[int]{Class: 6, Offset: int64(v), Value: v})
				}
			}
			for i := range slow {
				add(fmt.Sprint("slow", i), 10)
			}
			time.Sleep(time.Millisecond) // the slow ones were first
			for i := range 50 {
				add(fmt.Sprint("fast", i), 200)
			}
			w.run(t, 150*time.Second)
			for _, s := range w.starts {
				if s.key[:4] == "fast" {
					n++
				}
			}
			if most := w.most["all leases"]; most > 3*o.InFlight+o.Reserve {
				t.Errorf("%d leases at once", most)
			}
		})
		return n
	}
	alone := fetched(0)
	for _, slow := range []int{100, 300, 1000, 3000} {
		beside := fetched(slow)
		t.Logf("%d starts of fast hosts alone, %d beside %d slow ones", alone, beside, slow)
		if slow <= 1000 && float64(beside) < 0.9*float64(alone) {
			t.Errorf("%d starts of fast hosts alone, %d beside %d slow ones", alone, beside, slow)
		}
	}
}

// TestSharesNeverLoseAWaiter: over random sites, addresses, answers, blocks and pauses, everything
// that can start does, within every bound, and nothing is kept afterwards.
func TestSharesNeverLoseAWaiter(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) { crowd(t, rand.New(rand.NewPCG(seed, 3))) })
	}
}

func crowd(t *testing.T, r *rand.Rand) {
	o := DefaultOptions()
	o.Hold = 24 * time.Hour
	o.InFlight, o.Reserve, o.PerSite, o.PerAddress = 2+r.IntN(20), r.IntN(4), 1+r.IntN(4), 1+r.IntN(6)
	o.AddressGap, o.SiteDelay = time.Duration(r.IntN(3))*50*time.Millisecond, time.Duration(r.IntN(3))*100*time.Millisecond
	w := newLife(t, o, func(l *Lease[int]) time.Duration { return time.Duration(l.Item.Value%30) * 100 * time.Millisecond })
	const items = 1500
	go func() {
		for i := range items {
			k := r.IntN(60)
			c := Clock{Delay: time.Duration(k%5) * 50 * time.Millisecond, Site: fmt.Sprint("s", k%12), Address: fmt.Sprint("a", k%7)}
			w.b.Add(fmt.Sprint("k", k), c, Item[int]{
				Partition: int32(k % 3), Class: uint8(r.IntN(8)), Always: r.IntN(9) == 0, Offset: int64(i), Value: i,
			})
			switch r.IntN(60) {
			case 0:
				w.b.Block(fmt.Sprint("k", r.IntN(60)), time.Now().Add(time.Duration(r.IntN(20))*time.Second))
			case 1:
				w.b.Pause(int32(r.IntN(3)), r.IntN(2) == 0)
			}
			time.Sleep(time.Duration(r.IntN(10)) * time.Millisecond)
		}
		for p := range int32(3) {
			w.b.Pause(p, false)
		}
	}()
	w.run(t, 12*time.Hour)
	if n, keys := w.b.Len(), w.b.Keys(); n != 0 || keys != 0 {
		t.Errorf("%d items and %d keys are left", n, keys)
	}
	if n := len(w.b.known.groups) + len(w.b.known.sites) + len(w.b.known.addresses) + len(w.b.slots.leases) + w.b.slots.flying.Len() + w.b.order.clocks.Len(); n != 0 {
		t.Errorf("%d groups, shares and leases are left", n)
	}
	for name, n := range w.most {
		if name[:4] == "both" && n > 1 || name[:4] == "site" && n > o.PerSite || name[:4] == "addr" && n > o.PerAddress {
			t.Errorf("%d leases of %s", n, name)
		}
	}
	last := map[string]start{}
	for _, s := range w.starts {
		if before, ok := last[s.address]; ok && before.site != s.site && s.at.Sub(before.at) < o.AddressGap {
			t.Errorf("a gap of %v between two sites at address %s", s.at.Sub(before.at), s.address)
		}
		last[s.address] = s
	}
}

// TestOneKeyOfTwoPartitions: an item of another partition at the same key outlives the revocation
// of the first.
func TestOneKeyOfTwoPartitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLife(t, DefaultOptions(), func(*Lease[int]) time.Duration { return 0 })
		w.b.Add("k", Clock{Delay: time.Second}, Item[int]{Partition: 1, Value: 1})
		w.b.Add("k", Clock{Delay: time.Second}, Item[int]{Partition: 2, Value: 2})
		if list := w.b.Revoke(1); len(list) != 1 || list[0].Value != 1 || w.b.Len() != 1 {
			t.Errorf("revoked %v, %d left", list, w.b.Len())
		}
		w.run(t, 10*time.Second)
		if len(w.starts) != 1 {
			t.Errorf("%d starts", len(w.starts))
		}
	})
}
