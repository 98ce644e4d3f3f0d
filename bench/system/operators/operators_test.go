//go:build linux

package operators

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/cmd/wire"
	"millrace/ops/cluster/clustertest"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// gocql sleeps out its reconnection pause after Close.
		goleak.IgnoreAnyFunction("github.com/gocql/gocql.(*Session).handleNodeUp"))
}

const (
	members = 3
	sites   = 6
	perSite = 3
	delay   = 200 * time.Millisecond
	// deadline ends what hangs. It is no measure.
	deadline = 10 * time.Minute
)

// crawl is three processes on one cluster, and one System that looks on.
type crawl struct {
	*testing.T
	ctx  context.Context
	web  *web
	dir  string
	bin  string
	on   []string // the flags that name the servers
	look *wire.System

	began time.Time
	said  []*output // what each process prints
}

func TestWhatIsDecidedHoldsInThreeProcesses(t *testing.T) {
	c := newCrawl(t)
	for n := range members {
		c.begin(n)
	}
	for n := range members {
		c.worksAt(n)
	}
	c.phase("three processes work")
	c.run(0, append([]string{"produce", "seeds", "--scope", "any"}, homes()...)...)
	c.everySite("/open/", 3)
	c.phase("every site was asked")

	c.rule()
	c.phase("a rule holds")
	c.takedown()
	c.phase("a page was taken down and came back")
	c.unknown()
	c.phase("an unknown page stays out")
	c.politeness()
}

// phase prints how far the test is.
func (c *crawl) phase(name string) { c.Logf("%3.0f s  %s", time.Since(c.began).Seconds(), name) }

// homes are the first pages of all hosts.
func homes() []string {
	var out []string
	for s := range sites {
		for h := range perSite {
			out = append(out, "http://"+host(h, s)+"/")
		}
	}
	return out
}

func host(h, s int) string { return fmt.Sprintf("h%d.site%d.test", h, s) }

func newCrawl(t *testing.T) *crawl {
	cfg := wire.DefaultConfig()
	cfg.Brokers = clustertest.KafkaAlone(t)
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	t.Cleanup(cancel)
	c := &crawl{T: t, ctx: ctx, web: newWeb(t), dir: t.TempDir(), began: time.Now()}
	cfg.Store = "cql://" + strings.Join(clustertest.CQL(t), ",") + "/" + clustertest.Name(t)
	cfg.Partitions, cfg.Replicas, cfg.Data, cfg.Scope = 8, 1, filepath.Join(c.dir, "look"), "any"
	c.on = []string{"--brokers", strings.Join(cfg.Brokers, ","), "--store", cfg.Store}
	c.bin = filepath.Join(c.dir, "millrace")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", c.bin, "millrace/cmd/millrace").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := streamstest.Clear(ctx, cfg.Brokers); err != nil {
		t.Fatal(err)
	}
	if _, err := wire.Provision(ctx, cfg, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	var err error
	if c.look, err = wire.Open(ctx, cfg, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.look.Close() })
	return c
}

func (c *crawl) data(n int) string { return filepath.Join(c.dir, fmt.Sprint("m", n)) }

// output keeps what a process prints, and calls stir for it.
type output struct {
	stir func()
	mu   sync.Mutex
	all  []byte
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	o.all = append(o.all, p...)
	o.mu.Unlock()
	o.stir()
	return len(p), nil
}

func (o *output) text() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return bytes.Clone(o.all)
}

// begin starts a process that takes part in all groups, and ends it with the test.
func (c *crawl) begin(n int) {
	cmd := exec.Command(c.bin, slices.Concat([]string{"consume", "all"}, c.on, []string{"--data", c.data(n),
		"--listen", "127.0.0.1:0", "--peers", "127.0.0.1:0", "--delay", delay.String(), "--polite-by", "site", "--scope", "any",
		"--allow-private", "--resolve", "*=" + c.web.Listener.Addr().String(), "--traps=false", "--log-level", "info"})...)
	said := &output{stir: c.web.stir}
	c.said = append(c.said, said)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if text := said.text(); c.Failed() {
			c.Logf("process %d ended with:\n%s", n, text[max(0, len(text)-3000):])
		}
	})
}

