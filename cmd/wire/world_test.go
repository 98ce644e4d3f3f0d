package wire

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"testing"
	"time"

	"millrace/producers/seeds"
	"millrace/streams/streamstest"
)

// world is a running system.
type world struct {
	t *testing.T
	*System
	ended <-chan struct{} // closed when its groups have ended
}

func start(t *testing.T, cfg Config, o *origin) *world {
	t.Helper()
	cfg.Data = t.TempDir()
	return startIn(t, cfg, o)
}

// startIn starts a system in the data directory of cfg.
func startIn(t *testing.T, cfg Config, o *origin) *world {
	t.Helper()
	cfg.Delay = 0
	return startAt(t, cfg, o.Listener.Addr().(*net.TCPAddr))
}

// startAt starts a system whose hosts *.test are at an address.
func startAt(t *testing.T, cfg Config, at *net.TCPAddr) *world {
	t.Helper()
	return startOver(t, cfg, Outside{}, at)
}

// startOver is startAt with an Outside.
func startOver(t *testing.T, cfg Config, out Outside, at *net.TCPAddr) *world {
	t.Helper()
	cfg.AllowPrivate = true
	cfg.Resolve = []string{"*.test=" + at.String()}
	s, err := OpenOver(t.Context(), cfg, out, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		done <- s.Run(ctx, cfg.Groups()...)
	}()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return &world{t, s, ended}
}

func (w *world) seed(url string) {
	w.t.Helper()
	seed, err := seeds.Parse(w.Canon, url)
	if err == nil {
		err = w.Seed(w.t.Context(), []seeds.Seed{seed})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.idle()
}

func (w *world) recheck(url string) {
	w.t.Helper()
	if err := w.Recheck(w.t.Context(), []string{url}, false); err != nil {
		w.t.Fatal(err)
	}
	w.idle()
}

func (w *world) idle() {
	w.t.Helper()
	at := streamstest.Places(w.Reader)
	moving, stop := streamstest.Moving(w.t, 2*time.Minute, func(ctx context.Context) string {
		return fmt.Sprint(at(ctx), w.Status().Pages)
	})
	defer stop()
	ctx, cancel := context.WithCancel(moving)
	defer cancel()
	go func() { // groups that ended are never idle: Run returned an error, which the end of the test reports
		select {
		case <-ctx.Done():
		case <-w.ended:
			cancel()
		}
	}()
	if err := w.Idle(ctx); err != nil {
		w.t.Fatalf("never idle: %v: %+v: %+v", context.Cause(ctx), w.Status(), w.Reader.Lag(context.Background()))
	}
}
