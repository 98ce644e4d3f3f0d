//go:build linux

package faults

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"millrace/cmd/wire"
	"millrace/ops/cluster"
	"millrace/ops/simweb"
	"millrace/ops/simweb/clock"
	"millrace/streams"
	"millrace/topics"
)

// members is how many processes share the work.
const members = 3

// How long things may take on a busy machine. What takes longer hangs, which is an offence.
const (
	workWithin  = 3 * time.Minute // until the origin sees more requests, or a group has partitions
	leaveWithin = time.Minute
	restWithin  = 30 * time.Minute // from the last fault until nothing is left to do
	// Until something of what is left is done: more than twice the three minutes after which the
	// frontier sends a URL again whose outcome did not come.
	moveWithin = 8 * time.Minute
)

// keyspace holds the tables of a run.
const keyspace = "faults"

// Verdict is the result of a run.
type Verdict struct {
	Faults    []Fault
	Offences  []string // none: all holds
	Requests  int
	Documents int
	Least     time.Duration // gap between two requests to a host
	Repeats   int           // URLs asked again
	Allowed   int           // of these: unacknowledged when a fault came
	Took      time.Duration
}

// run is one run: the faults that are done to a fleet, and what a checker finds afterwards.
type run struct {
	*checker
	seen int // requests at the last fault
}

// Run does the faults and checks what came of it. An error is one of the run itself.
func Run(ctx context.Context, o Options) (Verdict, error) {
	if err := o.Validate(); err != nil {
		return Verdict{}, err
	}
	r := &run{checker: &checker{fleet: &fleet{o: o, began: time.Now()}}}
	r.v.Faults = plan(o)
	err := r.open(ctx)
	if err == nil {
		err = r.live(ctx)
	}
	if e := r.close(); err == nil {
		err = e
	}
	r.v.Took = time.Since(r.began).Round(time.Second)
	return r.v, err
}

// open makes web, servers and program, and starts the processes.
func (r *run) open(ctx context.Context) (err error) {
	if err := os.MkdirAll(r.o.Dir, 0o750); err != nil {
		return err
	}
	r.bin = filepath.Join(r.o.Dir, "millrace")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", r.bin, "millrace/cmd/millrace").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	if err := r.serve(); err != nil {
		return err
	}
	c := cluster.DefaultOptions()
	c.Dir, c.Brokers, c.Nodes, c.Secured, c.Synced = filepath.Join(r.o.Dir, "servers"), r.o.Brokers, r.o.Nodes, r.o.Secured, true
	if r.servers, err = cluster.Up(ctx, c); err != nil {
		return err
	}
	r.cfg = wire.DefaultConfig()
	r.cfg.Brokers, r.cfg.Data = r.servers.KafkaAddrs(), filepath.Join(r.o.Dir, "look")
	r.cfg.Store = "cql://" + strings.Join(r.servers.CQLAddrs(), ",") + "/" + keyspace
	r.cfg.Partitions, r.cfg.Scope, r.cfg.AllowPrivate = 4, "any", true
	if err := r.provisionServers(ctx); err != nil {
		return fmt.Errorf("provision: %w", err)
	}
	if r.look, err = wire.Open(ctx, r.cfg, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	for n := range members {
		if err := r.join(n); err != nil {
			return err
		}
	}
	return r.seed(ctx)
}

func (r *run) seed(ctx context.Context) error {
	return r.once(ctx, "seeds", append([]string{"produce", "seeds", "--scope", "any"}, r.seeds...)...)
}

// serve starts a web with everything that a group works on: pages with copies and aliases, links
// between sites, PDF files, feeds, sitemaps. Its clock stands still.
func (r *run) serve() error {
	p, err := simweb.Load("fast")
	if err != nil {
		return err
	}
	pages := 60 // what was lost with a topic is asked again: that is enough to do
	switch {
	case r.o.Pages > 0:
		pages = r.o.Pages
	case !slices.Contains(r.o.Kinds, Recreate):
		pages += int(40 * float64(r.o.Faults) / r.o.Delay.Seconds()) // a fault takes about 40 s
	}
	p.Hosts, p.HostsPerSite = r.o.Hosts, 2
	p.Pages.Min, p.Pages.Max = pages, pages
	p.Size.Min, p.Size.Median, p.Size.Max = 2000, 4000, 8000
	p.Links.Mean, p.Links.External = 12, 0.1
	p.History = 30 * 24 * time.Hour
	p.Leaves = map[string]float64{"copy": 0.1, "alias": 0.05, "canonical_copy": 0.02, "noindex": 0.03, "private": 0.02,
		"pdf": 0.06, "image": 0.01, "redirect": 0.06, "missing": 0.04, "gone": 0.02}
	p.Twins = map[string]float64{"slash": 0.05}
	p.Items.Share, p.Items.Every, p.Items.Feed = 0.6, 24*time.Hour, 20
	p.Sitemaps.Share, p.Sitemaps.PerFile, p.Sitemaps.InRobots = 0.5, 200, 1
	w, err := simweb.Build(p, r.o.Seed, simweb.DefaultOptions())
	if err != nil {
		return err
	}
	o := simweb.DefaultServe()
	o.Arrivals, o.NoLatency, o.Clock = true, true, clock.NewSimulated(w.Start())
	if r.web, err = simweb.Serve(w, o); err != nil {
		return err
	}
	r.seeds = w.Seeds(p.Hosts, "")
	return nil
}

