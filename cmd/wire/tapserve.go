package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/net/netutil"

	"millrace/consumers/taps"
	"millrace/consumers/taps/place"
	"millrace/consumers/taps/table"
	"millrace/ops/metrics"
	"millrace/streams"
)

// Serve answers at addr until ctx ends: /metrics, /status (JSON) and /healthz. The channel gets its
// error, or nil, at the end; at once if addr is "".
func (t *Tap) Serve(ctx context.Context, addr string) (<-chan error, error) {
	registry, err := metrics.Reader(t.Meter, func() streams.Lag { return t.lag(context.Background()) })
	if err != nil {
		return nil, err
	}
	return serveTap(ctx, addr, registry, t.status, t.healthy)
}

// serveTap serves HTTP for a process that runs only a tap.
func serveTap(ctx context.Context, addr string, registry *prometheus.Registry, status func() any, healthy func() error) (<-chan error, error) {
	ended := make(chan error, 1)
	if addr == "" {
		ended <- nil
		return ended, nil
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(status()) // fails only if the client has gone
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if err := healthy(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "ok")
	})
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
	}
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() {
		defer stopped()
		err := server.Serve(netutil.LimitListener(l, maxMetricsConns))
		if errors.Is(err, http.ErrServerClosed) {
			err = nil
		}
		ended <- err
	}()
	return ended, nil
}

// maxMetricsConns bounds the connections at once; further ones wait until one ends.
const maxMetricsConns = 64

// statusWithin bounds the reading of a tap's status.
const statusWithin = 10 * time.Second

func (t *Tap) status() any {
	ctx, cancel := context.WithTimeout(context.Background(), statusWithin)
	defer cancel()
	s, err := t.Status(ctx)
	if err != nil {
		s.Errors = append(s.Errors, err.Error())
	}
	return s
}

// healthy returns an error if a partition's files cannot be written.
func (t *Tap) healthy() error {
	return t.Failure()
}

// lag returns how far the tap is behind, in the form of a group's lag.
func (t *Tap) lag(ctx context.Context) streams.Lag {
	ctx, cancel := context.WithTimeout(ctx, statusWithin)
	defer cancel()
	s, err := t.Status(ctx)
	if err != nil {
		s.Errors = append(s.Errors, err.Error())
	}
	g := streams.GroupLag{Group: s.Group, Topic: s.Topic, Records: s.Records, Seconds: s.Seconds}
	for _, p := range s.Partitions {
		g.Partitions = append(g.Partitions, streams.PartitionLag{
			Partition: p.Partition, Committed: p.Written, End: p.End, Records: p.Behind, Seconds: p.Seconds,
		})
	}
	return streams.Lag{At: time.Now(), Groups: []streams.GroupLag{g}, Errors: s.Errors}
}

// LookAtTap returns the status of the tap that writes to a place, compared with the log if the
// configuration names brokers.
func LookAtTap(ctx context.Context, cfg Config, where string, logger *slog.Logger) (taps.Status, error) {
	p, err := openExisting(ctx, where)
	if err != nil {
		return taps.Status{}, err
	}
	defer p.Close()
	s, err := taps.Look(ctx, p)
	if err != nil || cfg.Embedded() {
		return s, err
	}
	kafka, err := cfg.kafka(ctx, logger)
	if err != nil {
		return s, err
	}
	log, err := streams.NewLog(kafka)
	if err != nil {
		return s, err
	}
	defer log.Close()
	s.Compare(ctx, log, time.Now())
	return s, nil
}

// Snapshot folds the files of a tap on documents into the current documents: per key, the last
// record.
func Snapshot(ctx context.Context, from, to string) (table.Folded, error) {
	in, err := openExisting(ctx, from)
	if err != nil {
		return table.Folded{}, err
	}
	defer in.Close()
	out, err := place.Open(ctx, to)
	if err != nil {
		return table.Folded{}, err
	}
	defer out.Close()
	return table.Snapshot(ctx, in, out)
}

// openExisting opens a place that exists, so that a misspelt directory is not created.
func openExisting(ctx context.Context, where string) (place.Place, error) {
	if !strings.Contains(where, "://") {
		if _, err := os.Stat(where); err != nil {
			return nil, err
		}
	}
	return place.Open(ctx, where)
}

// Graph folds the files of a tap on links into the graph of links.
func Graph(ctx context.Context, from, to string, o table.GraphOptions) (table.Graphed, error) {
	in, err := openExisting(ctx, from)
	if err != nil {
		return table.Graphed{}, err
	}
	defer in.Close()
	out, err := place.Open(ctx, to)
	if err != nil {
		return table.Graphed{}, err
	}
	defer out.Close()
	return table.Graph(ctx, in, out, o)
}
