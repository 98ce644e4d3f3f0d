package streams_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/ops/cluster/clustertest"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// A crew is several members of one group, with any delivery, whose Tasks record the calls of the
// loop. The tests of rebalances and expulsions use crews.
type crew struct {
	t     *testing.T
	opts  streams.Options
	kafka *kfake.Cluster // nil on a real Kafka
	group topics.Group

	consumerProtocol bool

	recoverTime time.Duration // how long a Recover takes
	hold        func(*streams.Partition, *streams.Record[*schema.Page])

	mu      sync.Mutex
	tasks   []*hand
	handled map[string]int // by row key
	stored  map[int32]int64
	changed chan struct{} // closed and made anew at every change
	broken  []string      // promises that the loop broke
}

// deliveries lists the kinds of delivery that crews are tested with.
func deliveries() map[string]topics.Delivery {
	return map[string]topics.Delivery{
		"ordered": topics.Ordered, "async": topics.Async, "transactional": topics.Transactional, "own": topics.Own,
	}
}

// eachDelivery runs a test for every delivery on a broker in process.
func eachDelivery(t *testing.T, test func(*crew)) {
	for name, d := range deliveries() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newCrew(t, d))
		})
	}
}

// eachDeliveryOnKafka runs a test for every delivery on real servers.
func eachDeliveryOnKafka(t *testing.T, test func(*crew)) {
	brokers := clustertest.KafkaAlone(t)
	for name, d := range deliveries() {
		t.Run(name, func(t *testing.T) {
			opts := streams.Options{Brokers: brokers, Transactions: true}
			if err := streamstest.Clear(t.Context(), brokers); err != nil {
				t.Fatal(err)
			}
			if err := streams.Provision(t.Context(), opts, streams.Layout{PerHost: 4, PerSite: 4, Replicas: 1}); err != nil {
				t.Fatal(err)
			}
			test(crewOn(t, opts, d))
		})
	}
}

func newCrew(t *testing.T, d topics.Delivery) *crew {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(time.Second),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	opts := streams.Options{Brokers: c.ListenAddrs(), Transactions: true}
	if err := streams.Provision(t.Context(), opts, streams.DefaultLayout(true)); err != nil {
		t.Fatal(err)
	}
	crew := crewOn(t, opts, d)
	crew.kafka = c
	return crew
}

func crewOn(t *testing.T, opts streams.Options, d topics.Delivery) *crew {
	return &crew{
		t: t, opts: opts,
		group:   topics.Group{Name: "extract", Reads: topics.Pages().Name, Writes: []string{topics.Extracted().Name}, Delivery: d},
		handled: map[string]int{}, stored: map[int32]int64{}, changed: make(chan struct{}),
	}
}

// config returns a member's configuration; real brokers allow sessions from 6 s.
func (c *crew) config() streams.Config {
	cfg := streamstest.Config(c.opts)
	cfg.Session, cfg.StopWithin = 2*time.Second, 2*time.Second
	if c.kafka == nil {
		cfg.Session = 6 * time.Second
	}
	cfg.ConsumerProtocol = c.consumerProtocol
	return cfg
}

// join starts a member with a dialer of its own.
func (c *crew) join(name string, via *network) (cfg streams.Config, leave func()) {
	cfg = c.config()
	if via != nil {
		cfg.Kafka.Client = append(slices.Clone(cfg.Kafka.Client), kgo.Dialer(via.dial))
	}
	leave = streamstest.Start(c.t, cfg, c.group, topics.Pages(), func(p *streams.Partition) streams.Task[*schema.Page] {
		h := &hand{c: c, member: name, p: p, out: streams.NewEmitter(p, c.group.Name, topics.Extracted())}
		c.note(func() { c.tasks = append(c.tasks, h) })
		return h
	})
	return cfg, leave
}

// note changes the crew's records.
func (c *crew) note(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
	close(c.changed)
	c.changed = make(chan struct{})
}

// await returns when the crew's records satisfy enough.
func (c *crew) await(what string, enough func() bool) {
	c.t.Helper()
	late := time.After(time.Minute)
	for {
		c.mu.Lock()
		ok, changed := enough(), c.changed
		c.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-late:
			c.t.Fatalf("%s: never; %s", what, c)
		}
	}
}

func (c *crew) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := fmt.Sprintf("%d keys handled", len(c.handled))
	for _, h := range c.tasks {
		s += fmt.Sprintf("\n  %s/%d recovers %d revokes %d", h.member, h.p.ID(), h.recovers, h.revokes)
	}
	return s
}

// settled returns when n pages have their outputs, the group's lag is zero, and
// every partition has one living Task.
func (c *crew) settled(n int) {
	c.t.Helper()
	wantKeys(c.t, c.opts, n)
	wantIdle(c.t, c.opts, c.group.Name)
	c.await("one Task for every partition", func() bool {
		alive := map[int32]int{}
		for _, h := range c.tasks {
			if h.revokes == 0 {
				alive[h.p.ID()]++
			}
		}
		for p := range int32(4) {
			if alive[p] != 1 {
				return false
			}
		}
		return true
	})
}

