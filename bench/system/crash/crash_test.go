package crash

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"millrace/cmd/wire"
	"millrace/consumers/index"
	"millrace/ops/cluster/clustertest"
	"millrace/ops/simweb"
	"millrace/streams/streamstest"
	"millrace/topics"
)

const (
	kills    = 10              // how often a crawl is killed
	patience = 5 * time.Minute // how long nothing may move; a URL whose record was lost is sent again after three
)

// requests tells how many requests the origin has seen, for streamstest.Moving.
func requests(s *simweb.Server) func(context.Context) string {
	return func(context.Context) string { return strconv.Itoa(len(s.Judge().Record().Events())) }
}

func TestACrawlPublishesEveryTextOnce(t *testing.T) { crawl(t, 0) }

func TestRunSurvivesKillNine(t *testing.T) { crawl(t, kills) }

// crawl runs a crawl to its end and kills it on the way.
func crawl(t *testing.T, kills int) {
	s, seeds := serve(t)
	bin, dir := binary(t), t.TempDir()
	ctx, stop := streamstest.Moving(t, patience, requests(s))
	defer stop()
	args := append([]string{"run"}, flags(s, dir)...)
	end := []string{"--until-idle", "--idle-wait", "30s"}
	p := begin(t, bin, append(append(args, end...), seeds...)...)
	cfg := wire.DefaultConfig()
	cfg.Data, cfg.AllowPrivate, cfg.Scope = dir, true, "any"
	seen, left := 0, 0
	dies := func() {
		p.kill(t)
		sys := open(t, cfg)
		left += unacknowledged(t, sys, s)
		sys.Close()
	}
	for range kills {
		// Some requests further on, in the middle of everything.
		eventually(ctx, t, s, seen+120)
		dies()
		seen = len(s.Judge().Record().Events())
		p = begin(t, bin, append(args, end...)...)
	}
	p.ends(ctx, t)

	gone := takeAway(t, s, seeds)
	begin(t, bin, slices.Concat([]string{"recheck", "--data", dir}, gone)...).wait(t, time.Minute)
	p = begin(t, bin, append(args, end...)...)
	if kills > 0 { // once more, while documents are withdrawn and their twins take over
		eventually(ctx, t, s, len(s.Judge().Record().Events())+len(gone)/2)
		dies()
		p = begin(t, bin, append(args, end...)...)
	}
	p.ends(ctx, t)

	truth := verdict(t, s, seeds, left, len(gone))
	sys := open(t, cfg)
	agree(t, sys, sys.Shard, truth)
}

// members is how many processes share the work on a cluster.
const members = 3

func TestThreeProcessesOnRealServersSurviveKillNine(t *testing.T) {
	cfg := wire.DefaultConfig()
	cfg.Brokers = clustertest.KafkaAlone(t)
	cfg.Store = "cql://" + strings.Join(clustertest.CQL(t), ",") + "/" + clustertest.Name(t)
	cfg.Partitions, cfg.Replicas, cfg.Scope, cfg.AllowPrivate = 4, 1, "any", true
	if err := streamstest.Clear(t.Context(), cfg.Brokers); err != nil {
		t.Fatal(err)
	}
	if _, err := wire.Provision(t.Context(), cfg, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	s, seeds := serve(t)
	bin := binary(t)
	on := []string{"--brokers", strings.Join(cfg.Brokers, ","), "--store", cfg.Store}
	begin(t, bin, slices.Concat([]string{"produce", "seeds", "--scope", "any", "--data", t.TempDir()}, on, seeds)...).wait(t, time.Minute)

	var dirs []string
	var running []*process
	join := func(i int) *process {
		args := slices.Concat([]string{"consume"}, topics.GroupNames(), on, flags(s, dirs[i]), []string{"--member", fmt.Sprintf("m%d", i)})
		return begin(t, bin, args...)
	}
	for i := range members {
		dirs = append(dirs, t.TempDir())
		running = append(running, join(i))
	}
	cfg.Data = t.TempDir()
	sys := open(t, cfg)
	at, asked := streamstest.Places(sys.Reader), requests(s)
	ctx, stop := streamstest.Moving(t, patience, func(ctx context.Context) string { return at(ctx) + asked(ctx) })
	defer stop()
	left := 0
	dies := func(i int) {
		running[i].kill(t)
		left += unacknowledged(t, sys, s)
		running[i] = join(i)
	}
	for n := range kills {
		eventually(ctx, t, s, (n+1)*150)
		dies(n % members)
	}
	truth, err := s.Truth(simweb.DefaultRules(s.Clock().Now(), seeds...))
	if err != nil {
		t.Fatal(err)
	}
	settled(ctx, t, sys, s, truth)

	gone := takeAway(t, s, seeds)
	seen := len(s.Judge().Record().Events())
	begin(t, bin, slices.Concat([]string{"recheck", "--data", t.TempDir()}, on, gone)...).wait(t, time.Minute)
	eventually(ctx, t, s, seen+len(gone)/2)
	dies(0)
	eventually(ctx, t, s, seen+len(gone))
	settled(ctx, t, sys, s, truth)
	for _, p := range running {
		p.interrupt(t)
	}
	agree(t, sys, newest(t, dirs), verdict(t, s, seeds, left, len(gone)))
}

// settled waits until every URL has come to an end and every group has done all.
func settled(ctx context.Context, t *testing.T, sys *wire.System, web *simweb.Server, truth *simweb.Truth) {
	t.Helper()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		left := waiting(t, sys, truth)
		lag := sys.Reader.Positions(t.Context())
		records := int64(0)
		for _, g := range lag.Groups {
			records += g.Records
		}
		if len(left) == 0 && records == 0 && len(lag.Errors) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			explain(t, sys, left)
			t.Fatalf("never settled: %v: %s wait; %+v; the origin has seen %d requests", context.Cause(ctx), some(left), lag, len(web.Judge().Record().Events()))
		case <-tick.C:
		}
	}
}

// explain logs the rows of some URLs that wait.
func explain(t *testing.T, sys *wire.System, urls []string) {
	t.Helper()
	for _, url := range urls[:min(5, len(urls))] {
		story, err := sys.Frontier(t.Context(), url)
		t.Logf("%s: %+v (%v)", url, story, err)
	}
}

// newest opens the indexes of all members: of a partition that several had, the
// one that got furthest counts.
func newest(t *testing.T, dirs []string) func(int32) wire.Shard {
	t.Helper()
	at := map[int32]int64{}
	best := map[int32]wire.Shard{}
	for _, dir := range dirs {
		o := index.DefaultOptions()
		o.Dir = filepath.Join(dir, "index")
		shards, err := index.New(o, index.Deps{Logger: slog.New(slog.DiscardHandler)})
		if err == nil {
			err = shards.Open()
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range shards.Status() {
			if h.Offset >= at[h.Partition] {
				at[h.Partition] = h.Offset
				d, _ := strconv.ParseUint(h.Digest, 16, 64)
				best[h.Partition] = wire.Shard{Docs: h.Docs, Digest: d}
			}
		}
		if err := shards.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return func(p int32) wire.Shard { return best[p] }
}
