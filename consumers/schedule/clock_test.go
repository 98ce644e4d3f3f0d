package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"millrace/schema"
)

// Whatever the clocks of brokers and of this process do - up to 26 hours off, jumps,
// restarts - every URL is fetched, is fetched again when it is due, late or early by
// the error at most, and never faster than the delay.
func TestNoClockLosesAURL(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { wrongClocks(t, seed) })
	}
}

func wrongClocks(t *testing.T, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	off := func() time.Duration { return time.Duration(rnd.Int64N(int64(52*time.Hour))) - 26*time.Hour }
	w := newWorld(t, func(o *Options) { o.Delay = 0 })
	truth := w.clock
	skew, broker := time.Duration(0), time.Duration(0)
	const n = 40
	want := map[string]int{}
	step := func(d time.Duration) {
		truth = truth.Add(d)
		w.clock = truth.Add(skew)
		w.late = broker - skew
		w.run()
		for _, i := range w.unfinished() {
			w.finish(i, func(o *schema.Outcome) {
				want[w.out[i].RowKey]++
				if rnd.IntN(5) == 0 {
					o.Result, o.HttpStatus = schema.Outcome_SERVER_ERROR, 503
					want[w.out[i].RowKey]--
				}
			})
		}
		w.run()
	}
	for k := range n {
		w.append(linksTo("com.example", fmt.Sprintf(":http/p%d", k)))
		switch rnd.IntN(4) {
		case 0:
			skew = off()
		case 1:
			broker = off()
		case 2:
			skew, broker = 0, 0
		}
		step(time.Duration(rnd.IntN(40)) * time.Minute)
		if rnd.IntN(4) == 0 {
			w.crash()
		}
	}
	skew, broker = 0, 0
	// The last error may delay by 26 h, pauses after trouble take up to 6 h each.
	for range 12 * 24 {
		step(30 * time.Minute)
	}
	for k := range n {
		key := fmt.Sprintf("com.example:http/p%d", k)
		row := w.row(key)
		if row == nil || row.Status != schema.UrlRow_FETCHED || want[key] < 2 {
			t.Errorf("%s was fetched %d times in six days: %v", key, want[key], row)
		}
		if want[key] > 40 {
			t.Errorf("%s was fetched %d times in six days", key, want[key])
		}
	}
}

// A record whose broker's clock is ahead is queued, and its URL emitted.
func TestARecordFromTheFutureIsEmitted(t *testing.T) {
	w := newWorld(t, nil)
	w.late = 26 * time.Hour
	w.append(linksTo("com.example", ":http/a"))
	w.run()
	if len(w.out) != 1 {
		t.Errorf("not emitted: %v", w.row("com.example:http/a"))
	}
}

// A forged Tick starts no endless chain.
func TestAForgedTickEnds(t *testing.T) {
	for name, c := range map[string]*schema.WheelCursor{
		"far limit":       {Limit: math.MaxInt64},
		"negative shard":  {Limit: 1, Shard: -5},
		"shard too large": {Limit: math.MaxInt64, Shard: math.MaxInt32},
		"slot too large":  {Limit: math.MaxInt64, Slot: math.MaxInt64 - 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.append(linksTo("com.example", ":http/a"))
			w.run()
			w.finish(0, func(o *schema.Outcome) { o.Result = schema.Outcome_NETWORK })
			w.run()
			c.Owner = w.task.ledger.wheel.Chain()
			w.task.sendTimer(schema.Tick_WHEEL, c)
			w.rests = time.Time{}
			for range 5 {
				if err := w.round(100); err != nil {
					t.Fatal(err)
				}
			}
			if before := len(w.in); before > 8 {
				t.Errorf("%d records", before)
			}
			w.pass(2*time.Hour, time.Minute)
			if len(w.out) != 2 {
				t.Errorf("the retry is lost: %d emitted", len(w.out))
			}
		})
	}
}

// The log lost its end: offsets are used again, in a new era. The stamps of the old era
// in the rows hide no new record.
func TestALogThatLostItsEnd(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Delay = 0 })
	w.append(linksTo("com.example", ":http/a"))
	w.run()
	w.finish(0, nil)
	w.run()
	keep, sent := len(w.in), len(w.out)
	for i := range 50 { // lost from the log, not from the store
		w.append(linksTo("com.example", fmt.Sprintf(":http/lost%d", i)))
		w.run()
	}
	w.in, w.committed, w.out = w.in[:keep], keep, w.out[:sent]
	w.raised = 1
	w.crash()
	w.run()
	w.append(linksTo("com.example", ":http/new1", ":http/new2", ":http/lost7"))
	for range 100 {
		w.pass(time.Minute, 30*time.Second)
		for _, i := range w.unfinished() {
			w.finish(i, nil)
		}
	}
	seen := map[string]bool{}
	for _, s := range w.out {
		seen[s.RowKey] = true
	}
	for _, p := range []string{":http/new1", ":http/new2", ":http/lost7", ":http/lost49"} {
		if !seen["com.example"+p] {
			t.Errorf("%s was never emitted: %v", p, w.row("com.example"+p))
		}
	}
}
