package onerun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/bench/system/simulator/plan"
	"millrace/consumers/fetch"
	"millrace/ops/simweb"
	"millrace/streams"
)

// injector makes the faults of a plan happen, and takes them back.
type injector struct {
	*world
	running sync.WaitGroup
	calm    atomic.Int64 // counts calmDown
	mu      sync.Mutex
	pending []*kfake.FaultHandle
}

// phase does the faults of a phase, each at its time, and returns when the last is over.
func (in *injector) phase(n int) {
	began := time.Now()
	for _, f := range in.plan.Faults {
		if f.Phase != n || f.Kind == plan.Sabotage {
			continue
		}
		time.Sleep(time.Until(began.Add(f.At)))
		in.note("FAULT %s", f)
		if f.Kind == plan.Recreate {
			in.heal()
			in.must(in.recreate(f))
			continue
		}
		in.running.Go(func() { in.do(f) })
	}
}

// do makes one fault happen and takes it back after its time.
func (in *injector) do(f plan.Fault) {
	switch f.Kind {
	case plan.Join:
		in.must(in.join())
	case plan.Refuse:
		in.must(in.refuse(f))
	case plan.Hangup:
		in.must(in.hangUp(f))
	case plan.Expel:
		in.atBroker(kfake.Fault{
			Keys: []kmsg.Key{kmsg.Heartbeat}, TopLevel: true, Err: kerr.UnknownMemberID,
			When: func(r kmsg.Request) bool { b, ok := r.(*kmsg.HeartbeatRequest); return ok && b.Group == f.What },
		})
	case plan.Stall, plan.Busy:
		in.disturb(f)
	case plan.Unreadable:
		in.must(again(func() error { return in.garble(f) }))
	default:
		in.toProcess(f, in.procs[f.Process])
	}
}

// toProcess does what happens to one process.
func (in *injector) toProcess(f plan.Fault, p *process) {
	switch f.Kind {
	case plan.Kill, plan.Lose, plan.Leave:
		if p.end(f.Kind != plan.Leave) {
			if f.Kind == plan.Lose {
				in.must(p.loseDisk())
			}
			time.Sleep(f.For)
			in.must(p.begin())
		}
		return
	case plan.Clock:
		p.skew.Store(int64(f.N) * int64(time.Second))
		time.Sleep(f.For)
		p.skew.Store(0)
		return
	}
	l := p.life()
	if l == nil {
		return
	}
	until := time.Now().Add(f.For)
	switch f.Kind {
	case plan.Freeze:
		l.gate.freeze()
		time.Sleep(f.For)
		l.gate.open()
	case plan.Cut:
		l.gate.cut()
	case plan.Unanswered:
		in.must(l.unanswered(f))
	case plan.StoreFails:
		l.store.set(func() { l.store.fails = until })
		time.Sleep(f.For) // heal waits for its end
	case plan.StoreSlow:
		l.store.set(func() { l.store.slow = until })
		time.Sleep(f.For)
	case plan.DiskFull:
		l.store.set(func() { l.store.full = until })
		time.Sleep(f.For)
	case plan.Outage:
		l.web.setDown(true)
		time.Sleep(f.For)
		l.web.setDown(false)
	}
}

// heal waits for faults that last.
func (in *injector) heal() { in.running.Wait() }

// robotsRetry is the pause after a robots.txt that cannot be reached.
var robotsRetry = fetch.DefaultOptions().RobotsRetry

// late is by how much the clocks that were ahead in a phase may make URLs late: by their error, and
// by what an outage costs besides. A host whose robots.txt was asked for in an outage, by a clock
// that was ahead, is asked again that much later than the pause after an unreachable robots.txt.
func (w *world) late(phase int) time.Duration {
	late := time.Duration(0)
	for _, f := range w.plan.Faults {
		if f.Kind == plan.Clock && f.Phase == phase && f.N > 0 {
			late = max(late, time.Duration(f.N)*time.Second+robotsRetry)
		}
	}
	return late
}

