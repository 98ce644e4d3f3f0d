// Command rebalance measures how partitions move between the members of a group, with both
// protocols of Kafka: classic, where the members divide the partitions (cooperative and sticky),
// and consumer, where the brokers do (KIP-848; --group-protocol consumer); each with members that
// have a name and keep their partitions while they are away (static, KIP-345; --member), and
// without.
//
//	go run ./bench/system/rebalance -brokers HOST:PORT
//
// Goals: an operator can choose, with numbers of the servers at hand.
//
// How it works: members run package streams' loop with Tasks that do nothing. Two share 16
// partitions; a third joins, it leaves in order, it joins again, it is restarted (it leaves in
// order and the same name joins at once), and its connections are cut, as when its machine dies.
// Measured are, from that event: the time until every partition has a living Task again in the
// division that is expected, how many partitions the two others were given or gave up, the longest
// time for which a partition had no Task, and in the end the CPU time of this process.
//
// Promises: both protocols have the same session, that which the brokers keep for the group, so
// that a takeover after a death is compared fairly. They take turns.
//
// On failure: an event that is not over after two minutes ends the program with an error.
//
// Limits: topics and groups of millrace on these brokers are deleted. Times are wall clock: compare
// only those of one run.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

const partitions = 16

func main() {
	brokers := flag.String("brokers", "", "of a Kafka, 4.3 or newer; topics and groups of millrace there are deleted")
	runs := flag.Int("runs", 3, "of each protocol")
	session := flag.Duration("session", 10*time.Second, "that the brokers keep for consumer groups (consumer.session.timeout.ms)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, strings.Split(*brokers, ","), *runs, *session); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// kind is how members share partitions.
type kind struct {
	name             string
	consumer, static bool
}

func kinds() []kind {
	return []kind{{"classic", false, false}, {"classic, static", false, true}, {"consumer", true, false}, {"consumer, static", true, true}}
}

// event holds the measurements of one event.
type event struct {
	name  string
	took  time.Duration
	stood time.Duration // the longest time for which a partition had no Task
	moved int           // partitions that the members that stay were given or gave up
}

func measure(ctx context.Context, brokers []string, runs int, session time.Duration) error {
	seen := map[kind]map[string][]event{}
	used := map[kind]time.Duration{}
	for range runs {
		for _, k := range kinds() {
			before := cpu()
			events, err := once(ctx, brokers, k, session)
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			used[k] += cpu() - before
			if seen[k] == nil {
				seen[k] = map[string][]event{}
			}
			for _, e := range events {
				seen[k][e.name] = append(seen[k][e.name], e)
			}
		}
	}
	fmt.Printf("%d partitions, session %s, median of %d runs: until all is divided; the longest time without a Task; moved among the others\n\n",
		partitions, session, runs)
	head, rule := "| event |", "|---|"
	for _, k := range kinds() {
		head, rule = head+" "+k.name+" |", rule+"---|"
	}
	fmt.Println(head + "\n" + rule)
	for _, name := range []string{"two members join", "a third joins", "it leaves", "it joins again", "it is restarted", "it dies"} {
		fmt.Printf("| %s |", name)
		for _, k := range kinds() {
			e := median(seen[k][name])
			fmt.Printf(" %.1f s; %.1f s; %d |", e.took.Seconds(), e.stood.Seconds(), e.moved)
		}
		fmt.Println()
	}
	fmt.Print("| CPU of the members, a run |")
	for _, k := range kinds() {
		fmt.Printf(" %.2f s |", used[k].Seconds()/float64(runs))
	}
	fmt.Println()
	return nil
}

// median returns the event whose time is in the middle.
func median(list []event) event {
	slices.SortFunc(list, func(a, b event) int { return cmp.Compare(a.took, b.took) })
	return list[len(list)/2]
}

func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// once runs all events with one kind of members.
func once(ctx context.Context, brokers []string, k kind, session time.Duration) ([]event, error) {
	opts := streams.Options{Brokers: brokers, Transactions: true}
	if err := streamstest.Clear(ctx, brokers); err != nil {
		return nil, err
	}
	if err := streams.Provision(ctx, opts, streams.Layout{PerHost: partitions, PerSite: 4, Replicas: 1}); err != nil {
		return nil, err
	}
	c := &crew{opts: opts, kind: k, session: session, has: map[string]int{}, watch: watch{owner: map[int32]string{}}, news: make(chan struct{}, 1)}
	defer c.end()
	c.join("a")
	c.join("b")
	var events []event
	stay := map[string]int{"a": partitions / 2, "b": partitions / 2}
	three := map[string]int{"a": 0, "b": 0, "c": 0}
	for _, step := range []struct {
		name string
		do   func()
		want map[string]int // how many partitions each has in the end; 0: a third, more or less
	}{
		{"two members join", func() {}, stay},
		{"a third joins", func() { c.join("c") }, three},
		{"it leaves", func() { c.leave("c") }, stay},
		{"it joins again", func() { c.join("c") }, three},
		{"it is restarted", func() { c.restart("c") }, three},
		{"it dies", func() { c.die("c") }, stay},
	} {
		c.reset()
		began := time.Now()
		step.do()
		if err := c.await(ctx, step.want); err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, err)
		}
		fmt.Fprintf(os.Stderr, "%s (%s): %.1f s\n", step.name, k.name, time.Since(began).Seconds())
		events = append(events, event{step.name, time.Since(began), c.longest(), c.moves("a", "b")})
	}
	return events, nil
}

