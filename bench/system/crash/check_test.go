package crash

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"millrace/bench/system/fold"
	"millrace/cmd/wire"
	"millrace/ops/simweb"
	"millrace/schema"
	"millrace/topics"
)

// delay is between two requests to a host: small, so that much happens, and not
// zero, so that politeness can be broken.
const delay = 500 * time.Millisecond

// serve starts a web of a few thousand URLs with copies, aliases, redirects, dead
// ends and links that name a page by another URL.
func serve(t *testing.T) (*simweb.Server, []string) {
	t.Helper()
	p, err := simweb.Load("fast")
	if err != nil {
		t.Fatal(err)
	}
	p.Hosts, p.HostsPerSite = 60, 3
	p.Pages.Min, p.Pages.Max = 40, 40
	p.Size.Min, p.Size.Median, p.Size.Max = 2000, 4000, 8000
	p.Links.Mean, p.Links.External = 12, 0.05
	p.Leaves = map[string]float64{"copy": 0.15, "alias": 0.05, "noindex": 0.03, "redirect": 0.08, "missing": 0.04, "gone": 0.02}
	p.Twins = map[string]float64{"slash": 0.05}
	seed := seedOf(t)
	t.Logf("seed %d", seed)
	w, err := simweb.Build(p, seed, simweb.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	o := simweb.DefaultServe()
	o.Arrivals = true
	s, err := simweb.Serve(w, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, w.Seeds(p.Hosts, "")
}

// seedVariable names a web of before; without it every run crawls another one.
const seedVariable = "MILLRACE_TEST_CRASH_SEED"

func seedOf(t *testing.T) uint64 {
	t.Helper()
	given := os.Getenv(seedVariable)
	if given == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(given, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", seedVariable, err)
	}
	return seed
}

// flags are what every process gets.
func flags(s *simweb.Server, dir string) []string {
	return []string{
		"--data", dir, "--listen", "127.0.0.1:0", "--delay", delay.String(), "--allow-private",
		"--resolve", "*=" + s.Addr(), "--scope", "any", "--log-level", "info",
	}
}

// takeAway makes some pages vanish from the web: of every twentieth document the
// page that stands for it, so that twins must take over (I12) and others must go.
// Pages that others are reached through stay: what was known once would be
// published still.
func takeAway(t *testing.T, s *simweb.Server, seeds []string) []string {
	t.Helper()
	reach := func() *simweb.Truth {
		truth, err := s.Truth(simweb.DefaultRules(s.Clock().Now(), seeds...))
		if err != nil {
			t.Fatal(err)
		}
		return truth
	}
	before := reach()
	var gone []string
	for i, url := range slices.Sorted(maps.Keys(before.Docs)) {
		if i%20 != 0 {
			continue
		}
		if err := s.Override(url, simweb.Override{Status: 404}); err != nil {
			t.Fatal(err)
		}
		if len(reach().URLs) < len(before.URLs) {
			s.Restore(url)
			continue
		}
		gone = append(gone, url)
	}
	if len(gone) < 10 {
		t.Fatalf("only %d pages to take away", len(gone))
	}
	return gone
}

// verdict compares what the origin saw with what it knows; left is how many requests
// were not acknowledged when their process was killed, asked how many URLs it was told
// to fetch again.
func verdict(t *testing.T, s *simweb.Server, seeds []string, left, asked int) *simweb.Truth {
	t.Helper()
	truth, err := s.Truth(simweb.DefaultRules(s.Clock().Now(), seeds...))
	if err != nil {
		t.Fatal(err)
	}
	o := simweb.DefaultJudge()
	o.Delay, o.Truth, o.Agent = delay, truth, "millrace"
	o.Tolerance = 0 // requests start when the kernel received them
	r, err := s.Judge().Report(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d requests, %d repeats of %d URLs (%d of robots.txt), gaps %d: min %s, mean %s, early %d, in flight %d",
		r.Requests, r.Repeats.Requests, r.Repeats.URLs, r.Repeats.Robots, r.Hosts.Gaps, r.Hosts.Min, r.Hosts.Mean, r.Hosts.Early, r.Hosts.MaxInFlight)
	if r.Hosts.Early > 0 || r.Hosts.MaxInFlight > 1 { // I4
		t.Errorf("impolite: %d gaps below the delay, %d requests in flight: %+v", r.Hosts.Early, r.Hosts.MaxInFlight, r.Hosts.Examples)
	}
	if r.Robots.BeforeRead+r.Robots.Disallowed > 0 { // I5
		t.Errorf("robots.txt: %d pages before it was read, %d forbidden: %+v", r.Robots.BeforeRead, r.Robots.Disallowed, r.Robots.Examples)
	}
	if c := r.Coverage; c != nil { // I1 at the origin
		t.Logf("coverage %+v", *c)
	}
	t.Logf("%d unacknowledged, %d asked again", left, asked)
	if most := left + asked + asked/2; r.Repeats.Requests > most { // I6; copies of what goes are asked again, too
		t.Errorf("%d repeats, at most %d: %d unacknowledged, %d asked again: %+v", r.Repeats.Requests, most, left, asked, r.Repeats.Examples)
	}
	return truth
}

// open opens a system to look at it.
func open(t *testing.T, cfg wire.Config) *wire.System {
	t.Helper()
	s, err := wire.Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// agree compares log, index and truth.
func agree(t *testing.T, s *wire.System, shard func(int32) wire.Shard, truth *simweb.Truth) {
	t.Helper()
	live, folds := published(t, s)
	missing, extra := truth.Differ(live)
	for _, d := range missing {
		t.Errorf("not published: %v", d.Stands)
		extra = append(extra, d.URL)
	}
	for _, url := range extra {
		t.Errorf("published: %t: %s", slices.Contains(live, url), url)
		story, err := s.Why(t.Context(), url)
		t.Logf("%s, alias of %q: %+v %v", url, truth.Aliases[url], story, err)
	}
	docs := int64(0)
	for p, f := range folds { // I3
		docs += f.Documents
		if h := shard(p); h.Docs != f.Documents || h.Digest != f.Digest {
			t.Errorf("partition %d: the index has %d documents, digest %x; the fold of docs.unique %d, %x",
				p, h.Docs, h.Digest, f.Documents, f.Digest)
		}
	}
	if lost := waiting(t, s, truth); len(lost) > 0 { // I1
		t.Errorf("lost: %s", some(lost))
	}
	t.Logf("%d documents, %d URLs within reach", docs, len(truth.URLs))
}

// waiting returns the URLs within reach that are in no final state.
func waiting(t *testing.T, s *wire.System, truth *simweb.Truth) []string {
	t.Helper()
	var out []string
	for url := range truth.URLs {
		story, err := s.Frontier(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if story.Row == nil || story.Row.Status <= schema.UrlRow_QUEUED {
			out = append(out, url)
		}
	}
	return out
}

// published reads docs.unique: the URLs that stand there, and the fold.
func published(t *testing.T, s *wire.System) (urls []string, folds map[int32]*fold.Partition) {
	t.Helper()
	n, err := s.Reader.Partitions(t.Context(), topics.Unique().Name)
	if err != nil {
		t.Fatal(err)
	}
	folds = map[int32]*fold.Partition{}
	for p := range n {
		folds[p], err = fold.Read(t.Context(), s.Reader, p, func(key string, _ int64) {
			if s.Kafka.Transactions { // I2
				t.Errorf("%s: two equal records in a row", key)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, folds[p].URLs...)
	}
	return urls, folds
}

func some(list []string) string {
	return fmt.Sprintf("%d %v", len(list), list[:min(5, len(list))])
}

// eventually waits until the origin has seen n requests.
func eventually(ctx context.Context, t *testing.T, s *simweb.Server, n int) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for len(s.Judge().Record().Events()) < n {
		select {
		case <-ctx.Done():
			t.Fatalf("the origin has seen %d requests, not %d", len(s.Judge().Record().Events()), n)
		case <-tick.C:
		}
	}
}
