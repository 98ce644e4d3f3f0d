package onerun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"millrace/bench/system/fold"
	"millrace/bench/system/simulator/plan"
	"millrace/ops/simweb"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// settleWithin bounds the time from the last fault until nothing is left to do.
const settleWithin = 15 * time.Minute

// askEvery is how often, in the first half of that time, an operator has everything fetched again
// if a log was lost, or if a clock was ahead and something is left: a clock that is ahead asks
// early, and early failures make the pauses before the next try long.
const askEvery = 90 * time.Second

// asksAtRest is how often he does so after a log was lost while nothing is left to do: what is
// found by the links of one round is known in the next.
const asksAtRest = 3

// truth returns the URLs and documents that a crawl must find now.
func (w *world) truth() (*simweb.Truth, error) {
	rules := simweb.DefaultRules(time.Now(), w.seeds...)
	if w.plan.Depth > 0 {
		rules.MaxDepth = w.plan.Depth
	}
	return w.origin.Truth(rules)
}

// settle returns when every URL has come to an end, no group has anything left, and every
// shard is served. false: it never does.
func (w *world) settle(phase int) bool {
	began := time.Now()
	deadline := began.Add(settleWithin)
	asked, quiet, atRest := began, 0, 0
	for {
		lost, half := len(w.lost) > 0, time.Since(began) >= settleWithin/2
		again := lost && quiet >= 3 && atRest < asksAtRest
		if !half && (again || (lost || w.late(phase) > 0) && time.Since(asked) >= askEvery) {
			w.must(w.askAgain())
			if again {
				atRest++
			}
			asked, quiet = time.Now(), 0
		}
		left := w.unsettled()
		if left == "" {
			if quiet++; quiet >= 3 && (!lost || atRest == asksAtRest || half) {
				return true
			}
		} else {
			quiet = 0
		}
		if time.Now().After(deadline) {
			w.offend("phase %d never settles (hang, I1, I10): %s", phase, left)
			w.lastWords()
			return false
		}
		select {
		case <-w.fatal:
			return false
		case <-time.After(2 * time.Second):
		}
	}
}

// unsettled says what there is still to do; "" if nothing.
func (w *world) unsettled() string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	lag := w.look.Reader.Positions(ctx)
	for _, g := range lag.Groups {
		if g.Records > 0 {
			return fmt.Sprintf("%s has %d records of %s before it: %+v", g.Group, g.Records, g.Topic, g.Partitions)
		}
	}
	if len(lag.Errors) > 0 {
		return fmt.Sprint(lag.Errors)
	}
	waiting, err := w.waiting(ctx)
	if err != nil {
		return err.Error()
	}
	if waiting != "" {
		return "a URL waits: " + waiting
	}
	ends, err := w.look.Reader.Ends(ctx, topics.Links().Name)
	if err != nil {
		return err.Error()
	}
	for p := range w.look.Meta.SitePartitions {
		switch s, ok := w.shard(p); {
		case !ok:
			return fmt.Sprintf("shard %d of the index is nobody's, or two processes' ", p)
		case s.links < ends[p]:
			return fmt.Sprintf("shard %d of the index has followed the topic links up to %d of %d", p, s.links, ends[p])
		}
	}
	return ""
}

// waiting returns a URL within reach that is in no final state, and its state; "" if there is none
// (I1). It begins with the one that waited when it was last asked.
func (w *world) waiting(ctx context.Context) (string, error) {
	truth, err := w.truth()
	if err != nil {
		return "", err
	}
	if _, within := truth.URLs[w.last]; within {
		if state, err := w.state(ctx, w.last); err != nil || state != "" {
			return state, err
		}
	}
	for _, url := range slices.Sorted(maps.Keys(truth.URLs)) {
		if state, err := w.state(ctx, url); err != nil || state != "" {
			w.last = url
			return state, err
		}
	}
	return "", nil
}

// state returns a URL with its row if it is in no final state, else "".
func (w *world) state(ctx context.Context, url string) (string, error) {
	story, err := w.look.Frontier(ctx, url)
	switch {
	case err != nil:
		return "", err
	case story.Row == nil:
		return url + " (unknown)", nil
	case story.Row.Status <= schema.UrlRow_QUEUED, w.isGone(url) && story.Row.Status != schema.UrlRow_GONE:
		return fmt.Sprintf("%s (%+v)", url, story.Row), nil
	}
	return "", nil
}

func (w *world) isGone(url string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gone[url]
}

