package wire

import (
	"context"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync/atomic"
	"testing"

	"millrace/ops/watch"
	"millrace/producers/seeds"
	"millrace/topics"
)

// While the disk has less room than is kept free nothing is fetched and status says so; when there
// is room again the crawl goes on by itself and is complete.
func TestACrawlWaitsForRoomOnItsDisk(t *testing.T) {
	o, cfg := newOrigin(t), DefaultConfig()
	cfg.Data, cfg.Delay, cfg.AllowPrivate = t.TempDir(), 0, true
	cfg.Resolve = []string{"*.test=" + o.Listener.Addr().(*net.TCPAddr).String()}
	var free atomic.Int64
	looked := make(chan struct{}, 1)
	out := Outside{Free: func(string) (int64, error) {
		select {
		case looked <- struct{}{}:
		default:
		}
		return free.Load(), nil
	}}
	free.Store(int64(cfg.KeepFree)<<20 - 1)
	s, err := OpenOver(t.Context(), cfg, out, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, cfg.Groups()...) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	w := &world{t: t, System: s}
	seed, err := seeds.Parse(w.Canon, home)
	if err == nil {
		err = w.Seed(t.Context(), []seeds.Seed{seed})
	}
	if err != nil {
		t.Fatal(err)
	}
	for s.Status().Queued == 0 {
		<-looked
	}
	<-looked // the frontier had its time
	said := func() bool {
		notes, err := s.notes(t.Context())
		return err == nil && slices.ContainsFunc(notes, func(n watch.Notice) bool { return n.Kind == watch.DiskFull })
	}
	if n := w.count(topics.Scheduled().Name); !said() || n != 0 {
		t.Errorf("without room: said %v, %d URLs were sent to fetch", said(), n)
	}
	free.Store(1 << 40)
	w.idle()
	if n := w.count(topics.Unique().Name); said() || n == 0 {
		t.Errorf("with room again: said %v, %d documents", said(), n)
	}
}
