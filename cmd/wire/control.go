package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	extractrules "millrace/consumers/extract/rules"
	"millrace/consumers/schedule"
	"millrace/ops/web"
	"millrace/schema"
	"millrace/streams"
)

// readControl reads the decisions of operators. It retries for controlWithin. On a cluster that was
// provisioned before the topic control existed it fails until millrace provision has made the
// topic.
func (s *opened) readControl(ctx context.Context) error {
	for late, again := time.Now().Add(controlWithin), controlAgain; ; again = min(2*again, controlAgainMost) {
		err := s.control.Refresh(ctx)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, kerr.UnknownTopicOrPartition):
			return fmt.Errorf("%w: millrace provision makes the topic", err)
		case streams.Denied(err) || ctx.Err() != nil || s.Config.Embedded() && time.Now().After(late):
			return err
		case time.Now().After(late):
			return fmt.Errorf("what operators decided could not be read from Kafka at %s within %s: %w: is it a Kafka, and does it run? Start it first, or name it with --brokers",
				strings.Join(s.Config.Brokers, ","), controlWithin, err)
		}
		s.Log.Warn("what operators decided cannot be read yet, trying again", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

// How long readControl retries at the start, and the pause between two tries: the first and the
// longest.
const (
	controlWithin    = 30 * time.Second
	controlAgain     = 500 * time.Millisecond
	controlAgainMost = 4 * time.Second
)

// ruleCounts returns how many URLs each decision kept out, as last written by the partitions of
// schedule.
func (s *operators) ruleCounts(ctx context.Context) (map[string]int64, error) {
	status, err := schedule.Count(ctx, s.Store, s.Meta.HostPartitions)
	return status.Rules, err
}

func sortEffects(list []web.RuleEffect) {
	slices.SortFunc(list, func(a, b web.RuleEffect) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.What, b.What)) })
}

// checkExtract returns an error if a rule of extraction does not compile.
func checkExtract(r *schema.Rule) error {
	if r.Action != schema.Rule_EXTRACT {
		return nil
	}
	_, err := extractRule(r, "check")
	return err
}

// extractRule compiles a rule of extraction: the fields of a rule of --rules without its domain.
func extractRule(r *schema.Rule, id string) (extractrules.Compiled, error) {
	return extractrules.One(r.Extract, id)
}

// politeBy returns the number of a politeness key in schedule's options; -1 for an unknown name.
func politeBy(name string) int { return slices.Index([]string{"host", "site", "ip"}, name) }
