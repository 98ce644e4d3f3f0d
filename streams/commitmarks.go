package streams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"millrace/topics"
)

// marksSuffix is the end of the name of the group whose commits hold the marks of a group.
const marksSuffix = "-marks"

// CommitMarks returns Marks that are kept in Kafka, for groups without a store: as the metadata of
// commits of a group of its own, which has no members. The right to Read that group is needed.
// Kafka deletes the commits of a group without members after offsets.retention.minutes, if it is
// not written to; then the log is not compared.
func CommitMarks(l *Log) Marks { return commitMarks{l} }

type commitMarks struct{ log *Log }

// Load implements Marks.
func (c commitMarks) Load(ctx context.Context, group, topic string, partitions []int32) (map[int32]Mark, error) {
	name := group + marksSuffix
	resp, err := c.log.adm.FetchOffsetsForTopics(ctx, name, topic)
	if errors.Is(err, kerr.GroupIDNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, deniedAs(err, topics.Read, topics.GroupResource, name)
	}
	out := map[int32]Mark{}
	for _, p := range partitions {
		o, ok := resp.Lookup(topic, p)
		if !ok || o.At < 0 && o.Err == nil {
			continue
		}
		var m Mark
		if o.Err == nil {
			o.Err = json.Unmarshal([]byte(o.Metadata), &m)
		}
		if o.Err != nil {
			return nil, fmt.Errorf("mark of %s/%d in the commits of %s: %w", topic, p, name, o.Err)
		}
		out[p] = m
	}
	return out, nil
}

// Save implements Marks.
func (c commitMarks) Save(ctx context.Context, group, topic string, marks map[int32]Mark) error {
	name := group + marksSuffix
	var offsets kadm.Offsets
	for p, m := range marks {
		text, err := json.Marshal(m)
		if err != nil {
			return err
		}
		if len(text) > maxMetadata {
			return fmt.Errorf("mark of %s/%d: %d bytes, a commit takes %d", topic, p, len(text), maxMetadata)
		}
		offsets.Add(kadm.Offset{Topic: topic, Partition: p, At: max(0, m.Next), LeaderEpoch: -1, Metadata: string(text)})
	}
	if err := c.log.adm.CommitAllOffsets(ctx, name, offsets); err != nil {
		return fmt.Errorf("commit for %s: %w", name, deniedAs(err, topics.Read, topics.GroupResource, name))
	}
	return nil
}

// keepsMarks reports whether a group is one of those that CommitMarks writes.
func keepsMarks(group string) bool {
	return strings.HasPrefix(group, topics.TapPrefix) && strings.HasSuffix(group, marksSuffix)
}
