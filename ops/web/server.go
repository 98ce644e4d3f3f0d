package web

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"golang.org/x/net/netutil"

	"millrace/ops/metrics"
)

// minTokenBytes is the shortest token that is accepted; a shorter one could be guessed.
const minTokenBytes = 16

// Server answers HTTP.
type Server struct {
	opts     Options
	deps     Deps
	listener net.Listener
	handler  http.Handler
	stop     context.CancelFunc // ends answers that follow a topic
}

// New listens, and returns a server that answers once Run is called. If Run is not called, Close
// frees the address.
func New(o Options, d Deps) (*Server, error) {
	if err := errors.Join(o.Validate(), d.validate()); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	listener = netutil.LimitListener(listener, o.MaxConns)
	ending, stop := context.WithCancel(context.Background())
	d.ending = ending
	handler, err := newHandler(o, d, isLoopback(listener.Addr()))
	if err != nil {
		stop()
		return nil, fmt.Errorf("web: %w", errors.Join(err, listener.Close()))
	}
	return &Server{opts: o, deps: d, listener: listener, handler: handler, stop: stop}, nil
}

// newHandler makes the handlers. loopback says that only this machine reaches the server.
func newHandler(o Options, d Deps, loopback bool) (http.Handler, error) {
	assets, err := loadAssets()
	if err != nil {
		return nil, err
	}
	pages, err := loadPages(assets)
	if err != nil {
		return nil, err
	}
	registry, err := metrics.Registry(d.Watch)
	if err != nil {
		return nil, err
	}
	a := &answers{pages: pages, log: d.Logger}
	p := parts{
		search:    &searchPages{answers: a, opts: o, deps: d},
		dashboard: &dashboard{answers: a, deps: d},
		why:       &storyPages{answers: a, deps: d},
		text:      &textPages{answers: a, deps: d},
		api:       &api{answers: a, opts: o, deps: d},
		steer:     &steering{answers: a, deps: d},
		health:    &health{deps: d, registry: registry},
		files:     &files{assets: assets, websub: d.WebSub, taking: d.IndexNow},
	}
	entry := &door{token: sha256.Sum256([]byte(d.Token)), names: o.names(), loopback: loopback, publicSearch: o.PublicSearch}
	return p.routed(o, &guard{answers: a, door: entry, maxBody: o.MaxBodyBytes})
}

func (d Deps) validate() error {
	switch {
	case d.Watch == nil || d.Logger == nil:
		return errors.New("web: needs a watch and a logger")
	case len(d.Token) < minTokenBytes:
		return fmt.Errorf("web: the token must have at least %d bytes", minTokenBytes)
	}
	return nil
}

// Addr returns the address on which the server listens.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close frees the address; only for a server that does not run.
func (s *Server) Close() error {
	s.stop()
	return s.listener.Close()
}

// Run answers until ctx ends. Requests in progress then have Options.Grace to finish.
func (s *Server) Run(ctx context.Context) error {
	server := &http.Server{
		Handler:           LogPanics(s, s.deps.Logger),
		ReadHeaderTimeout: s.opts.HeaderTimeout,
		ReadTimeout:       s.opts.ReadTimeout,
		WriteTimeout:      s.opts.WriteTimeout,
		IdleTimeout:       s.opts.IdleTimeout,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.deps.Logger.Handler(), slog.LevelDebug), // what clients do wrong
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("web: %w", err)
	case <-ctx.Done():
	}
	s.stop()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.Grace)
	defer cancel()
	err := server.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-ended
	return err
}
