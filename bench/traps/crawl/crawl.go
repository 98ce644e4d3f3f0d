// Package crawl crawls the webs of bench/traps, and any other place, with a whole millrace in this
// process.
//
// Goals: a benchmark says what is crawled and with which settings, and gets the data of the crawl.
//
// How it works: it opens a millrace as `run` does, seeds it, and watches status and lag.
//
// Promises: the crawl is over when it returns; nothing is left running.
//
// On failure: an error of opening, seeding or running is returned; a crawl that reaches its time
// limit is no error.
//
// Limits: delay 0, private addresses allowed, the hosts *.test at one address.
package crawl

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"millrace/bench/rest"
	"millrace/bench/traps"
	"millrace/cmd/wire"
	"millrace/topics"
)

// Web crawls all sites of a web with a whole millrace in this process, which keeps its
// data below dir, until it has nothing to do or for so long.
func Web(ctx context.Context, w *traps.Web, dir string, most time.Duration, learn bool, log *slog.Logger) error {
	var urls []string
	for _, s := range w.Sites() {
		urls = append(urls, "http://"+s.Name+"/")
	}
	set := func(c *wire.Config) { c.Traps = learn }
	return From(ctx, Place{Addr: w.Addr(), Seeds: urls, Dir: dir}, most, set, log)
}

// Place holds the address and seeds of the web that is crawled, and the directory for the crawl's
// data.
type Place struct {
	Addr  string   // host:port of the origin of all hosts *.test
	Seeds []string // URLs
	Dir   string
}

// From crawls a place like Web, with settings changed by set.
func From(ctx context.Context, at Place, most time.Duration, set func(*wire.Config), log *slog.Logger) error {
	cfg := wire.DefaultConfig()
	cfg.Data, cfg.Listen = at.Dir, "127.0.0.1:0"
	cfg.Scope, cfg.Delay, cfg.DelayIP, cfg.AllowPrivate = "any", 0, 0, true
	cfg.Resolve = []string{"*.test=" + at.Addr}
	set(&cfg)
	sys, err := wire.Open(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer sys.Close()
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- sys.Run(ctx, topics.GroupNames()...) }()
	if err = sys.SeedURLs(ctx, at.Seeds, ""); err == nil {
		err = rest.Wait(ctx, sys, topics.GroupNames())
	}
	cancel()
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	return errors.Join(err, <-ended)
}
