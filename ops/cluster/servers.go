//go:build linux

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// server is a process in its role.
type server struct {
	process
	role
}

// role is the kind of a server: a broker, a node or a search node.
type role interface {
	fmt.Stringer
	listens() []string                             // the clients' address first
	command(ctx context.Context) ([]string, error) // prepares the server's folder, too
	ready(ctx context.Context) error               // nil: a client was answered
}

func (c *Cluster) brokers() []server {
	var out []server
	for n := 1; n <= c.Brokers; n++ {
		p := c.process("broker", n)
		out = append(out, server{p, broker{c, n, p.home}})
	}
	return out
}

func (c *Cluster) nodes() []server {
	var out []server
	for n := 1; n <= c.Nodes; n++ {
		p := c.process("node", n)
		out = append(out, server{p, node{c, n, p.home}})
	}
	return out
}

func (c *Cluster) process(kind string, n int) process {
	return process{filepath.Join(c.dir, fmt.Sprintf("%s-%d", kind, n))}
}

// servers returns the nodes first: they take longer to start.
func (c *Cluster) servers() []server {
	out := append(c.nodes(), c.brokers()...)
	for n := 1; n <= c.Search; n++ {
		p := c.process("search", n)
		out = append(out, server{p, searchNode{c, p.home}})
	}
	return out
}

func (c *Cluster) find(kind string, n int) (server, error) {
	name := fmt.Sprintf("%s %d", kind, n)
	for _, s := range c.servers() {
		if s.String() == name {
			return s, nil
		}
	}
	return server{}, fmt.Errorf("cluster: no %s among %d brokers, %d nodes and %d of OpenSearch", name, c.Brokers, c.Nodes, c.Search)
}

func (c *Cluster) countRunning(servers []server) int {
	n := 0
	for _, s := range servers {
		if _, ok := s.running(); ok {
			n++
		}
	}
	return n
}

// start launches those that do not run and waits for all; if one fails it ends
// those it has launched.
func (c *Cluster) start(ctx context.Context, servers []server) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := checkJava(ctx); err != nil {
		return err
	}
	var launched []server
	for _, s := range servers {
		if _, ok := s.running(); ok {
			continue
		}
		if err := c.launch(ctx, s); err != nil {
			return errors.Join(fmt.Errorf("cluster: %v: %w", s, err), stop(launched, syscall.SIGKILL))
		}
		launched = append(launched, s)
	}
	for _, s := range servers {
		if err := await(ctx, s); err != nil {
			return errors.Join(fmt.Errorf("cluster: %v: %w", s, err), stop(launched, syscall.SIGKILL))
		}
	}
	return nil
}

func (c *Cluster) launch(ctx context.Context, s server) error {
	for _, address := range s.listens() {
		if !portFree(address) {
			return fmt.Errorf("somebody else listens on %s", address)
		}
	}
	if err := os.MkdirAll(s.home, 0o755); err != nil {
		return err
	}
	command, err := s.command(ctx)
	if err != nil {
		return err
	}
	c.log.Info("starting", "server", s.String(), "address", s.listens()[0])
	return s.launch(command)
}

// await asks until s answers or is no more.
func await(ctx context.Context, s server) error {
	var last error
	err := until(ctx, func() (bool, error) {
		if _, ok := s.running(); !ok {
			return false, errors.New("it ended")
		}
		ask, cancel := context.WithTimeout(ctx, askLimit)
		defer cancel()
		last = s.ready(ask)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("does not answer: %w (last answer: %v); the end of its log:\n%s", err, last, s.tail())
	}
	return nil
}

// end ends all servers of the cluster.
func (c *Cluster) end(sig syscall.Signal) error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	unlock, err := lock(ctx, c.dir)
	if err != nil {
		return err
	}
	defer unlock()
	return stop(c.servers(), sig)
}

// stop signals all of them and then waits for each; one that does not obey in
// time is killed.
func stop(servers []server, sig syscall.Signal) error {
	var failed []error
	for _, s := range servers {
		// One that is paused could not obey.
		failed = append(failed, s.signal(sig), s.signal(syscall.SIGCONT))
	}
	for _, s := range servers {
		if goneWithin(s, endLimit) == nil {
			continue
		}
		failed = append(failed, s.signal(syscall.SIGKILL))
		if err := goneWithin(s, killLimit); err != nil {
			failed = append(failed, fmt.Errorf("cluster: %v is still there after SIGKILL: %w", s, err))
		}
	}
	return errors.Join(failed...)
}

func goneWithin(s server, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return s.gone(ctx)
}

// lock makes Up, Start, Down and Wipe of one Dir take turns, over processes too.
// The lock ends with the process that holds it.
func lock(ctx context.Context, dir string) (unlock func() error, err error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = until(ctx, func() (bool, error) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("cluster: lock of %s: %w", dir, err)
	}
	return f.Close, nil
}
