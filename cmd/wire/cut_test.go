package wire

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"millrace/ops/watch"
	"millrace/producers/seeds"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// scheduling opens a crawl over dir with schedule alone running.
func scheduling(t *testing.T, dir string) (s *System, stop func()) {
	t.Helper()
	cfg := DefaultConfig()
	cfg.Data, cfg.Delay, cfg.AllowPrivate, cfg.Scope = dir, 0, true, "any"
	s, err := Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, "schedule") }()
	return s, func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		s.Close()
	}
}

// link appends a link to each path of example.test, one record each.
func link(t *testing.T, s *System, name string, from, to int) {
	t.Helper()
	out, err := streams.NewProducer(t.Context(), s.Kafka, "test", topics.Discovered())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for i := from; i < to; i++ {
		m := &schema.Links{SourceRowKey: "test.example:http/", SourceSite: "example.test", Depth: 1,
			Links: []*schema.Link{{Path: fmt.Sprintf(":http/%s%d", name, i), Kind: schema.Kind_PAGE}}}
		err := out.Send(t.Context(), &schema.Discovered{Host: "test.example", DiscoveredAt: time.Now().UnixMilli(), Body: &schema.Discovered_Links{Links: m}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// read waits until schedule has done all records of its topic.
func read(t *testing.T, s *System) {
	t.Helper()
	late := time.After(time.Minute)
	for {
		changed := s.Meter.Changed() // a commit is counted when the broker has it
		lag := s.Reader.Positions(t.Context())
		for _, g := range lag.Groups {
			if g.Group == "schedule" && g.Records == 0 && len(lag.Errors) == 0 {
				return
			}
		}
		if len(lag.Errors) > 0 { // look again at once: each look waits for the broker's answer
			again := make(chan struct{})
			close(again)
			changed = again
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("schedule never caught up: %+v", lag)
		}
	}
}

// A power loss removes the end of the log and not that of the state: every link that comes
// afterwards is queued, though its record has an offset that was read before, and status shows what
// happened.
func TestLinksAfterALogLostItsEndAreQueued(t *testing.T) {
	dir := t.TempDir()
	s, stop := scheduling(t, dir)
	seed, err := seeds.Parse(s.Canon, "http://example.test/")
	if err == nil {
		err = s.Seed(t.Context(), []seeds.Seed{seed})
	}
	if err != nil {
		t.Fatal(err)
	}
	part := schema.Partition("test.example", s.Meta.HostPartitions)
	segment := filepath.Join(dir, "log", "partitions", fmt.Sprintf("%s-%d", topics.Discovered().Name, part), "0.dat")
	read(t, s)
	size, err := os.Stat(segment)
	if err != nil {
		t.Fatal(err)
	}
	link(t, s, "lost", 0, 50)
	read(t, s)
	stop()
	if err := os.Truncate(segment, size.Size()); err != nil {
		t.Fatal(err)
	}
	s, stop = scheduling(t, dir)
	defer stop()
	changes, err := s.LogChanges(t.Context())
	if err != nil || len(changes) == 0 {
		t.Fatalf("changes %v, %v: the loss is not said", changes, err)
	}
	notes, err := s.notes(t.Context())
	if err != nil {
		t.Error(err)
	}
	if !slices.ContainsFunc(notes, func(n watch.Notice) bool {
		return n.Kind == watch.LogChanged && strings.Contains(n.Text, changes[0].Why)
	}) {
		t.Errorf("status says %q", notes)
	}
	link(t, s, "new", 0, 100)
	read(t, s)
	missing := 0
	for i := range 100 {
		story, err := s.Frontier(t.Context(), fmt.Sprintf("http://example.test/new%d", i))
		if err != nil || story.Row == nil {
			missing++
		}
	}
	if missing > 0 {
		t.Errorf("%d of 100 links are not known", missing)
	}
}