// sleepLate lets the time pass by which a clock that was ahead in this phase made URLs late. All
// processes are down meanwhile, which is simulated quickly, and start again.
func (in *injector) sleepLate(phase int) error {
	if in.late(phase) == 0 {
		return nil
	}
	in.note("all sleep for %s", in.late(phase))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := in.repeats.readAttempts(ctx); err != nil {
		return err
	}
	var down []*process
	for _, p := range in.procs {
		if p.end(false) {
			down = append(down, p)
		}
	}
	time.Sleep(in.late(phase))
	for _, p := range down {
		if err := again(p.begin); err != nil {
			return err
		}
	}
	return nil
}

// refuse makes the broker answer the next requests of a kind with an error.
func (in *injector) refuse(f plan.Fault) error {
	name, code, _ := strings.Cut(f.What, " ")
	key, err := requestKey(name)
	if err != nil {
		return err
	}
	e, err := errorNamed(code)
	if err != nil {
		return err
	}
	in.atBroker(kfake.Fault{Keys: []kmsg.Key{key}, Err: e, Count: f.N}, kfake.Fault{Keys: []kmsg.Key{key}, TopLevel: true, Err: e, Count: f.N})
	return nil
}

// unanswered loses the next answers to a kind of request, with their connections or without a word.
// Requests that are not sent within the fault's time are answered.
func (l *life) unanswered(f plan.Fault) error {
	name, how, _ := strings.Cut(f.What, " ")
	key, err := requestKey(name)
	if err != nil {
		return err
	}
	l.gate.lost.lose(int16(key), f.N, how == "silent")
	time.Sleep(f.For)
	l.gate.lost.forget()
	return nil
}

// hangUp ends the connection in place of the next answers to a kind of request.
func (in *injector) hangUp(f plan.Fault) error {
	key, err := requestKey(f.What)
	if err != nil {
		return err
	}
	round := in.calm.Load()
	for range f.N {
		in.broker.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
			if in.calm.Load() != round {
				in.broker.DropControl()
				return nil, nil, false
			}
			return nil, errors.New("simulated: hung up"), true
		})
	}
	return nil
}

// atBroker gives the broker faults, until calmDown.
func (in *injector) atBroker(faults ...kfake.Fault) {
	h := in.broker.Fault(faults...)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.pending = append(in.pending, h)
}

// calmDown takes back faults of the broker that met nobody: what is checked next is how fast things
// go when nothing is wrong.
func (in *injector) calmDown() {
	in.calm.Add(1)
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, h := range in.pending {
		h.Remove()
	}
	in.pending = nil
}

func requestKey(name string) (kmsg.Key, error) {
	for k := range int16(100) {
		if kmsg.Key(k).Name() == name {
			return kmsg.Key(k), nil
		}
	}
	return 0, fmt.Errorf("no request %q", name)
}

func errorNamed(name string) (*kerr.Error, error) {
	for code := range int16(200) {
		if e := kerr.TypedErrorForCode(code); e != nil && e.Message == name {
			return e, nil
		}
	}
	return nil, fmt.Errorf("no error %q", name)
}

// disturb makes a page of the web misbehave for a while.
func (in *injector) disturb(f plan.Fault) {
	truth, err := in.truth()
	in.must(err)
	urls := slices.Sorted(maps.Keys(truth.Docs))
	if len(urls) == 0 {
		return
	}
	url := urls[f.N%len(urls)]
	if in.isGone(url) {
		return
	}
	o := simweb.Override{Status: 503, RetryAfter: time.Second}
	if f.Kind == plan.Stall {
		o = simweb.Override{Hang: true}
	}
	in.must(in.origin.Override(url, o))
	time.Sleep(f.For)
	in.origin.Restore(url)
}

// garble appends a record that is no message.
func (in *injector) garble(f plan.Fault) error {
	body := fmt.Sprintf("\xff\xff simulated unreadable %d", f.N)
	in.world.mu.Lock()
	in.unreadable[f.What+" "+body] = true
	in.world.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return streams.Append(ctx, in.look.Kafka, streams.Send{
		Topic: f.What, Partition: int32(f.N % in.plan.Partitions), Key: "unreadable", Value: []byte(body),
	})
}

// again tries what a user would try again: the faults meet the observer too.
func again(fn func() error) (err error) {
	for range 10 {
		if err = fn(); err == nil {
			return nil
		}
		time.Sleep(2 * time.Second)
	}
	return err
}
