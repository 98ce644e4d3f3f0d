package onerun

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"millrace/schema"
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

// settling waits until a crawl has come to rest.
type settling struct {
	*world
	last string // the URL that unsettled found waiting when it was last asked
}

// settle returns when every URL has come to an end, no group has anything left, and every
// shard is served. false: it never does.
func (s *settling) settle(phase int) bool {
	began := time.Now()
	deadline := began.Add(settleWithin)
	asked, quiet, atRest := began, 0, 0
	for {
		lost, half := s.lostLogs.any(), time.Since(began) >= settleWithin/2
		again := lost && quiet >= 3 && atRest < asksAtRest
		if !half && (again || (lost || s.late(phase) > 0) && time.Since(asked) >= askEvery) {
			s.must(s.askAgain())
			if again {
				atRest++
			}
			asked, quiet = time.Now(), 0
		}
		left := s.unsettled()
		if left == "" {
			if quiet++; quiet >= 3 && (!lost || atRest == asksAtRest || half) {
				return true
			}
		} else {
			quiet = 0
		}
		if time.Now().After(deadline) {
			s.offend("phase %d never settles (hang, I1, I10): %s", phase, left)
			s.lastWords()
			return false
		}
		select {
		case <-s.fatal:
			return false
		case <-time.After(2 * time.Second):
		}
	}
}

// unsettled says what there is still to do; "" if nothing.
func (s *settling) unsettled() string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	lag := s.look.Reader.Positions(ctx)
	for _, g := range lag.Groups {
		if g.Records > 0 {
			return fmt.Sprintf("%s has %d records of %s before it: %+v", g.Group, g.Records, g.Topic, g.Partitions)
		}
	}
	if len(lag.Errors) > 0 {
		return fmt.Sprint(lag.Errors)
	}
	waiting, err := s.waiting(ctx)
	if err != nil {
		return err.Error()
	}
	if waiting != "" {
		return "a URL waits: " + waiting
	}
	ends, err := s.look.Reader.Ends(ctx, topics.Links().Name)
	if err != nil {
		return err.Error()
	}
	for p := range s.look.Meta.SitePartitions {
		switch sh, ok := s.shard(p); {
		case !ok:
			return fmt.Sprintf("shard %d of the index is nobody's, or two processes' ", p)
		case sh.links < ends[p]:
			return fmt.Sprintf("shard %d of the index has followed the topic links up to %d of %d", p, sh.links, ends[p])
		}
	}
	return ""
}

// waiting returns a URL within reach that is in no final state, and its state; "" if there is none
// (I1). It begins with the one that waited when it was last asked.
func (s *settling) waiting(ctx context.Context) (string, error) {
	truth, err := s.truth()
	if err != nil {
		return "", err
	}
	if _, within := truth.URLs[s.last]; within {
		if state, err := s.state(ctx, s.last); err != nil || state != "" {
			return state, err
		}
	}
	for _, url := range slices.Sorted(maps.Keys(truth.URLs)) {
		if state, err := s.state(ctx, url); err != nil || state != "" {
			s.last = url
			return state, err
		}
	}
	return "", nil
}

// state returns a URL with its row if it is in no final state, else "".
func (s *settling) state(ctx context.Context, url string) (string, error) {
	story, err := s.look.Frontier(ctx, url)
	switch {
	case err != nil:
		return "", err
	case story.Row == nil:
		return url + " (unknown)", nil
	case story.Row.Status <= schema.UrlRow_QUEUED, s.isGone(url) && story.Row.Status != schema.UrlRow_GONE:
		return fmt.Sprintf("%s (%+v)", url, story.Row), nil
	}
	return "", nil
}

// lastWords notes what a run that never settles stands at: the members of every group as the
// broker has them, and where the goroutines wait.
func (s *settling) lastWords() {
	for _, g := range topics.GroupNames() {
		if info := s.broker.GroupInfo(g); info != nil {
			s.note("group %s: %s, epoch %d, commits %+v", g, info.State, info.Epoch, info.Commits)
			for _, m := range info.Members {
				s.note("  member %s has %v", m.MemberID, m.Assignment)
			}
		}
	}
	b := make([]byte, 16<<20)
	b = b[:runtime.Stack(b, true)]
	for _, g := range strings.Split(string(b), "\n\n") {
		if strings.Contains(g, "millrace/streams.") {
			s.note("%s", g)
		}
	}
}
