package onerun

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/cmd/wire"
	"millrace/streams"
	"millrace/topics"
)

// process is a place where a millrace runs, with its disk; lives come and go.
type process struct {
	w     *world
	n     int
	dir   string
	skew  atomic.Int64 // of its wall clock, nanoseconds
	lives int
	mu    sync.Mutex
	now   *life // nil: down
}

// life is one start of a process up to its end.
type life struct {
	name   string // of its clients at the brokers
	system *wire.System
	gate   *gate // to brokers and store
	web    *gate
	store  *shaky
	stop   context.CancelFunc
	ended  chan struct{}
}

// config returns the configuration of a process, which its flags would set.
func (w *world) config(dir string) wire.Config {
	c := wire.DefaultConfig()
	c.Data, c.Listen = dir, "127.0.0.1:0"
	c.Brokers, c.Store = w.broker.ListenAddrs(), "cql://simulated/sim"
	c.Partitions, c.Replicas = w.plan.Partitions, 1
	c.Scope, c.Delay, c.AllowPrivate = "any", w.plan.Delay, true
	c.MaxDepth = w.plan.Depth
	c.Resolve = []string{"*=127.0.0.1:80"}
	return c
}

// outside returns the connections of a process to its servers and the web, through its gates.
func (p *process) outside(l *life) wire.Outside {
	return wire.Outside{
		Kafka: &streams.Options{
			Brokers: p.w.broker.ListenAddrs(), Transactions: true,
			Client: []kgo.Opt{kgo.Dialer(l.gate.through(p.w.kafka.DialContext)), kgo.ClientID(l.name), kgo.DisableClientMetrics()},
		},
		Store: l.store, Dial: l.web.through(p.w.web.DialContext), ID: fmt.Sprintf("p%d", p.n),
	}
}

// begin starts the process, if it is down.
func (p *process) begin() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now != nil {
		return nil
	}
	p.lives++
	cfg := p.w.config(p.dir)
	if p.w.plan.Static {
		cfg.Member = fmt.Sprintf("m%d", p.n)
	}
	l := &life{name: fmt.Sprintf("p%d.%d", p.n, p.lives), gate: newBrokerGate(), web: newGate(), ended: make(chan struct{})}
	l.store = &shaky{Store: p.w.store, gate: l.gate, chunks: &p.w.chunks, r: rand.New(rand.NewPCG(p.w.plan.Seed, uint64(p.n*100+p.lives)))}
	var err error
	p.w.clocks.do(&p.skew, func() { err = p.live(l, cfg) })
	if err != nil {
		return fmt.Errorf("process %d: %w", p.n, err)
	}
	p.now = l
	return nil
}

// live opens the system of a life and runs it.
func (p *process) live(l *life, cfg wire.Config) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := wire.OpenOver(ctx, cfg, p.outside(l), slog.New(&handler{w: p.w, who: l.name}))
	if err != nil {
		return err
	}
	run, stop := context.WithCancel(context.Background())
	l.system, l.stop = s, stop
	p.w.side.Go(func() {
		defer close(l.ended)
		if err := s.Run(run, topics.GroupNames()...); err != nil {
			p.w.offend("process %d ended: %v", p.n, err)
		}
		s.Close()
	})
	return nil
}

// end stops the process in order; killed, nothing of it reaches anybody any more. false: it
// was down, or another fault is ending it.
func (p *process) end(killed bool) bool {
	p.mu.Lock()
	l := p.now
	p.now = nil
	p.mu.Unlock()
	if l == nil {
		return false
	}
	if killed {
		l.gate.kill()
		l.web.kill()
		p.w.repeats.killed(l)
		p.w.side.Go(func() { p.w.bury(l) })
	}
	l.stop()
	select {
	case <-l.ended:
	case <-time.After(endWithin):
		p.w.offend("process %d did not end within %s (killed %v)", p.n, endWithin, killed)
		p.w.hang()
	}
	return true
}

// bury takes a killed life out of its groups when its session is over. Kafka does so by
// itself; the broker of the simulation forgets it of members that die between joining and
// their first heartbeat.
func (w *world) bury(l *life) {
	time.Sleep(streams.DefaultConfig().Session + time.Second)
	for _, name := range topics.GroupNames() {
		info := w.broker.GroupInfo(name)
		if info == nil {
			continue
		}
		for _, m := range info.Members {
			if m.ClientID != l.name {
				continue
			}
			req := kmsg.NewPtrLeaveGroupRequest()
			req.Group, req.MemberID = name, m.MemberID
			req.Members = []kmsg.LeaveGroupRequestMember{{MemberID: m.MemberID, InstanceID: m.InstanceID}}
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			_, err := req.RequestWith(ctx, w.admin)
			cancel()
			w.note("%s is taken out of %s: %v", l.name, name, err)
		}
	}
}

// endWithin is longer than any grace that a process is given.
const endWithin = 5 * time.Minute

// life returns the present life, or nil.
func (p *process) life() *life {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// loseDisk forgets what the process kept.
func (p *process) loseDisk() error {
	if err := os.RemoveAll(p.dir); err != nil {
		return err
	}
	p.dir = filepath.Join(p.w.dir, fmt.Sprintf("p%d-%d", p.n, p.lives))
	return nil
}

// handler keeps the log of a process, with the simulated time.
type handler struct {
	w     *world
	who   string
	attrs []slog.Attr
}

// Enabled implements slog.Handler.
func (h *handler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.w.level }

// Handle implements slog.Handler.
func (h *handler) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	for _, a := range h.attrs {
		text += " " + a.String()
	}
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.String()
		return true
	})
	h.w.lostLogs.hear(text)
	h.w.note("%s %s %s", h.who, r.Level, text)
	return nil
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(a []slog.Attr) slog.Handler {
	return &handler{h.w, h.who, append(append([]slog.Attr(nil), h.attrs...), a...)}
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(string) slog.Handler { return h }
