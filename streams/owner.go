package streams

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"

	"millrace/topics"
)

// maxOwner is the length of an owner of a commit, in bytes.
const maxOwner = 200

// ownedBy is before the owner in the metadata of a commit.
const ownedBy = "by:"

// CommitAs sets how far a group without members got in one partition, and who says so: a name of at
// most 200 bytes, cut to that.
func (l *Log) CommitAs(ctx context.Context, group, topic string, partition int32, offset int64, owner string) error {
	var offsets kadm.Offsets
	metadata := ownedBy + owner[:min(len(owner), maxOwner)]
	offsets.Add(kadm.Offset{Topic: topic, Partition: partition, At: offset, LeaderEpoch: -1, Metadata: metadata})
	if err := l.adm.CommitAllOffsets(ctx, group, offsets); err != nil {
		return fmt.Errorf("commit for %s: %w", group, deniedAs(err, topics.Read, topics.GroupResource, group))
	}
	return nil
}

// Owner returns who last called CommitAs for a partition; "" if nobody did.
func (l *Log) Owner(ctx context.Context, group, topic string, partition int32) (string, error) {
	resp, err := l.adm.FetchOffsetsForTopics(ctx, group, topic)
	if err != nil {
		return "", fmt.Errorf("offsets of group %s: %w", group, deniedAs(err, topics.Describe, topics.GroupResource, group))
	}
	o, ok := resp.Lookup(topic, partition)
	if !ok || o.Err != nil {
		return "", o.Err
	}
	owner, _ := strings.CutPrefix(o.Metadata, ownedBy)
	return owner, nil
}
