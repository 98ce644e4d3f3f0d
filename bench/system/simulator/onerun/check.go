package onerun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"millrace/bench/system/fold"
	"millrace/bench/system/simulator/plan"
	"millrace/ops/simweb"
	"millrace/streams"
	"millrace/topics"
)

// truth returns the URLs and documents that a crawl must find now.
func (w *world) truth() (*simweb.Truth, error) {
	rules := simweb.DefaultRules(time.Now(), w.seeds...)
	if w.plan.Depth > 0 {
		rules.MaxDepth = w.plan.Depth
	}
	return w.origin.Truth(rules)
}

func (w *world) isGone(url string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gone[url]
}

// published reads docs.unique as committed, and holds equal successive records against it (I2).
func (c *checks) published(ctx context.Context) (map[int32]*fold.Partition, error) {
	out := map[int32]*fold.Partition{}
	for p := range c.look.Meta.SitePartitions {
		f, err := fold.Read(ctx, c.look.Reader, p, func(key string, offset int64) {
			c.offend("I2: %s stands twice in a row on docs.unique/%d, the second at offset %d", key, p, offset)
		})
		if err != nil {
			return nil, err
		}
		out[p] = f
	}
	return out, nil
}

// shard is the part of the index that is served; false if not exactly one process has it.
func (w *world) shard(p int32) (s shardState, ok bool) {
	n := 0
	for _, proc := range w.procs {
		if l := proc.life(); l != nil {
			for _, h := range l.system.Shards() {
				if h.Partition == p && !h.Frozen {
					n++
					s = shardState{proc.n, l.system.Shard(p).Docs, l.system.Shard(p).Digest, h.Links}
				}
			}
		}
	}
	return s, n == 1
}

type shardState struct {
	process int
	docs    int64
	digest  uint64
	links   int64 // how far it followed the topic links
}

// checks hold what a run left behind against the invariants. What does not hold is an offence.
type checks struct{ *world }

// check holds everything against the truth.
func (c *checks) check(phase int) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if silent := c.lostLogs.silent(); len(silent) > 0 {
		c.offend("I7: %v were made anew, and no process said so", silent)
	}
	err := errors.Join(c.checkDocuments(ctx), c.checkOrigin(), c.checkDeadLetters(ctx), c.repeats.checkRepeats(ctx), c.checkBounds(ctx))
	if phase == plan.Phases-1 {
		err = errors.Join(err, c.checkReplay(ctx), (&urgency{c.world}).checkIsolation(ctx))
	}
	if err != nil {
		c.offend("phase %d cannot be checked: %v", phase, err)
	}
}

// checkDocuments: documents equal the truth, the index equals docs.unique (I1, I3, I12).
func (c *checks) checkDocuments(ctx context.Context) error {
	truth, err := c.truth()
	if err != nil {
		return err
	}
	folds, err := c.published(ctx)
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for p, f := range folds {
		for _, u := range f.URLs {
			have[u] = true
		}
		if s, _ := c.shard(p); s.docs != f.Documents || s.digest != f.Digest {
			c.offend("I3: partition %d: the index of process %d has %d documents, digest %x; docs.unique folds to %d, %x",
				p, s.process, s.docs, s.digest, f.Documents, f.Digest)
		}
	}
	for _, url := range slices.Sorted(maps.Keys(truth.Docs)) {
		c.checkDocument(ctx, truth.Docs[url].Members, have)
	}
	for _, url := range slices.Sorted(maps.Keys(have)) {
		c.offend("I12: %s is published and should not be: %s", url, c.why(ctx, url))
	}
	return nil
}

// checkDocument: of the pages that show one text exactly one is published. Which one depends
// on which was there first.
func (c *checks) checkDocument(ctx context.Context, members []string, have map[string]bool) {
	var published []string
	for _, url := range members {
		if have[url] {
			published = append(published, url)
		}
		delete(have, url)
	}
	switch len(published) {
	case 0:
		c.offend("I1: none of %v is published: %s", members, c.why(ctx, members[0]))
	case 1:
	default:
		c.offend("I12: %v have one text and are all published", published)
	}
}

func (w *world) why(ctx context.Context, url string) string {
	story, err := w.look.Why(ctx, url)
	return fmt.Sprintf("%+v %v", story, err)
}

// checkOrigin: politeness and robots as the origin saw them, to the nanosecond (I4, I5).
func (c *checks) checkOrigin() error {
	o := simweb.DefaultJudge()
	o.Delay, o.Tolerance, o.Agent = c.plan.Delay, 0, "millrace"
	r, err := c.origin.Judge().Report(o)
	if err != nil {
		return err
	}
	most := 1
	if slices.ContainsFunc(c.plan.Faults, func(f plan.Fault) bool { return f.Kind == plan.Freeze }) {
		most = 2 // what a process had asked for when it was stopped, and its successor's
	}
	if r.Hosts.Early > 0 || r.Hosts.MaxInFlight > most {
		c.offend("I4: %d gaps below the delay, %d requests at once at %s: %+v", r.Hosts.Early, r.Hosts.MaxInFlight, r.Hosts.Busiest, r.Hosts.Examples)
	}
	if r.Robots.BeforeRead+r.Robots.Disallowed > 0 {
		c.offend("I5: %d pages before robots.txt was read, %d that it forbids: %+v", r.Robots.BeforeRead, r.Robots.Disallowed, r.Robots.Examples)
	}
	c.note("origin: %d requests, %d repeats, least gap %s", r.Requests, r.Repeats.Requests, r.Hosts.Min)
	return nil
}

// checkDeadLetters: every record that nobody can read is a dead letter, and nothing else is (I11).
func (c *checks) checkDeadLetters(ctx context.Context) error {
	topic := topics.DeadLetters().Name
	end, err := c.look.Reader.End(ctx, topic, 0)
	if err != nil {
		return err
	}
	found := map[string]bool{}
	err = c.look.Reader.Scan(ctx, topic, 0, 0, end, func(r streams.Raw) error {
		from, why := "", ""
		for _, h := range r.Headers {
			switch h.Key {
			case "topic":
				from = string(h.Value)
			case "kind", "error", "group":
				why += " " + string(h.Value)
			}
		}
		key := from + " " + string(r.Value)
		if !c.unreadable[key] {
			c.offend("I11: a good record of %s became a dead letter:%s", from, why)
		}
		found[key] = true
		return nil
	})
	for key := range c.unreadable {
		from, _, _ := strings.Cut(key, " ")
		if !found[key] && !c.lostLogs.has(from) { // it may have gone with its log
			c.offend("I11: a unreadable record did not become one: %q", key)
		}
	}
	return err
}