// until waits until something holds. It is looked at after every few events: requests to the web,
// which never stop once they have begun, and what the processes print.
func (c *crawl) until(what string, holds func() bool) {
	c.Helper()
	for !holds() {
		for range sites {
			select {
			case <-c.web.event():
			case <-c.ctx.Done():
				c.Fatalf("%s: not within %s", what, deadline)
			}
			if c.web.count("") == 0 { // only the processes print: each line may be the one
				break
			}
		}
	}
}

// worksAt waits until a process has partitions of the frontier and of fetch.
func (c *crawl) worksAt(n int) {
	c.until(fmt.Sprintf("partitions of process %d", n), func() bool {
		said := c.said[n].text()
		return saysReady(said, "schedule") && saysReady(said, "fetch")
	})
}

func saysReady(said []byte, group string) bool {
	for line := range bytes.Lines(said) {
		if bytes.Contains(line, []byte(`"partition ready"`)) && bytes.Contains(line, []byte(" group="+group+" ")) {
			return true
		}
	}
	return false
}

// everySite waits until every site was asked more more times for URLs with part.
func (c *crawl) everySite(part string, more int) {
	c.Helper()
	before := map[int]int{}
	of := func(s int) int {
		n := 0
		for h := range perSite {
			n += c.web.count(host(h, s) + part)
		}
		return n
	}
	for s := range sites {
		before[s] = of(s)
	}
	c.until("requests for "+part, func() bool {
		for s := range sites {
			if of(s) < before[s]+more {
				return false
			}
		}
		return true
	})
}

// run runs a command beside process n, on its data directory.
func (c *crawl) run(n int, args ...string) string {
	c.Helper()
	var said bytes.Buffer
	cmd := exec.CommandContext(c.ctx, c.bin, slices.Concat(args, c.on, []string{"--data", c.data(n)})...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		c.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, said.String())
	}
	return string(out)
}

// refused runs a command that names what was taken down: it does the rest, says so, and fails.
func (c *crawl) refused(n int, args ...string) {
	c.Helper()
	said, err := exec.CommandContext(c.ctx, c.bin, slices.Concat(args, c.on, []string{"--data", c.data(n)})...).CombinedOutput()
	if err == nil || !strings.Contains(string(said), ": kept out by ") {
		c.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, said)
	}
}

// named seeds and rechecks a URL as a process would that does not know what was taken down.
func (c *crawl) named(url string) {
	c.Helper()
	if err := errors.Join(c.look.SeedURLs(c.ctx, []string{url}, ""), c.look.Recheck(c.ctx, []string{url}, false)); err != nil {
		c.Fatal(err)
	}
}

// finds reports whether a search over all processes finds a page by its word.
func (c *crawl) finds(host, path string) bool {
	r, err := c.look.Search(c.ctx, wordOf(host, path), 0, 10)
	return err == nil && len(r.Warnings) == 0 && r.Total > 0
}

// gone reports whether a search over all processes does not find a page.
func (c *crawl) gone(host, path string) bool {
	r, err := c.look.Search(c.ctx, wordOf(host, path), 0, 10)
	return err == nil && len(r.Warnings) == 0 && r.Total == 0
}

// rule: what is excluded is not asked for any more, by no process.
func (c *crawl) rule() {
	c.everySite("/shut/", 2)
	c.run(1, "rules", "add", "exclude /shut/")
	c.everySite("/open/", 30) // more than fetch has of a site at most: what was sent before is over
	before := -1
	for n := c.web.count("/shut/"); n != before; n = c.web.count("/shut/") { // in force, however slow the machine
		before = n
		c.everySite("/open/", 8)
	}
	c.everySite("/open/", 30)
	if n := c.web.count("/shut/"); n != before {
		c.Errorf("%d requests for what a rule excludes", n-before)
	}
	decided := c.decided()
	last := time.Time{}
	for _, o := range c.outcomes() {
		if at := time.UnixMilli(o.FetchedAt); o.FetchedAt > 0 && o.Rule == "" && strings.Contains(o.RowKey, "/shut/") && at.After(last) {
			last = at
		}
	}
	c.Logf("the last request for what the rule excludes began %.1f s after the rule", last.Sub(decided).Seconds())
}

