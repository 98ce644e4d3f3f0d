//go:build linux

package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/cmd/wire"
	"millrace/consumers/fetch"
	"millrace/ops/cluster"
	"millrace/ops/simweb"
	"millrace/ops/watch"
)

// fleet is the origin, the servers and the processes of a run.
type fleet struct {
	o       Options
	began   time.Time
	servers *cluster.Cluster
	web     *simweb.Server
	bin     string
	cfg     wire.Config
	procs   [members]*process
	extra   int        // processes beyond the members so far
	all     []*process // that ever ran
	hit     int        // servers that failed so far
}

func (f *fleet) note(format string, args ...any) {
	fmt.Fprintf(f.o.Log, "%7.1f s  %s\n", time.Since(f.began).Seconds(), fmt.Sprintf(format, args...))
}

// on are the flags that name the servers.
func (f *fleet) on() []string {
	return append([]string{"--brokers", strings.Join(f.cfg.Brokers, ","), "--store", f.cfg.Store}, f.login()...)
}

// once runs a command to its end.
func (f *fleet) once(ctx context.Context, name string, args ...string) error {
	p, err := begin(f.bin, f.o.Dir, name, slices.Concat(args, f.on(), []string{"--data", filepath.Join(f.o.Dir, name)})...)
	if err != nil {
		return err
	}
	return p.wait(ctx, workWithin*time.Duration(f.o.Patience))
}

// start starts a process that takes part in groups.
func (f *fleet) start(name string, groups ...string) (*process, error) {
	args := slices.Concat([]string{"consume"}, groups, f.on(), []string{
		"--data", filepath.Join(f.o.Dir, name), "--listen", "127.0.0.1:0", "--peers", "127.0.0.1:0",
		"--delay", f.o.Delay.String(), "--allow-private", "--resolve", "*=" + f.web.Addr(), "--scope", "any", "--traps=false", "--log-level", "info",
	})
	p, err := begin(f.bin, f.o.Dir, name, args...)
	if err == nil {
		f.all = append(f.all, p)
	}
	return p, err
}

// join starts member n.
func (f *fleet) join(n int) (err error) {
	f.procs[n], err = f.start(fmt.Sprintf("m%d", n), "all")
	return err
}

// owner is the member that was the last to get a partition of a group.
func (f *fleet) owner(group string) *process {
	at := f.procs[0]
	for _, p := range f.procs[1:] {
		if p.readySince(group).After(at.readySince(group)) {
			at = p
		}
	}
	return at
}

// another starts a process and waits until it has a partition of the first of its groups.
func (f *fleet) another(ctx context.Context, groups ...string) (*process, error) {
	f.extra++
	p, err := f.start(fmt.Sprintf("x%d", f.extra), groups...)
	if err != nil {
		return nil, err
	}
	first := groups[0]
	if first == "all" {
		first = fetch.Group
	}
	err = f.until(ctx, workWithin, func() (bool, error) {
		if !p.alive() {
			return false, fmt.Errorf("%s ended by itself: %w", p.name, p.err)
		}
		return !p.readySince(first).IsZero(), nil
	})
	if err != nil {
		return p, fmt.Errorf("%s has no partition of %s: %w", p.name, first, err)
	}
	return p, nil
}

func (f *fleet) signalAll(s syscall.Signal) (err error) {
	for _, p := range f.procs {
		err = errors.Join(err, p.signal(s))
	}
	return err
}

// until asks until the answer is yes.
func (f *fleet) until(ctx context.Context, within time.Duration, ask func() (bool, error)) error {
	within *= time.Duration(f.o.Patience)
	end := time.Now().Add(within)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := ask(); ok || err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w within %s", errHangs, within)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// provision runs the command, until the brokers have forgotten the topic that was deleted.
func (f *fleet) provision(ctx context.Context) error {
	var failed error
	err := f.until(ctx, time.Minute, func() (bool, error) {
		failed = f.once(ctx, "provision", "provision", "--partitions", fmt.Sprint(f.cfg.Partitions))
		return failed == nil, nil
	})
	return errors.Join(err, failed)
}

func (f *fleet) deleteTopic(ctx context.Context, topic string) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(f.cfg.Brokers...))
	if err != nil {
		return err
	}
	adm := kadm.NewClient(cl)
	defer adm.Close()
	_, err = adm.DeleteTopic(ctx, topic)
	return err
}

// says reports whether status names a topic as changed.
func (f *fleet) says(ctx context.Context, topic string) bool {
	for n := range members {
		out, err := exec.CommandContext(ctx, f.bin, "status", "--json", "--data", filepath.Join(f.o.Dir, fmt.Sprintf("m%d", n))).Output()
		var report watch.Report
		if err != nil || json.Unmarshal(out, &report) != nil {
			continue
		}
		for _, notice := range report.Notices {
			if notice.Kind == watch.LogChanged && strings.Contains(notice.Text, topic) {
				return true
			}
		}
	}
	return false
}
