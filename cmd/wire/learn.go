package wire

import (
	"context"
	"fmt"
	"slices"
	"time"

	"millrace/consumers/rules"
	"millrace/ops/web"
	"millrace/schema"
)

const (
	// learnEvery is the time between two reads of the patterns' proposals.
	learnEvery = 2 * time.Minute
	// mostLearnt is the most rules that one read adds, those of the highest confidence first.
	mostLearnt = 100
	// byLearning is Control.By of rules that were learnt.
	byLearning = "learnt"
)

// keepLearning calls learnRules every learnEvery until ctx ends.
func (s *runner) keepLearning(ctx context.Context) {
	tick := time.NewTicker(learnEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n, err := s.learnRules(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			s.Log.Warn("what patterns propose was not looked at, trying again", "error", err)
		case n > 0:
			s.Log.Info("rules were learnt", "rules", n)
		}
	}
}

// learnRules adds the rules that patterns propose with at least the confidence --learn, and returns
// how many. A rule that is or was in the topic control is not added again: an operator may have
// removed it.
func (s *runner) learnRules(ctx context.Context) (int, error) {
	list, err := s.groups.propose(ctx, "")
	if err != nil {
		return 0, err
	}
	if err := s.control.Refresh(ctx); err != nil {
		return 0, err
	}
	slices.SortStableFunc(list, func(a, b web.Proposal) int { return int(1e6 * (b.Confidence - a.Confidence)) })
	var news []*schema.Control
	for _, p := range list {
		if 100*p.Confidence < float64(s.Config.Learn) || len(news) >= mostLearnt {
			break
		}
		rule, err := rules.Parse(p.Rule, rules.Scope{Host: p.Host})
		if err != nil {
			return 0, fmt.Errorf("proposed rule %q: %w", p.Rule, err)
		}
		c := &schema.Control{By: byLearning, Note: p.Evidence, Body: &schema.Control_Rule{Rule: rule}}
		if _, known := s.control.Set().Find(rules.ID(c)); !known {
			news = append(news, c)
		}
	}
	if len(news) == 0 {
		return 0, nil
	}
	_, err = s.control.Append(ctx, news...)
	return len(news), err
}