// takedown: a known page goes out of search, and comes back only when its removal is lifted.
func (c *crawl) takedown() {
	const path = "/open/1"
	name := host(0, 0)
	url := "http://" + name + path
	c.until("the page in search", func() bool { return c.finds(name, path) })
	began := time.Now()
	c.run(2, "forget", url)
	c.until("the page out of search", func() bool { return c.gone(name, path) })
	c.Logf("out of search %.1f s after the command was begun", time.Since(began).Seconds())
	before := c.web.requests(url)
	c.refused(0, "produce", "seeds", url, "http://"+name+"/beside")
	c.refused(1, "recheck", url)
	c.named(url)
	c.until("what was named beside it", func() bool { return c.finds(name, "/beside") })
	c.everySite("/open/", 3)
	if n := c.web.requests(url); n != before || !c.gone(name, path) {
		c.Errorf("%s came back: %d requests", url, n-before)
	}
	c.run(1, "forget", "--lift", url)
	c.until("the page in search again", func() bool { return c.finds(name, path) })
}

// unknown: a page that was taken down before anybody knew it is never asked for.
func (c *crawl) unknown() {
	var later []string
	for h := range perSite {
		later = append(later, "http://"+host(h, 1)+"/later")
	}
	c.run(0, append([]string{"forget", "--prefix"}, later...)...)
	c.web.names.Store(true)
	c.refused(0, "produce", "seeds", "http://"+host(0, 1)+"/later", "http://"+host(0, 1)+"/beside")
	c.named("http://" + host(0, 1) + "/later")
	c.until("what was named beside it", func() bool { return c.finds(host(0, 1), "/beside") })
	c.everySite("/open/", 3)
	for h := range perSite {
		if n := c.web.count(host(h, 1) + "/later"); n > 0 {
			c.Errorf("%s/later was asked %d times", host(h, 1), n)
		}
	}
}

// politeness: one request of a site at a time, from whatever process and to whatever host, and one
// delay from start to start, as the processes note it.
func (c *crawl) politeness() {
	c.web.mu.Lock()
	if c.web.atOnce > 1 {
		c.Errorf("%d requests of a site at once", c.web.atOnce)
	}
	c.web.mu.Unlock()
	starts := map[string][]int64{}
	for _, o := range c.outcomes() {
		if o.FetchedAt > 0 && o.Result != schema.Outcome_DEFERRED && o.Rule == "" {
			site := siteOf(schema.RowKey(o.RowKey).Host().Name())
			starts[site] = append(starts[site], o.FetchedAt)
		}
	}
	if len(starts) != sites {
		c.Fatalf("requests to %d sites", len(starts))
	}
	for site, list := range starts {
		slices.Sort(list)
		least := int64(1 << 62)
		for i := range list[1:] {
			least = min(least, list[i+1]-list[i])
		}
		if least < delay.Milliseconds()-1 { // times are whole milliseconds
			c.Errorf("%s: %d ms between two requests", site, least)
		}
		c.Logf("%s: %d requests, at least %d ms apart", site, len(list), least)
	}
}

// outcomes are those of all attempts so far.
func (c *crawl) outcomes() []*schema.Outcome {
	var out []*schema.Outcome
	c.each(topics.Discovered().Name, func(p int32, end int64) error {
		return streams.Read(c.ctx, c.look.Reader, topics.Discovered(), p, 0, end, func(r *streams.Record[*schema.Discovered]) error {
			if o := r.Value.GetOutcome(); o != nil {
				out = append(out, o)
			}
			return nil
		})
	})
	return out
}

// decided is when the broker took the last decision.
func (c *crawl) decided() (at time.Time) {
	c.each(topics.Control().Name, func(p int32, end int64) error {
		return streams.Read(c.ctx, c.look.Reader, topics.Control(), p, 0, end, func(r *streams.Record[*schema.Control]) error {
			at = r.Time
			return nil
		})
	})
	return at
}

func (c *crawl) each(topic string, read func(partition int32, end int64) error) {
	c.Helper()
	ends, err := c.look.Reader.Ends(c.ctx, topic)
	for p, end := range ends {
		if err == nil {
			err = read(p, end)
		}
	}
	if err != nil {
		c.Fatal(err)
	}
}
