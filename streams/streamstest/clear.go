package streamstest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// Clear deletes millrace's topics and groups from brokers, and returns when they are gone, or with
// an error after a minute. Only one test at a time can use the same brokers.
func Clear(ctx context.Context, brokers []string) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		return err
	}
	adm := kadm.NewClient(cl)
	defer adm.Close()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		left, err := clear(ctx, adm)
		if err == nil && !left {
			return nil
		}
		select { // brokers that have just started answer a little later
		case <-ctx.Done():
			return fmt.Errorf("topics were not cleared: %w", errors.Join(ctx.Err(), err))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// clear deletes the topics and groups that there are, and reports whether there were topics.
func clear(ctx context.Context, adm *kadm.Client) (left bool, err error) {
	for _, g := range topics.GroupNames() {
		r, err := adm.DeleteGroup(ctx, g)
		if err = errors.Join(err, r.Err); err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
			return true, fmt.Errorf("group %s: %w", g, err)
		}
	}
	var names []string
	for _, s := range topics.All() {
		names = append(names, s.Name)
	}
	found, err := adm.ListTopics(ctx, names...)
	if err != nil {
		return true, err
	}
	for name, d := range found {
		if errors.Is(d.Err, kerr.UnknownTopicOrPartition) {
			continue
		}
		left = true
		if _, err := adm.DeleteTopic(ctx, name); err != nil && !errors.Is(err, kerr.UnknownTopicOrPartition) {
			return true, fmt.Errorf("topic %s: %w", name, err)
		}
	}
	return left, nil
}
