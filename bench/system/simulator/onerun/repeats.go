package onerun

import (
	"context"
	"maps"
	"slices"

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
	allowed  map[string]int            // by URL
	skipped  bool                      // what was unacknowledged could not be read
	attempts map[string]map[int64]bool // by URL: revs
	read     map[int32]int64           // how far urls.scheduled was read for them
}

// gentle are the faults after which no process loses what it has in hand.
func gentle(k plan.Kind) bool {
	return slices.Contains([]plan.Kind{plan.Kill, plan.Lose, plan.Leave, plan.Join, plan.Clock, plan.Stall, plan.Busy, plan.Unreadable}, k)
}

// watchRepeats begins to note, at every rebalance of fetch, what is unacknowledged: whoever lost
// its partitions by then asks for it again. Where processes only die, leave and join, killed notes
// it alone.
func (w *world) watchRepeats() {
	w.repeats = repeats{allowed: map[string]int{}, attempts: map[string]map[int64]bool{}, read: map[int32]int64{}}
	if !slices.ContainsFunc(w.plan.Faults, func(f plan.Fault) bool { return !gentle(f.Kind) }) {
		return
	}
	w.rebalances = make(chan struct{}, 1)
	w.broker.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.JoinGroup}, Observe: true, Count: -1,
		When: func(r kmsg.Request) bool {
			if j, ok := r.(*kmsg.JoinGroupRequest); ok && j.Group == fetch.Group {
				select {
				case w.rebalances <- struct{}{}:
				default:
				}
			}
			return false
		},
	})
	w.watching.Go(func() {
		for {
			select {
			case <-w.rebalances:
				w.allow(nil)
			case <-w.over:
				return
			}
		}
	})
}

// killed notes what is unacknowledged of the partitions of a life that ended without notice.
func (w *world) killed(l *life) {
	if w.rebalances != nil {
		return
	}
	has := map[int32]bool{}
	if info := w.broker.GroupInfo(fetch.Group); info != nil {
		for _, m := range info.Members {
			if m.ClientID == l.name {
				for _, p := range m.Assignment[topics.Scheduled().Name] {
					has[p] = true
				}
			}
		}
	}
	w.allow(has)
}

// allow allows one repeat of everything unacknowledged in these partitions; nil: in all.
func (w *world) allow(in map[int32]bool) {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	var done map[int32]streams.Progress
	err := again(func() (err error) {
		done, err = w.look.Reader.Committed(ctx, fetch.Group, topics.Scheduled().Name)
		return err
	})
	asked := w.asked()
	lost := map[attempt]bool{}
	if err == nil {
		err = w.scheduled(ctx, func(p int32, offset int64, a attempt) {
			if (in == nil || in[p]) && !done[p].IsDone(offset) && asked[a.url] > 0 {
				lost[a] = true
			}
		})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.repeats.skipped = w.repeats.skipped || err != nil
	for a := range lost {
		w.repeats.allowed[a.url]++
	}
}

// scheduled calls fn for every record of urls.scheduled.
func (w *world) scheduled(ctx context.Context, fn func(partition int32, offset int64, a attempt)) error {
	topic := topics.Scheduled()
	ends, err := w.look.Reader.Ends(ctx, topic.Name)
	for p, end := range ends {
		if err != nil {
			return err
		}
		err = streams.Read(ctx, w.look.Reader, topic, p, 0, end, func(r *streams.Record[*schema.Scheduled]) error {
			if !r.Tombstone {
				fn(p, r.Offset, attempt{schema.RowKey(r.Value.RowKey).URL(), r.Value.Rev})
			}
			return nil
		})
	}
	return err
}

// asked counts the requests for each URL that the web has seen, but for robots.txt.
func (w *world) asked() map[string]int {
	out := map[string]int{}
	for _, e := range w.origin.Judge().Record().Events() {
		if e.Flags&judge.NoHost == 0 {
			out[w.origin.World().URL(simworld.Ref{Host: e.Host, Form: e.Form, Page: e.Page}, "")]++
		}
	}
	return out
}

// checkRepeats: the web was asked for each URL once per attempt, and once more for what was lost
// unacknowledged (I6). While a process cannot reach the web, a request may have reached it though
// its answer did not come: such an attempt goes on when the web is back.
func (w *world) checkRepeats(ctx context.Context) error {
	w.mu.Lock()
	allowed, skipped := maps.Clone(w.repeats.allowed), w.repeats.skipped || len(w.lost) > 0
	w.mu.Unlock()
	if skipped || slices.ContainsFunc(w.plan.Faults, func(f plan.Fault) bool { return f.Kind == plan.Outage }) {
		return nil
	}
	if err := w.readAttempts(ctx); err != nil {
		return err
	}
	attempts := w.repeats.attempts
	asked := w.asked()
	for _, url := range slices.Sorted(maps.Keys(attempts)) {
		if most := len(attempts[url]) + allowed[url]; asked[url] > most {
			w.offend("I6: %s was asked for %d times, in %d attempts of which %d were lost unacknowledged", url, asked[url], len(attempts[url]), allowed[url])
		}
	}
	return nil
}

// readAttempts reads what was scheduled since it was called last: a topic forgets what is old.
func (w *world) readAttempts(ctx context.Context) error {
	r := &w.repeats
	return w.scheduled(ctx, func(p int32, offset int64, a attempt) {
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
