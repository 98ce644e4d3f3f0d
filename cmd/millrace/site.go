package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"millrace/cmd/wire"
)

// site is the web server of this process, while it answers.
type site struct {
	server *wire.Server
	client *client // of itself
	stop   context.CancelFunc
	ended  chan error
}

// openBoth opens the crawl that the configuration names, and begins to serve it;
// its log goes to w.
func (c *call) openBoth(ctx context.Context, cfg wire.Config, w io.Writer) (*wire.System, *site, error) {
	log, err := c.logger(w)
	if err != nil {
		return nil, nil, err
	}
	sys, err := wire.Open(ctx, cfg, log)
	if err != nil {
		return nil, nil, err
	}
	site, err := openSite(sys)
	if err != nil {
		sys.Close()
		return nil, nil, err
	}
	return sys, site, nil
}

// openSite begins to serve search page, dashboard and API of an opened system.
func openSite(sys *wire.System) (*site, error) {
	token, err := sys.Dir.Token()
	if err != nil {
		return nil, err
	}
	server, err := sys.Listen()
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken: name another address with --listen (port 0 picks a free one)", sys.Config.Listen)
	}
	if err != nil {
		return nil, err
	}
	// It outlives the groups: what they do at the end is seen until it is done.
	ctx, stop := context.WithCancel(context.Background())
	s := &site{server, newClient(server.Addr(), token), stop, make(chan error, 1)}
	go func() { s.ended <- server.Run(ctx) }()
	return s, nil
}

// close answers what was asked, and stops.
func (s *site) close() error {
	s.client.http.CloseIdleConnections()
	s.stop()
	return <-s.ended
}
