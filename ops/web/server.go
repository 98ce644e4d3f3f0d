package web

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"millrace/ops/metrics"
)

// minTokenBytes: a shorter token can be guessed.
const minTokenBytes = 16

// Server answers HTTP.
type Server struct {
	opts     Options
	deps     Deps
	listener net.Listener
	handler  http.Handler
	pages    *pages
	assets   map[string]asset
	registry *prometheus.Registry
	token    [sha256.Size]byte
	names    []string // that a Host header may have
	loopback bool     // only this machine reaches it
}

// New listens, and returns a server that answers once Run is called. Without Run,
// Close gives the address back.
func New(o Options, d Deps) (*Server, error) {
	if err := errors.Join(o.Validate(), d.validate()); err != nil {
		return nil, err
	}
	s := &Server{opts: o, deps: d, token: sha256.Sum256([]byte(d.Token)), names: o.names()}
	if err := s.prepare(); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	var err error
	if s.listener, err = net.Listen("tcp", o.Listen); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	s.loopback = isLoopback(s.listener.Addr())
	return s, nil
}

func (s *Server) prepare() (err error) {
	if s.assets, err = loadAssets(); err != nil {
		return err
	}
	if s.pages, err = loadPages(s.assets); err != nil {
		return err
	}
	if s.registry, err = metrics.Registry(s.deps.Watch); err != nil {
		return err
	}
	s.handler, err = s.routed()
	return err
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

// Addr is where the server listens.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close gives the address back; only for a server that does not run.
func (s *Server) Close() error { return s.listener.Close() }

// Run answers until ctx ends; answers under way have Options.Grace to finish.
func (s *Server) Run(ctx context.Context) error {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: s.opts.HeaderTimeout,
		ReadTimeout:       s.opts.ReadTimeout,
		WriteTimeout:      s.opts.WriteTimeout,
		IdleTimeout:       s.opts.IdleTimeout,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.deps.Logger.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("web: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.Grace)
	defer cancel()
	err := server.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-ended
	return err
}
