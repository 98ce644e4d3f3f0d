//go:build linux

package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"

	"millrace/bench/system/fold"
	"millrace/cmd/wire"
	"millrace/ops/simweb"
	"millrace/ops/simweb/truth"
	"millrace/ops/simweb/world"
	"millrace/ops/watch"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// checker compares what a fleet has done with what it should have: pages that were served, records,
// rows and the index.
type checker struct {
	*fleet
	v      Verdict
	seeds  []string
	look   *wire.System // looks on, takes part in nothing
	remade bool         // a topic was made anew: what is asked again is not held against anybody
}

func (c *checker) offend(format string, args ...any) {
	o := fmt.Sprintf(format, args...)
	c.v.Offences = append(c.v.Offences, o)
	c.note("OFFENCE %s", o)
}

func (c *checker) rules() simweb.Rules {
	rules := simweb.DefaultRules(c.web.Clock().Now(), c.seeds...)
	rules.Feeds, rules.Sitemaps = true, true
	return rules
}

// waiting returns the URLs within reach that are in no final state (I1).
func (c *checker) waiting(ctx context.Context) ([]string, error) {
	all, err := c.web.Truth(c.rules())
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var out []string
	err = side(slices.Sorted(maps.Keys(all.URLs)), func(url string) error {
		story, err := c.look.Frontier(ctx, url)
		if err != nil || story.Row == nil && c.dropped(all.URLs[url]) {
			return err
		}
		if story.Row == nil || story.Row.Status <= schema.UrlRow_QUEUED {
			mu.Lock()
			defer mu.Unlock()
			out = append(out, fmt.Sprintf("%s (%v)", url, story.Row))
		}
		return nil
	})
	slices.Sort(out)
	return out, err
}

// dropped reports whether links to a URL are dropped, by a rule that stands for every crawl: images
// are known by their suffix.
func (c *checker) dropped(e *truth.Entry) bool { return e.Kind == truth.File }