// live lets the faults happen, waits for rest, and checks.
func (r *run) live(ctx context.Context) error {
	for i, f := range r.v.Faults {
		if err := r.work(ctx); err != nil {
			r.offend("before fault %d (%s): %v", i+1, f, err)
			break
		}
		r.note("fault %d: %s", i+1, f)
		if err := r.do(ctx, f); err != nil {
			r.offend("fault %d (%s): %v", i+1, f, err)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		r.seen = r.requests()
	}
	if err := r.rest(ctx); err != nil {
		r.offend("%v", err)
	}
	for range again(r.remade) { // what one round finds, the next one fetches
		err := r.askAgain(ctx)
		if err == nil {
			err = r.rest(ctx)
		}
		if err != nil {
			r.offend("%v", err)
		}
	}
	if err := r.ranksTold(ctx); err != nil {
		r.offend("ranks: %v", err)
	}
	if err := r.checkRunning(ctx); err != nil {
		return err
	}
	for _, p := range r.procs {
		if err := r.leave(ctx, p); err != nil {
			r.offend("%v", err)
		}
	}
	return r.check(ctx)
}

// again is how often everything is asked again at the end.
func again(remade bool) int {
	if remade {
		return 2
	}
	return 0
}

// close ends what is left.
func (r *run) close() error {
	var errs []error
	for _, p := range r.all {
		if p.alive() {
			_ = p.signal(syscall.SIGCONT)
			errs = append(errs, p.kill())
		}
	}
	if r.look != nil {
		r.look.Close()
	}
	if r.servers != nil {
		errs = append(errs, r.servers.Wipe())
	}
	if r.web != nil {
		errs = append(errs, r.web.Close())
	}
	return errors.Join(errs...)
}

func (r *run) requests() int { return len(r.web.Judge().Record().Events()) }

// work waits until the origin has seen Between more requests, or nothing is left to ask for: on a
// slow machine the crawl may end before the last fault, which then finds it at rest.
func (r *run) work(ctx context.Context) error {
	look := time.Now()
	err := r.until(ctx, workWithin, func() (bool, error) {
		for _, p := range r.procs {
			if !p.alive() {
				return false, fmt.Errorf("%s ended by itself: %w", p.name, p.err)
			}
		}
		if time.Since(look) > 20*time.Second {
			look = time.Now()
			if r.left(ctx) == "" {
				r.note("nothing is left to ask for")
				return true, nil
			}
		}
		return r.requests() >= r.seen+r.o.Between, nil
	})
	if err != nil {
		return fmt.Errorf("%d requests since the last fault: %w", r.requests()-r.seen, err)
	}
	return nil
}

var errHangs = errors.New("nothing comes of it")

// rest waits until every URL has come to an end and every group has done all. That nothing moves
// for moveWithin is a hang.
func (r *run) rest(ctx context.Context) error {
	left, asked := "", 0
	moved, next := time.Now(), time.Time{}
	err := r.until(ctx, restWithin, func() (bool, error) {
		if time.Now().Before(next) {
			return false, nil
		}
		now, n := r.left(ctx), r.requests()
		if now != left || n != asked {
			moved = time.Now()
		}
		left, asked, next = now, n, time.Now().Add(2*time.Second)
		if time.Since(moved) > moveWithin*time.Duration(r.o.Patience) {
			return false, errHangs
		}
		return left == "", nil
	})
	if err != nil {
		return fmt.Errorf("no rest (I1, I10): %s: %w", left, err)
	}
	return nil
}

// left says what there is still to do; "" if nothing.
func (r *run) left(ctx context.Context) string {
	lag := r.look.Reader.Positions(ctx)
	if len(lag.Errors) > 0 {
		return fmt.Sprint(lag.Errors)
	}
	for _, g := range lag.Groups {
		if g.Records > 0 {
			return fmt.Sprintf("%s has %d records of %s before it", g.Group, g.Records, g.Topic)
		}
	}
	if len(lag.Groups) != len(topics.Groups()) {
		return fmt.Sprintf("%d groups answer", len(lag.Groups))
	}
	waiting, err := r.waiting(ctx)
	if err != nil {
		return err.Error()
	}
	if len(waiting) > 0 {
		return fmt.Sprintf("%d URLs wait: %v", len(waiting), waiting[:min(3, len(waiting))])
	}
	return ""
}

// session is how long a member may be silent.
func session() time.Duration { return streams.DefaultConfig().Session }
