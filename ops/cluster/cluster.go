//go:build linux

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// How long a server may take. Starts were seen to take four times as long on a
// busy machine as on an idle one.
const (
	startLimit = 10 * time.Minute
	askLimit   = 5 * time.Second  // one question to one server
	endLimit   = 30 * time.Second // after SIGTERM; then it is killed
	killLimit  = 10 * time.Second // after SIGKILL
)

// Cluster is the servers of one Dir. It holds no process and no connection:
// everything it knows is in Dir, where another Cluster finds it too.
type Cluster struct {
	settings
	dir string
	log *slog.Logger
}

// Up starts what does not run yet and returns when all of it answers.
func Up(ctx context.Context, o Options) (*Cluster, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, err
	}
	unlock, err := lock(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s, err := settle(o)
	if err != nil {
		return nil, err
	}
	c := &Cluster{settings: s, dir: o.Dir, log: o.Log}
	if s.Secured {
		if err := c.Access().make(); err != nil {
			return nil, fmt.Errorf("cluster: certificates: %w", err)
		}
	}
	if err := c.start(ctx, c.servers()); err != nil {
		return nil, err
	}
	return c, nil
}

// Open returns the cluster that Up made in dir, without starting anything, and
// an error that is fs.ErrNotExist if there is none.
func Open(dir string, log *slog.Logger) (*Cluster, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s, err := loadSettings(dir)
	if err != nil {
		return nil, err
	}
	return &Cluster{settings: s, dir: dir, log: log}, nil
}

// KafkaAddrs returns the brokers' addresses, host:port.
func (c *Cluster) KafkaAddrs() []string { return c.addrs(c.brokers()) }

// CQLAddrs returns the nodes' addresses, host:port.
func (c *Cluster) CQLAddrs() []string { return c.addrs(c.nodes()) }

// SearchURL returns the address of OpenSearch, "" without one.
func (c *Cluster) SearchURL() string {
	if c.Search == 0 {
		return ""
	}
	return "http://" + c.searchAddr()
}

func (c *Cluster) addrs(servers []server) []string {
	var out []string
	for _, s := range servers {
		out = append(out, s.listens()[0])
	}
	return out
}

// Status is one server of a cluster.
type Status struct {
	Name string // "broker 1"
	Addr string // where clients reach it
	PID  int    // 0: not running
}

// Status returns all servers, nodes first.
func (c *Cluster) Status() []Status {
	var out []Status
	for _, s := range c.servers() {
		st := Status{Name: s.String(), Addr: s.listens()[0]}
		if id, ok := s.running(); ok {
			st.PID = id.pid
		}
		out = append(out, st)
	}
	return out
}

// Kill sends sig to one server, "broker", "node" or "search" and its number from 1. After
// SIGKILL and SIGTERM it returns when the server is gone.
func (c *Cluster) Kill(ctx context.Context, kind string, n int, sig syscall.Signal) error {
	s, err := c.find(kind, n)
	if err != nil {
		return err
	}
	if err := s.signal(sig); err != nil {
		return fmt.Errorf("cluster: %v: %w", s, err)
	}
	if sig != syscall.SIGKILL && sig != syscall.SIGTERM {
		return nil
	}
	if err := s.gone(ctx); err != nil {
		return fmt.Errorf("cluster: %v is still there after signal %v: %w", s, sig, err)
	}
	return nil
}

// Start starts one server on the data it left, and returns when it answers.
func (c *Cluster) Start(ctx context.Context, kind string, n int) error {
	s, err := c.find(kind, n)
	if err != nil {
		return err
	}
	unlock, err := lock(ctx, c.dir)
	if err != nil {
		return err
	}
	defer unlock()
	return c.start(ctx, []server{s})
}

// Down ends all servers; their data stays.
func (c *Cluster) Down() error { return c.end(syscall.SIGTERM) }

// Wipe ends all servers, without mercy, and deletes their data.
func (c *Cluster) Wipe() error {
	if err := c.end(syscall.SIGKILL); err != nil {
		return err
	}
	for _, s := range c.servers() {
		if err := os.RemoveAll(s.home); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(c.Access().dir); err != nil {
		return err
	}
	err := os.Remove(filepath.Join(c.dir, settingsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
