package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"millrace/ops/cluster/clustertest"
	"millrace/ops/members"
	"millrace/ops/web"
	"millrace/producers/seeds"
	"millrace/topics"
)

// member is a process of a cluster, within this one.
type member struct {
	*System
	stop func()
}

// join starts a member with groups; it answers peers.
func join(t *testing.T, cfg Config, groups ...string) *member {
	t.Helper()
	cfg.Data, cfg.Listen = t.TempDir(), "127.0.0.1:0"
	s, err := Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s.id = cfg.Data // not this process's, which all members of the test share
	site, err := s.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	go func() { ended <- s.Run(ctx, groups...) }()
	go func() { ended <- site.Run(ctx) }()
	m := &member{System: s}
	stopped := false
	m.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		for range cap(ended) {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		s.Close()
	}
	t.Cleanup(m.stop)
	return m
}

// complete reports whether a search of this member finds so many pages and misses
// no part of the index.
func (m *member) complete(t *testing.T, pages int64) bool {
	t.Helper()
	r, err := m.Search(t.Context(), "mill", 0, 20)
	if err != nil {
		t.Fatal(err)
	}
	return r.Total == pages && len(r.Warnings) == 0 && m.ready() == nil
}

// until waits for a complete answer. The index tells when it moved; the list of
// members may be some seconds old.
func (m *member) until(ctx context.Context, t *testing.T, pages int64) {
	t.Helper()
	for {
		moved := m.groups.shards.Moved()
		if m.complete(t, pages) {
			return
		}
		select {
		case <-ctx.Done():
			r, err := m.Search(t.Context(), "mill", 0, 20)
			t.Fatalf("never complete: %+v, %v, ready: %v, shards %+v", r, err, m.ready(), m.groups.shards.Status())
		case <-moved:
		case <-time.After(members.DefaultOptions().Every):
		}
	}
}

// seesTheWhole checks that the report of a process without groups has the numbers of the whole
// cluster: those in the store, the live ones of its processes, and their counters.
func (m *member) seesTheWhole(ctx context.Context, t *testing.T, sites int64) {
	t.Helper()
	w, err := m.Watch()
	if err != nil {
		t.Fatal(err)
	}
	for {
		r := w.Report(ctx)
		f := r.Frontier
		var dropped int64
		for _, d := range r.Drops {
			if d.Group == "schedule" && d.Reason == "scope" {
				dropped += d.N
			}
		}
		if f != nil && f.Hosts == sites && f.ByStatus["FETCHED"] == sites && f.Fetched == sites && dropped == sites && r.Requests.Most > 0 && len(r.Errors) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("never: frontier %+v, requests %+v, drops %v, errors %v", f, r.Requests, r.Drops, r.Errors)
		case <-time.After(members.DefaultOptions().Every):
		}
	}
}

// saysThatNobodyIndexes waits until this process no longer sees a process of the group index. The
// search page must then say which command starts one, as an answer that may be asked for again.
func (m *member) saysThatNobodyIndexes(ctx context.Context, t *testing.T) {
	t.Helper()
	for {
		_, err := m.searchPage(ctx, web.Question{Query: "mill", Size: 10})
		var later *web.Unavailable
		if errors.As(err, &later) && strings.Contains(later.Message, "millrace consume index") {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("without a process of the group index the search page says: %v", err)
		case <-time.After(members.DefaultOptions().Every):
		}
	}
}

// With several processes in the group index, each answers searches over all shards, also after one
// of them has left.
func TestASearchSeesTheIndexOfAllProcesses(t *testing.T) {
	const sites = 24
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Mill of %s</title><a href=http://elsewhere.example/>out</a><p>%s", r.Host, strings.Repeat("The mill of "+r.Host+" grinds the grain of its village. ", 5))
	}))
	defer web.Close()
	cfg := DefaultConfig()
	cfg.Brokers = clustertest.KafkaAlone(t)
	cfg.Store = "cql://" + strings.Join(clustertest.CQL(t), ",") + "/" + clustertest.Name(t)
	cfg.Partitions, cfg.Replicas, cfg.Peers = 4, 1, "127.0.0.1:0"
	cfg.Delay, cfg.AllowPrivate, cfg.Resolve = 0, true, []string{"*.test=" + web.Listener.Addr().(*net.TCPAddr).String()}
	clearTopics(t, cfg)
	if _, err := Provision(t.Context(), cfg, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}

	one, two := join(t, cfg, topics.GroupNames()...), join(t, cfg, "index")
	var list []seeds.Seed
	for i := range sites {
		seed, err := seeds.Parse(one.Canon, fmt.Sprintf("http://www.site%d.test/", i))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, seed)
	}
	if err := one.Seed(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	one.until(ctx, t, sites)
	if a, b := len(one.groups.shards.Status()), len(two.groups.shards.Status()); a == 0 || b == 0 {
		t.Fatalf("one process has the whole index: %d and %d parts", a, b)
	}
	known, err := one.members(t.Context())
	if shards := one.indexShards(); err != nil || len(known) != 2 || len(shards) != int(one.Meta.SitePartitions) {
		t.Errorf("the dashboard knows of %d processes and %d shards (%v)", len(known), len(shards), err)
	}
	cfg.Peers = ""
	onlooker := join(t, cfg)
	if !two.complete(t, sites) || !onlooker.complete(t, sites) {
		t.Error("another process does not find what one finds")
	}
	onlooker.seesTheWhole(ctx, t, sites)

	two.stop()
	one.until(ctx, t, sites)
	one.stop()
	onlooker.saysThatNobodyIndexes(ctx, t)
}
