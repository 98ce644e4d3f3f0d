package main

import (
	"context"
	"errors"
	"fmt"
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
