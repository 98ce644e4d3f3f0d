package onerun

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/bench/system/simulator/plan"
	"millrace/cmd/wire"
	"millrace/ops/simweb"
	"millrace/producers/seeds"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/streams/state/embedded"
)

// world is everything of a run: broker, store, web, processes, and an observer that no
// fault reaches. What happens to it has types of its own, which hold the world: injector, settling,
// checks, urgency, repeats, saboteur.
//
// It is large because a run is one experiment: all parts that faults reach and that checks look at
// afterwards are its fields.
type world struct {
	book
	plan  plan.Plan
	dir   string
	level slog.Level

	kafka  kfake.VirtualNetwork
	web    kfake.VirtualNetwork
	broker *kfake.Cluster
	store  state.Store
	origin *simweb.Server
	seeds  []string
	look   *wire.System // the observer
	admin  *kgo.Client
	procs  []*process
	clocks *clocks
	side   sync.WaitGroup // processes
	fatal  chan struct{}  // closed: something does not end

	mu         sync.Mutex
	unreadable map[string]bool // bodies of records that nobody can read
	gone       map[string]bool // URLs that were taken away

	lostLogs lostLogs
	chunks   chunks
	repeats  *repeats
}

// hang gives the run up: something does not end.
func (w *world) hang() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.fatal:
	default:
		close(w.fatal)
	}
}

// open starts broker, store, web and observer.
func (w *world) open() (err error) {
	w.began, w.fatal, w.clocks = time.Now(), make(chan struct{}), newClocks()
	w.checkClocks()
	w.unreadable, w.gone = map[string]bool{}, map[string]bool{}
	if err := w.openWeb(); err != nil {
		return err
	}
	w.broker, err = kfake.NewCluster(
		kfake.NumBrokers(1), kfake.ListenFn(w.kafka.Listen), kfake.Ports(9092), kfake.GroupMinSessionTimeout(time.Second),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}),
	)
	if err != nil {
		return err
	}
	o := embedded.DefaultOptions()
	o.InMemory, o.CacheBytes, o.MemTableBytes = true, 1<<20, 4<<20
	if w.store, err = embedded.Open("simulated", o); err != nil {
		return err
	}
	w.admin, err = kgo.NewClient(kgo.SeedBrokers(w.broker.ListenAddrs()...), kgo.Dialer(w.kafka.DialContext), kgo.DisableClientMetrics())
	if err != nil {
		return err
	}
	w.repeats = newRepeats(w)
	return w.openObserver()
}

func (w *world) openObserver() (err error) {
	out := wire.Outside{
		Kafka: &streams.Options{Brokers: w.broker.ListenAddrs(), Transactions: true, Client: []kgo.Opt{kgo.Dialer(w.kafka.DialContext)}},
		Store: unclosed{w.store}, ID: "observer",
	}
	cfg := w.config(filepath.Join(w.dir, "observer"))
	layout := streams.Layout{PerHost: int32(w.plan.Partitions), PerSite: int32(w.plan.Partitions), Replicas: 1}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := wire.ProvisionOver(ctx, layout, out); err != nil {
		return err
	}
	w.look, err = wire.OpenOver(ctx, cfg, out, slog.New(slog.DiscardHandler))
	return err
}

// unclosed is a store that its user does not close.
type unclosed struct{ state.Store }

// Close does nothing.
func (unclosed) Close() error { return nil }

// openWeb serves a web of the plan's size.
func (w *world) openWeb() error {
	p, err := simweb.Load("fast")
	if err != nil {
		return err
	}
	p.Hosts, p.HostsPerSite = w.plan.Hosts, w.plan.PerSite
	p.Pages.Min, p.Pages.Max = w.plan.Pages, w.plan.Pages
	p.Size.Min, p.Size.Median, p.Size.Max = 1000, 2000, 3000
	p.Links.Mean, p.Links.External, p.Links.Fanout = 6, 0.2, 3
	p.Leaves = map[string]float64{"copy": 0.2, "noindex": 0.05, "private": 0.05, "redirect": 0.08, "missing": 0.05, "gone": 0.03}
	p.Twins = map[string]float64{"slash": 0.05}
	p.Robots.Answers = map[string]float64{"none": 0.2, "messy": 0.2}
	p.Latency.Median, p.Latency.Sigma = w.plan.Latency, 0.5
	o := simweb.DefaultOptions()
	o.Start = time.Now()
	web, err := simweb.Build(p, w.plan.Seed, o)
	if err != nil {
		return err
	}
	serve := simweb.DefaultServe()
	serve.Network, serve.Listen = w.web.Listen, "127.0.0.1:80"
	if w.origin, err = simweb.Serve(web, serve); err != nil {
		return err
	}
	w.seeds = web.Seeds(p.Hosts, "")
	return nil
}

// start starts the processes and gives the crawl its seeds.
func (w *world) start() error {
	for range w.plan.Processes {
		if err := w.join(); err != nil {
			return err
		}
	}
	return w.seed()
}

// seed gives the crawl its seeds.
func (w *world) seed() error {
	var list []seeds.Seed
	for _, url := range w.seeds {
		s, err := seeds.Parse(w.look.Canon, url)
		if err != nil {
			return err
		}
		list = append(list, s)
	}
	return again(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		return w.look.Seed(ctx, list)
	})
}

// join adds a process.
func (w *world) join() error {
	n := len(w.procs)
	p := &process{w: w, n: n, dir: filepath.Join(w.dir, fmt.Sprintf("p%d", n))}
	w.procs = append(w.procs, p)
	return p.begin()
}

// close ends everything.
func (w *world) close() {
	for _, p := range w.procs {
		p.end(false)
	}
	w.side.Wait()
	if w.repeats != nil {
		w.repeats.close()
	}
	if w.look != nil {
		w.look.Close()
	}
	if w.admin != nil {
		w.admin.Close()
	}
	if w.broker != nil {
		w.broker.Close()
	}
	if w.store != nil {
		if err := w.store.Close(); err != nil {
			w.offend("the store does not close: %v", err)
		}
	}
	if w.origin != nil {
		if err := w.origin.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			w.offend("the origin does not close: %v", err)
		}
	}
	_ = os.RemoveAll(w.dir)
}