// published reads docs.unique as committed, and holds equal successive records against it (I2).
func (w *world) published(ctx context.Context) (map[int32]*fold.Partition, error) {
	out := map[int32]*fold.Partition{}
	for p := range w.look.Meta.SitePartitions {
		f, err := fold.Read(ctx, w.look.Reader, p, func(key string, offset int64) {
			w.offend("I2: %s stands twice in a row on docs.unique/%d, the second at offset %d", key, p, offset)
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

// check holds everything against the truth.
func (w *world) check(phase int) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	w.checkLost()
	err := errors.Join(w.checkDocuments(ctx), w.checkOrigin(), w.checkDeadLetters(ctx), w.checkRepeats(ctx), w.checkBounds(ctx))
	if phase == plan.Phases-1 {
		err = errors.Join(err, w.checkReplay(ctx), w.checkIsolation(ctx))
	}
	if err != nil {
		w.offend("phase %d cannot be checked: %v", phase, err)
	}
}

// checkDocuments: documents equal the truth, the index equals docs.unique (I1, I3, I12).
func (w *world) checkDocuments(ctx context.Context) error {
	truth, err := w.truth()
	if err != nil {
		return err
	}
	folds, err := w.published(ctx)
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for p, f := range folds {
		for _, u := range f.URLs {
			have[u] = true
		}
		if s, _ := w.shard(p); s.docs != f.Documents || s.digest != f.Digest {
			w.offend("I3: partition %d: the index of process %d has %d documents, digest %x; docs.unique folds to %d, %x",
				p, s.process, s.docs, s.digest, f.Documents, f.Digest)
		}
	}
	for _, url := range slices.Sorted(maps.Keys(truth.Docs)) {
		w.checkDocument(ctx, truth.Docs[url].Members, have)
	}
	for _, url := range slices.Sorted(maps.Keys(have)) {
		w.offend("I12: %s is published and should not be: %s", url, w.why(ctx, url))
	}
	return nil
}

// checkDocument: of the pages that show one text exactly one is published. Which one depends
// on which was there first.
func (w *world) checkDocument(ctx context.Context, members []string, have map[string]bool) {
	var published []string
	for _, url := range members {
		if have[url] {
			published = append(published, url)
		}
		delete(have, url)
	}
	switch len(published) {
	case 0:
		w.offend("I1: none of %v is published: %s", members, w.why(ctx, members[0]))
	case 1:
	default:
		w.offend("I12: %v have one text and are all published", published)
	}
}

func (w *world) why(ctx context.Context, url string) string {
	story, err := w.look.Why(ctx, url)
	return fmt.Sprintf("%+v %v", story, err)
}

// checkOrigin: politeness and robots as the origin saw them, to the nanosecond (I4, I5).
func (w *world) checkOrigin() error {
	o := simweb.DefaultJudge()
	o.Delay, o.Tolerance, o.Agent = w.plan.Delay, 0, "millrace"
	r, err := w.origin.Judge().Report(o)
	if err != nil {
		return err
	}
	most := 1
	if slices.ContainsFunc(w.plan.Faults, func(f plan.Fault) bool { return f.Kind == plan.Freeze }) {
		most = 2 // what a process had asked for when it was stopped, and its successor's
	}
	if r.Hosts.Early > 0 || r.Hosts.MaxInFlight > most {
		w.offend("I4: %d gaps below the delay, %d requests at once at %s: %+v", r.Hosts.Early, r.Hosts.MaxInFlight, r.Hosts.Busiest, r.Hosts.Examples)
	}
	if r.Robots.BeforeRead+r.Robots.Disallowed > 0 {
		w.offend("I5: %d pages before robots.txt was read, %d that it forbids: %+v", r.Robots.BeforeRead, r.Robots.Disallowed, r.Robots.Examples)
	}
	w.note("origin: %d requests, %d repeats, least gap %s", r.Requests, r.Repeats.Requests, r.Hosts.Min)
	return nil
}

// checkDeadLetters: every record that nobody can read is a dead letter, and nothing else is (I11).
func (w *world) checkDeadLetters(ctx context.Context) error {
	topic := topics.DeadLetters().Name
	end, err := w.look.Reader.End(ctx, topic, 0)
	if err != nil {
		return err
	}
	found := map[string]bool{}
	err = w.look.Reader.Scan(ctx, topic, 0, 0, end, func(r streams.Raw) error {
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
		if !w.unreadable[key] {
			w.offend("I11: a good record of %s became a dead letter:%s", from, why)
		}
		found[key] = true
		return nil
	})
	for key := range w.unreadable {
		from, _, _ := strings.Cut(key, " ")
		if !found[key] && !w.lost[from] { // it may have gone with its log
			w.offend("I11: a unreadable record did not become one: %q", key)
		}
	}
	return err
}

// lastWords notes what a run that never settles stands at: the members of every group as the
// broker has them, and where the goroutines wait.
func (w *world) lastWords() {
	for _, g := range topics.GroupNames() {
		if info := w.broker.GroupInfo(g); info != nil {
			w.note("group %s: %s, epoch %d, commits %+v", g, info.State, info.Epoch, info.Commits)
			for _, m := range info.Members {
				w.note("  member %s has %v", m.MemberID, m.Assignment)
			}
		}
	}
	b := make([]byte, 16<<20)
	b = b[:runtime.Stack(b, true)]
	for _, g := range strings.Split(string(b), "\n\n") {
		if strings.Contains(g, "millrace/streams.") {
			w.note("%s", g)
		}
	}
}
