package onerun

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/bench/system/simulator/plan"
	"millrace/consumers/fetch"
	"millrace/ops/simweb/judge"
	simworld "millrace/ops/simweb/world"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// attempt is a URL that fetch was told to ask for: which, and the how manieth time.
type attempt struct {
	url string
	rev int64
}

// repeats holds the attempts that may be made once more (I6): the web was asked for them, and they
// were not acknowledged at the broker when their process lost them.
type repeats struct {
	*world
	rebalances chan struct{} // nil: not watched
	watching   sync.WaitGroup
	over       chan struct{}
	attempts   map[string]map[int64]bool // by URL: revs
	read       map[int32]int64           // how far urls.scheduled was read for them

	mu      sync.Mutex
	allowed map[string]int // by URL
	skipped bool           // what was unacknowledged could not be read
}

// gentle are the faults after which no process loses what it has in hand.
func gentle(k plan.Kind) bool {
	return slices.Contains([]plan.Kind{plan.Kill, plan.Lose, plan.Leave, plan.Join, plan.Clock, plan.Stall, plan.Busy, plan.Unreadable}, k)
}

// newRepeats begins to note, at every rebalance of fetch, what is unacknowledged: whoever lost its
// partitions by then asks for it again. Where processes only die, leave and join, killed notes it
// alone.
func newRepeats(w *world) *repeats {
	r := &repeats{world: w, over: make(chan struct{}), allowed: map[string]int{}, attempts: map[string]map[int64]bool{}, read: map[int32]int64{}}
	if !slices.ContainsFunc(w.plan.Faults, func(f plan.Fault) bool { return !gentle(f.Kind) }) {
		return r
	}
	r.rebalances = make(chan struct{}, 1)
	w.broker.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.JoinGroup}, Observe: true, Count: -1,
		When: func(req kmsg.Request) bool {
			if j, ok := req.(*kmsg.JoinGroupRequest); ok && j.Group == fetch.Group {
				select {
				case r.rebalances <- struct{}{}:
				default:
				}
			}
			return false
		},
	})
	r.watching.Go(r.watch)
	return r
}

// watch notes what is unacknowledged at each rebalance, until close.
func (r *repeats) watch() {
	for {
		select {
		case <-r.rebalances:
			r.allow(nil)
		case <-r.over:
			return
		}
	}
}

// close ends watch.
func (r *repeats) close() {
	close(r.over)
	r.watching.Wait()
}

// killed notes what is unacknowledged of the partitions of a life that ended without notice.
func (r *repeats) killed(l *life) {
	if r.rebalances != nil {
		return
	}
	has := map[int32]bool{}
	if info := r.broker.GroupInfo(fetch.Group); info != nil {
		for _, m := range info.Members {
			if m.ClientID == l.name {
				for _, p := range m.Assignment[topics.Scheduled().Name] {
					has[p] = true
				}
			}
		}
	}
	r.allow(has)
}

// allow allows one repeat of everything unacknowledged in these partitions; nil: in all.
func (r *repeats) allow(in map[int32]bool) {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	var done map[int32]streams.Progress
	err := again(func() (err error) {
		done, err = r.look.Reader.Committed(ctx, fetch.Group, topics.Scheduled().Name)
		return err
	})
	asked := r.asked()
	lost := map[attempt]bool{}
	if err == nil {
		err = r.scheduled(ctx, func(p int32, offset int64, a attempt) {
			if (in == nil || in[p]) && !done[p].IsDone(offset) && asked[a.url] > 0 {
				lost[a] = true
			}
		})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.skipped = r.skipped || err != nil
	for a := range lost {
		r.allowed[a.url]++
	}
}

// scheduled calls fn for every record of urls.scheduled.
func (r *repeats) scheduled(ctx context.Context, fn func(partition int32, offset int64, a attempt)) error {
	topic := topics.Scheduled()
	ends, err := r.look.Reader.Ends(ctx, topic.Name)
	for p, end := range ends {
		if err != nil {
			return err
		}
		err = streams.Read(ctx, r.look.Reader, topic, p, 0, end, func(rec *streams.Record[*schema.Scheduled]) error {
			if !rec.Tombstone {
				fn(p, rec.Offset, attempt{schema.RowKey(rec.Value.RowKey).URL(), rec.Value.Rev})
			}
			return nil
		})
	}
	return err
}

// asked counts the requests for each URL that the web has seen, but for robots.txt.
func (r *repeats) asked() map[string]int {
	out := map[string]int{}
	for _, e := range r.origin.Judge().Record().Events() {
		if e.Flags&judge.NoHost == 0 {
			out[r.origin.World().URL(simworld.Ref{Host: e.Host, Form: e.Form, Page: e.Page}, "")]++
		}
	}
	return out
}

// checkRepeats: the web was asked for each URL once per attempt, and once more for what was lost
// unacknowledged (I6). While a process cannot reach the web, a request may have reached it though
// its answer did not come: such an attempt goes on when the web is back.
func (r *repeats) checkRepeats(ctx context.Context) error {
	r.mu.Lock()
	allowed, skipped := maps.Clone(r.allowed), r.skipped || r.lostLogs.any()
	r.mu.Unlock()
	if skipped || slices.ContainsFunc(r.plan.Faults, func(f plan.Fault) bool { return f.Kind == plan.Outage }) {
		return nil
	}
	if err := r.readAttempts(ctx); err != nil {
		return err
	}
	attempts, asked := r.attempts, r.asked()
	for _, url := range slices.Sorted(maps.Keys(attempts)) {
		if most := len(attempts[url]) + allowed[url]; asked[url] > most {
			r.offend("I6: %s was asked for %d times, in %d attempts of which %d were lost unacknowledged", url, asked[url], len(attempts[url]), allowed[url])
		}
	}
	return nil
}

// readAttempts reads what was scheduled since it was called last: a topic forgets what is old.
func (r *repeats) readAttempts(ctx context.Context) error {
	return r.scheduled(ctx, func(p int32, offset int64, a attempt) {
		if offset < r.read[p] {
			return
		}
		r.read[p] = offset + 1
		if r.attempts[a.url] == nil {
			r.attempts[a.url] = map[int64]bool{}
		}
		r.attempts[a.url][a.rev] = true
	})
}