// side calls fn for all of a list, eight at a time, and returns the first error.
func side(list []string, fn func(string) error) error {
	const workers = 8
	errs := make([]error, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := w; i < len(list) && errs[w] == nil; i += workers {
				errs[w] = fn(list[i])
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkRunning checks what the command line says while the processes run: the parts of the account
// add up, and nothing is unaccounted for.
func (c *checker) checkRunning(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, c.bin, "status", "--json", "--data", filepath.Join(c.o.Dir, "m0")).Output()
	if err != nil {
		return fmt.Errorf("millrace status: %w: %s", err, out)
	}
	var report watch.Report
	if err := json.Unmarshal(out, &report); err != nil {
		return err
	}
	if len(report.Errors) > 0 {
		c.offend("status: %v", report.Errors)
	}
	if report.Frontier == nil || report.Pages == nil {
		c.offend("status knows nothing of the frontier: %.300s", out)
		return nil
	}
	known := int64(0)
	for _, n := range report.Frontier.ByStatus {
		known += n
	}
	for _, part := range report.FetchedParts() {
		if part.Name == "on their way, or dead letters" && part.N != 0 {
			c.offend("in is not out + dropped (X2): %d fetched URLs are unaccounted for: %+v, %+v, pages %+v", part.N, report.FetchedParts(), report.Frontier, report.Pages)
		}
	}
	rows, err := c.rows(ctx)
	if err != nil {
		return err
	}
	if known != rows && !c.remade {
		c.offend("status counts %d URLs, the log brought %d: %+v", known, rows, report.Frontier.ByStatus)
	}
	c.note("status: %d URLs known, %v, dropped %v", known, report.Frontier.ByStatus, report.Frontier.Drops)
	return nil
}

// rows counts the URLs that are known, of those that any record of urls.discovered names.
func (c *checker) rows(ctx context.Context) (int64, error) {
	urls, err := c.discovered(ctx)
	if err != nil {
		return 0, err
	}
	var mu sync.Mutex
	n := int64(0)
	err = side(urls, func(url string) error {
		story, err := c.look.Frontier(ctx, url)
		if err == nil && story.Row != nil {
			mu.Lock()
			defer mu.Unlock()
			n++
		}
		return err
	})
	return n, err
}

// check checks what is left when all processes have ended.
func (c *checker) check(ctx context.Context) error {
	truth, err := c.web.Truth(c.rules())
	if err != nil {
		return err
	}
	folds, err := c.published(ctx)
	if err != nil {
		return err
	}
	var live []string
	for _, f := range folds {
		live = append(live, f.URLs...)
	}
	c.v.Documents = len(live)
	missing, extra := truth.Differ(live)
	for _, d := range missing {
		c.offend("not published: %v: %s", d.Stands, c.why(ctx, d.URL))
	}
	for _, url := range extra {
		c.offend("published and should not be: %s: %s", url, c.why(ctx, url))
	}
	return errors.Join(c.checkIndex(folds), c.checkOrigin(), c.checkLetters(ctx), c.checkLinks(ctx))
}

func (c *checker) why(ctx context.Context, url string) string {
	story, err := c.look.Why(ctx, url)
	return fmt.Sprintf("%.1500s %v", fmt.Sprintf("%+v", story), err)
}

// published reads docs.unique, and holds equal successive records against it (I2).
func (c *checker) published(ctx context.Context) (map[int32]*fold.Partition, error) {
	n, err := c.look.Reader.Partitions(ctx, topics.Unique().Name)
	if err != nil {
		return nil, err
	}
	out := map[int32]*fold.Partition{}
	for p := range n {
		out[p], err = fold.Read(ctx, c.look.Reader, p, func(key string, offset int64) {
			c.offend("I2: %s stands twice in a row on docs.unique/%d, the second at offset %d", key, p, offset)
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// checkOrigin: politeness, robots.txt and repeats as the origin saw them (I4, I5, I6).
func (c *checker) checkOrigin() error {
	o := simweb.DefaultJudge()
	o.Delay, o.Agent, o.Tolerance = c.o.Delay, "millrace", 0
	report, err := c.web.Judge().Report(o)
	if err != nil {
		return err
	}
	c.v.Requests, c.v.Least = report.Requests, report.Hosts.Min
	if report.Hosts.Early > 0 || report.Hosts.MaxInFlight > 1 {
		c.offend("I4: %d of %d gaps below the delay, %d requests at once: %+v", report.Hosts.Early, report.Hosts.Gaps, report.Hosts.MaxInFlight, report.Hosts.Examples)
	}
	if n := report.Robots.BeforeRead + report.Robots.Disallowed; n > 0 {
		c.offend("I5: %d pages before robots.txt was read, %d that it forbids: %+v", report.Robots.BeforeRead, report.Robots.Disallowed, report.Robots.Examples)
	}
	times := map[world.Ref]int{}
	for _, e := range c.web.Judge().Record().Events() {
		switch e.Page.Space() {
		case world.Robots, world.Feed, world.Sitemap: // these are asked again in any case
		default:
			times[world.Ref{Host: e.Host, Form: e.Form, Page: e.Page}]++
		}
	}
	var again []string
	for ref, n := range times {
		if n > 1 {
			c.v.Repeats += n - 1
			again = append(again, c.web.World().URL(ref, ""))
		}
	}
	if c.v.Repeats > c.v.Allowed && !c.remade {
		c.offend("I6: %d repeats, %d were unacknowledged: %v", c.v.Repeats, c.v.Allowed, again[:min(10, len(again))])
	}
	return nil
}

// checkLetters: no record of this web is unreadable.
func (c *checker) checkLetters(ctx context.Context) error {
	topic := topics.DeadLetters().Name
	ends, err := c.look.Reader.Ends(ctx, topic)
	for p, end := range ends {
		if err != nil {
			return err
		}
		err = c.look.Reader.Scan(ctx, topic, p, 0, end, func(x streams.Raw) error {
			c.offend("I11: a dead letter of %s: %s", x.Key, headers(x))
			return nil
		})
	}
	return err
}

func headers(x streams.Raw) (s string) {
	for _, h := range x.Headers {
		s += fmt.Sprintf("%s=%.200s ", h.Key, h.Value)
	}
	return s
}
