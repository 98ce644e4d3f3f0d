package web

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// health serves health checks, metrics and profiles.
type health struct {
	deps     Deps
	registry *prometheus.Registry
}

// healthy is for a supervisor that restarts a broken process: it asks the index.
func (h *health) healthy(w http.ResponseWriter, r *http.Request) error {
	if h.deps.Healthy != nil {
		if err := h.deps.Healthy(r.Context()); err != nil {
			text(w, http.StatusServiceUnavailable, "not healthy: %v", err)
			return nil
		}
	}
	text(w, http.StatusOK, "healthy")
	return nil
}

// ready is for a load balancer: it answers 503 until the process is ready for requests.
func (h *health) ready(w http.ResponseWriter, _ *http.Request) error {
	if h.deps.Ready != nil {
		if err := h.deps.Ready(); err != nil {
			text(w, http.StatusServiceUnavailable, "not ready: %v", err)
			return nil
		}
	}
	text(w, http.StatusOK, "ready")
	return nil
}

func (h *health) metrics(w http.ResponseWriter, r *http.Request) error {
	promhttp.HandlerFor(h.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	return nil
}