// check reports the promises that were broken, when every member has left.
func (c *crew) check() {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.broken {
		c.t.Error(b)
	}
	for _, h := range c.tasks {
		if h.revokes != 1 {
			c.t.Errorf("%s, partition %d: the Task was revoked %d times", h.member, h.p.ID(), h.revokes)
		}
	}
}

// expel removes every member from the group at the brokers, as the end of their
// sessions would.
func (c *crew) expel() {
	c.t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.opts.Brokers...))
	if err != nil {
		c.t.Fatal(err)
	}
	adm := kadm.NewClient(cl)
	defer adm.Close()
	var ids []string
	leave := leaveFor
	if c.consumerProtocol {
		leave = leaveConsumerGroupFor
		groups, err := adm.DescribeConsumerGroups(c.t.Context(), c.group.Name)
		if err != nil {
			c.t.Fatal(err)
		}
		for _, m := range groups[c.group.Name].Members {
			ids = append(ids, m.MemberID)
		}
	} else {
		groups, err := adm.DescribeGroups(c.t.Context(), c.group.Name)
		if err != nil {
			c.t.Fatal(err)
		}
		for _, m := range groups[c.group.Name].Members {
			ids = append(ids, m.MemberID)
		}
	}
	for _, id := range ids {
		if err := leave(c.t.Context(), cl, c.group.Name, id); err != nil && !errors.Is(err, kerr.UnknownMemberID) {
			c.t.Fatal(err)
		}
	}
}

// hand is a Task of a crew.
type hand struct {
	c      *crew
	member string
	p      *streams.Partition
	out    streams.Emitter[*schema.Extracted]
	next   int64 // own: what is in the round

	busy              sync.Mutex
	recovers, revokes int
}

// alone notes a call: the loop calls a Task from one goroutine at a time, and never
// after Revoke.
func (h *hand) alone(call string) (done func()) {
	if !h.busy.TryLock() {
		h.c.note(func() { h.c.broken = append(h.c.broken, call+" while another call is at work") })
		return func() {}
	}
	h.c.mu.Lock()
	if h.revokes > 0 {
		h.c.broken = append(h.c.broken, fmt.Sprintf("%s, partition %d: %s after Revoke", h.member, h.p.ID(), call))
	}
	h.c.mu.Unlock()
	return h.busy.Unlock
}

func (h *hand) Recover(ctx context.Context) (int64, error) {
	defer h.alone("Recover")()
	h.c.note(func() { h.recovers++ })
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(h.c.recoverTime):
	}
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	if at, ok := h.c.stored[h.p.ID()]; ok && h.c.group.Delivery == topics.Own {
		return at, nil
	}
	return streams.Committed, nil
}

func (h *hand) Handle(_ context.Context, r *streams.Record[*schema.Page]) error {
	defer h.alone("Handle")()
	if h.c.hold != nil {
		h.c.hold(h.p, r)
	}
	m := &schema.Extracted{Body: &schema.Extracted_Gone{Gone: &schema.Gone{RowKey: r.Value.RowKey, Site: r.Value.Site}}}
	h.next = r.Offset + 1
	h.c.note(func() { h.c.handled[r.Value.RowKey]++ })
	if h.c.group.Delivery != topics.Async {
		h.out.Send(m)
		return nil
	}
	offset := r.Offset
	h.out.SendNow(m, func(err error) {
		if err == nil {
			h.p.Done(offset)
		}
	})
	return nil
}

func (h *hand) Undo() {}

func (h *hand) Settle(context.Context) error {
	defer h.alone("Settle")()
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	h.c.stored[h.p.ID()] = max(h.c.stored[h.p.ID()], h.next)
	return nil
}

func (h *hand) Tick(context.Context, time.Time) error {
	defer h.alone("Tick")()
	return nil
}

func (h *hand) Revoke(context.Context, bool) {
	defer h.alone("Revoke")()
	h.c.note(func() { h.revokes++ })
}

// network is the connection from a member to the brokers. A test can freeze it, as if the process
// were stopped, or break it.
type network struct {
	mu    sync.RWMutex // held while it is frozen
	away  atomic.Bool  // no new connection is made
	conns struct {
		sync.Mutex
		list []net.Conn
	}
}

func (n *network) dial(ctx context.Context, kind, host string) (net.Conn, error) {
	if n.away.Load() {
		return nil, &net.OpError{Op: "dial", Net: kind, Err: syscall.ECONNREFUSED}
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, kind, host)
	if err != nil {
		return nil, err
	}
	n.conns.Lock()
	defer n.conns.Unlock()
	n.conns.list = append(n.conns.list, c)
	return wire{c, n}, nil
}

// cut breaks all connections: answers on their way are lost.
func (n *network) cut() {
	n.conns.Lock()
	defer n.conns.Unlock()
	for _, c := range n.conns.list {
		_ = c.Close()
	}
	n.conns.list = nil
}

type wire struct {
	net.Conn
	n *network
}

func (w wire) Read(b []byte) (int, error) {
	got, err := w.Conn.Read(b)
	w.n.mu.RLock()
	defer w.n.mu.RUnlock()
	return got, err
}

func (w wire) Write(b []byte) (int, error) {
	w.n.mu.RLock()
	defer w.n.mu.RUnlock()
	return w.Conn.Write(b)
}