// crew is the members of one group.
type crew struct {
	opts    streams.Options
	kind    kind
	session time.Duration
	members []*member
	running sync.WaitGroup

	mu    sync.Mutex
	watch watch
	has   map[string]int // partitions that each member works on
	dead  string         // whose partitions count no more
	moved map[string]int // given and taken since reset, by member
	news  chan struct{}
}

// watch is who works on each partition.
type watch struct {
	owner map[int32]string
	since map[int32]time.Time // since when nobody does
	stood time.Duration       // the longest time for which nobody did, since reset
}

// member is one member: stop ends it in order, cut cuts its connections for ever.
type member struct {
	name string
	stop context.CancelFunc
	done chan struct{}
	cut  context.CancelFunc
}

// join starts a member.
func (c *crew) join(name string) {
	ctx, stop := context.WithCancel(context.Background())
	line, cut := context.WithCancel(context.Background())
	m := &member{name, stop, make(chan struct{}), cut}
	c.members = append(c.members, m)
	cfg := streams.DefaultConfig()
	cfg.Kafka, cfg.Logger = c.opts, slog.New(slog.DiscardHandler)
	cfg.Kafka.Client = []kgo.Opt{kgo.Dialer(func(ctx context.Context, network, address string) (net.Conn, error) {
		return dial(ctx, line, network, address)
	})}
	cfg.Session, cfg.ConsumerProtocol, cfg.Member, cfg.Static = c.session, c.kind.consumer, name, c.kind.static
	group := topics.Group{Name: "extract", Reads: topics.Pages().Name}
	c.running.Go(func() {
		defer close(m.done)
		err := streams.Run(ctx, cfg, group, topics.Pages(), func(p *streams.Partition) streams.Task[*schema.Page] {
			return &task{c: c, name: name, partition: p.ID()}
		})
		if err != nil && ctx.Err() == nil {
			fmt.Fprintln(os.Stderr, name, "ended:", err)
		}
	})
}

// dial opens a connection that lives as long as line.
func dial(ctx, line context.Context, network, address string) (net.Conn, error) {
	if line.Err() != nil {
		return nil, errors.New("no route")
	}
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err == nil {
		context.AfterFunc(line, func() { _ = conn.Close() })
	}
	return conn, err
}

func (c *crew) named(name string) *member {
	i := slices.IndexFunc(c.members, func(m *member) bool { return m.name == name && m.stop != nil })
	return c.members[i]
}

// leave ends a member in order. It does not wait for it.
func (c *crew) leave(name string) {
	m := c.named(name)
	m.stop()
	m.stop = nil
}

// restart ends a member in order, and begins it again.
func (c *crew) restart(name string) {
	m := c.named(name)
	c.leave(name)
	<-m.done
	c.join(name)
}

// die cuts the connections of a member and counts what it has as gone.
func (c *crew) die(name string) {
	c.named(name).cut()
	c.mu.Lock()
	c.dead = name
	delete(c.has, name)
	for p := range int32(partitions) {
		c.watch.hand(name, p, -1)
	}
	c.mu.Unlock()
}

// end stops all members and waits for them.
func (c *crew) end() {
	for _, m := range c.members {
		if m.stop != nil {
			m.stop()
		}
	}
	c.running.Wait()
	for _, m := range c.members {
		m.cut()
	}
}

func (c *crew) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved = map[string]int{}
	c.watch.stood, c.watch.since = 0, map[int32]time.Time{}
	for p := range int32(partitions) {
		if c.watch.owner[p] == "" {
			c.watch.since[p] = time.Now()
		}
	}
}

func (c *crew) longest() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.watch.stood
}

func (c *crew) moves(names ...string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		n += c.moved[name]
	}
	return n
}

// change notes that a member was given (1) or lost (-1) a partition.
func (c *crew) change(name string, partition int32, by int) {
	c.mu.Lock()
	if name != c.dead {
		c.has[name] += by
		c.moved[name]++
		c.watch.hand(name, partition, by)
	}
	c.mu.Unlock()
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// hand notes who works on a partition, and for how long nobody did.
func (w *watch) hand(name string, partition int32, by int) {
	switch {
	case by > 0:
		if at, ok := w.since[partition]; ok {
			w.stood = max(w.stood, time.Since(at))
		}
		delete(w.since, partition)
		w.owner[partition] = name
	case w.owner[partition] == name:
		delete(w.owner, partition)
		w.since[partition] = time.Now()
	}
}

// await returns when the members have as many partitions as they should.
func (c *crew) await(ctx context.Context, want map[string]int) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for !c.divided(want) {
		select {
		case <-c.news:
		case <-ctx.Done():
			c.mu.Lock()
			defer c.mu.Unlock()
			return fmt.Errorf("not over: %v", c.has)
		}
	}
	return nil
}

func (c *crew) divided(want map[string]int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := 0
	for name, n := range c.has {
		all += n
		least := want[name]
		if least == 0 {
			least = partitions / len(want)
		}
		if _, ok := want[name]; ok && n < least {
			return false
		}
	}
	return all == partitions && len(want) <= len(c.has)
}

// task is a Task that does nothing but count where its partition is.
type task struct {
	streams.Plain[*schema.Page]
	c         *crew
	name      string
	partition int32
	here      bool
}

// Recover implements streams.Task.
func (t *task) Recover(context.Context) (int64, error) {
	t.here = true
	t.c.change(t.name, t.partition, 1)
	return streams.Committed, nil
}

// Handle implements streams.Task.
func (*task) Handle(context.Context, *streams.Record[*schema.Page]) error { return nil }

// Revoke implements streams.Task.
func (t *task) Revoke(context.Context, bool) {
	if t.here {
		t.c.change(t.name, t.partition, -1)
	}
}
