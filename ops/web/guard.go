package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// maxRawQuery bounds the query string: room for the longest query, escaped, and other parameters.
const maxRawQuery = 8 << 10

// headers sets the headers of every answer.
func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy",
			"default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// guard applies the bounds of requests.
type guard struct {
	*answers
	door    *door
	maxBody int64
}

// guarded returns the handler of a route with its bounds: access, size, time, and how many at once.
func (g *guard) guarded(route Route, at chan struct{}) http.Handler {
	return g.handler(func(w http.ResponseWriter, r *http.Request) error {
		if len(r.URL.RawQuery) > maxRawQuery {
			if route.Access == Searching {
				return refuse(http.StatusRequestURITooLong, "the query is too long: leave out all but the words that matter most")
			}
			return refuse(http.StatusRequestURITooLong, "the address is too long")
		}
		if err := g.door.admit(w, r, route.Access); err != nil {
			return err
		}
		if err := known(route.Pattern, r.URL.RawQuery); err != nil {
			return err
		}
		leave, ok := enter(at)
		if !ok {
			return route.full(w, cap(at))
		}
		defer leave()
		r.Body = http.MaxBytesReader(w, r.Body, g.maxBody)
		if route.limit > 0 {
			ctx, cancel := context.WithTimeout(r.Context(), route.limit)
			defer cancel()
			r = r.WithContext(ctx)
		}
		return route.do(w, r)
	})
}

// full refuses a request beside which most others of its kind are being answered. Those who follow
// a topic stay for long, and who reads through the Kafka door is not counted here.
func (r Route) full(w http.ResponseWriter, most int) error {
	if r.slots == followers {
		w.Header().Set("Retry-After", "10")
		return refuse(http.StatusServiceUnavailable, "%d clients follow topics here already, as many as one process serves: "+
			"try again when one of them has gone, ask another process, or read the topic from Kafka", most)
	}
	w.Header().Set("Retry-After", "1")
	return refuse(http.StatusServiceUnavailable, "too many at once, %d at most; try again in a second", most)
}

// enter takes a slot if one is free; nil has no bound.
func enter(at chan struct{}) (leave func(), ok bool) {
	if at == nil {
		return func() {}, true
	}
	select {
	case at <- struct{}{}:
		return func() { <-at }, true
	default:
		return nil, false
	}
}

// requests counts and times answers by route.
type requests struct {
	total *prometheus.CounterVec
	took  *prometheus.HistogramVec
}

func newRequests(registry *prometheus.Registry) (*requests, error) {
	m := &requests{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "millrace_http_requests_total", Help: "Answers by route and status.",
		}, []string{"route", "code"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "millrace_http_request_seconds", Help: "Time taken by answers.",
			Buckets: []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10},
		}, []string{"route"}),
	}
	if err := registry.Register(m.total); err != nil {
		return nil, err
	}
	return m, registry.Register(m.took)
}

func (m *requests) count(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started, seen := time.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		m.total.WithLabelValues(route, strconv.Itoa(seen.status)).Inc()
		m.took.WithLabelValues(route).Observe(time.Since(started).Seconds())
	})
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
