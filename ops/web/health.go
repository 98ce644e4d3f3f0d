package web

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// healthy is for what restarts a process that is broken: it asks the index.
func (s *Server) healthy(w http.ResponseWriter, r *http.Request) error {
	if s.deps.Healthy != nil {
		if err := s.deps.Healthy(r.Context()); err != nil {
			text(w, http.StatusServiceUnavailable, "not healthy: %v", err)
			return nil
		}
	}
	text(w, http.StatusOK, "healthy")
	return nil
}

// ready is for what sends people to a process, or not yet.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	if s.deps.Ready != nil {
		if err := s.deps.Ready(); err != nil {
			text(w, http.StatusServiceUnavailable, "not ready: %v", err)
			return nil
		}
	}
	text(w, http.StatusOK, "ready")
	return nil
}

func (s *Server) metrics(w http.ResponseWriter, r *http.Request) error {
	promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	return nil
}
