package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"millrace/cmd/wire"
)

// reach returns a client of the process that uses the data directory; if there is
// none, of one that this process opens for the moment.
func (c *call) reach(ctx context.Context) (*client, error) {
	addr, token, ok := wire.Running(c.cfg.Data)
	var silent error
	if ok {
		running := newClient(addr, token)
		if silent = running.alive(ctx); silent == nil {
			return running, nil
		}
		running.close() // it may have been killed: then the directory is free
	}
	opened, err := c.openHere(ctx)
	var held *wire.InUseError
	switch {
	case errors.As(err, &held) && silent != nil:
		return nil, fmt.Errorf("process %d uses %s but does not answer: %w", held.PID, held.Path, silent)
	case errors.As(err, &held):
		return nil, fmt.Errorf("process %d uses %s and does not answer yet: try again in a moment", held.PID, held.Path)
	}
	return opened, err
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

// openHere opens what there is and serves its API on a free port of loopback,
// with no group running.
func (c *call) openHere(ctx context.Context) (*client, error) {
	cfg, discard, err := c.place()
	if err != nil {
		return nil, err
	}
	cfg.Listen = "127.0.0.1:0"
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
	log, err := c.logger(c.stderr)
	if err != nil {
		return nil, err
	}
	sys, err := wire.Open(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	site, err := openSite(sys)
	if err != nil {
		sys.Close()
		return nil, err
	}
	site.client.close = func() {
		_ = site.close() // the answer is known; how the server ended changes nothing
		sys.Close()
	}
	return site.client, nil
}

// hasData reports whether a directory holds a crawl.
func hasData(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "layout"))
	return err == nil
}
