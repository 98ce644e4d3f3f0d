package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"millrace/cmd/wire"
)

// How long a directory that another process holds is tried: that may be a command
// like this one, which is gone in a moment.
const (
	reachWithin = 5 * time.Second
	reachAgain  = 100 * time.Millisecond
)

// reach returns a client of the process that uses the data directory; if there is
// none, of one that this process opens for the moment.
func (c *call) reach(ctx context.Context) (*client, error) {
	late, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	for {
		a, err := c.reachOnce(ctx)
		var held *wire.InUseError
		if !errors.As(err, &held) {
			return a, err
		}
		select {
		case <-late.Done():
			return nil, fmt.Errorf("%w and does not answer: try again, or stop it", err)
		case <-time.After(reachAgain):
		}
	}
}

// reachOnce asks the lock, not the address: that may be left of a process that was
// killed, and another millrace may listen there now.
func (c *call) reachOnce(ctx context.Context) (*client, error) {
	held := c.holder()
	if held == nil {
		return c.openHere(ctx)
	}
	addr, token, ok := wire.Running(c.cfg.Data)
	if !ok {
		return nil, held
	}
	a := newClient(addr, token)
	if err := a.alive(ctx); err != nil {
		a.close()
		return nil, held
	}
	return a, nil
}

// holder says which process uses the data directory; nil if none does, or if it
// cannot be opened at all: openHere says why then.
func (c *call) holder() *wire.InUseError {
	if !hasData(c.cfg.Data) {
		return nil
	}
	d, err := wire.OpenDataDir(c.cfg.Data)
	var held *wire.InUseError
	if errors.As(err, &held) {
		return held
	}
	if err == nil {
		d.Close()
	}
	return nil
}

// ask reaches who can answer, asks, and lets go.
func (c *call) ask(ctx context.Context, question func(*client) error) error {
	a, err := c.reach(ctx)
	if err != nil {
		return err
	}
	defer a.close()
	return question(a)
}

// show asks the API at a path and prints the answer: as the API gives it, or by print.
func show[T any](ctx context.Context, c *call, path string, q url.Values, asJSON bool, print func(T) error) error {
	return c.ask(ctx, func(a *client) error {
		if asJSON {
			return c.passOn(ctx, a, path, q)
		}
		var out T
		if err := a.get(ctx, path, q, &out); err != nil {
			return err
		}
		return print(out)
	})
}

// openHere opens what there is and serves its API on a free port of loopback,
// with no group running.
func (c *call) openHere(ctx context.Context) (*client, error) {
	cfg, discard, err := c.place()
	if err != nil {
		return nil, err
	}
	cfg.Listen, cfg.Peers = "127.0.0.1:0", ""
	a, err := c.serveHere(ctx, cfg)
	if err != nil {
		discard()
		return nil, err
	}
	inner := a.close
	a.close = func() { inner(); discard() }
	return a, nil
}

// place is the configuration to open for a moment. What is asked of a cluster lies
// there, and the data directory may be another process's: then it is a passing one.
func (c *call) place() (cfg wire.Config, discard func(), err error) {
	cfg = c.cfg
	cfg.KafkaListen, cfg.KafkaAdvertise, cfg.KafkaDoorCert, cfg.KafkaDoorKey = "", "", "", "" // readers come to who stays
	if cfg.Embedded() {
		if !hasData(cfg.Data) {
			return cfg, nil, errors.New(noCrawl(cfg.Data))
		}
		return cfg, func() {}, nil
	}
	if cfg.Data, err = os.MkdirTemp("", "millrace-"); err != nil {
		return cfg, nil, err
	}
	return cfg, func() { _ = os.RemoveAll(cfg.Data) }, nil
}

func noCrawl(dir string) string {
	return fmt.Sprintf("there is no crawl in %s: begin one with millrace run URL, or name its directory with --data", dir)
}

func (c *call) serveHere(ctx context.Context, cfg wire.Config) (*client, error) {
	sys, site, err := c.openBoth(ctx, cfg, c.stderr)
	if err != nil {
		return nil, err
	}
	// It is here for a moment only: nobody else should come to ask it.
	_ = os.Remove(filepath.Join(cfg.Data, "address"))
	site.client.here = true
	site.client.close = func() {
		_ = site.close() // the answer is known; how the server ended changes nothing
		sys.Close()
	}
	return site.client, nil
}

// hasData reports whether a directory holds a crawl, or may hold one that this user cannot see:
// opening it says so.
func hasData(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "layout"))
	return err == nil || errors.Is(err, fs.ErrPermission)
}
