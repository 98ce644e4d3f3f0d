package streams

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"

	"millrace/topics"
)

// mostReaders is the most entries, one per group and topic, that Readers collects before it stops.
const mostReaders = 200

// Readers returns the lag of other programs' groups (those that are not in topics.Groups), by group
// and topic. The pipeline waits for none of them. Groups without a commit are left out.
func (l *Log) Readers(ctx context.Context) ([]GroupLag, error) {
	listed, err := l.adm.ListGroups(ctx)
	if err != nil && len(listed) == 0 {
		return nil, fmt.Errorf("list groups: %w", err)
	}
	var out []GroupLag
	ends := map[string]map[int32]int64{}
	names := listed.Groups()
	slices.Sort(names)
	for _, name := range names {
		if isOwn(name) || len(out) >= mostReaders {
			continue
		}
		at, err := l.adm.FetchOffsets(ctx, name)
		if err != nil {
			continue // it was deleted, or this user may not see it
		}
		more, err := l.readerLag(ctx, name, at, ends)
		if err != nil {
			return out, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// isOwn reports whether a group belongs to this program.
func isOwn(group string) bool {
	return group == topics.PutBackGroup || keepsMarks(group) || strings.HasPrefix(group, topics.ReplayPrefix) || slices.Contains(topics.GroupNames(), group)
}

// readerLag returns the lag of one group in the topics of this program for which it has commits.
// ends caches the ends of topics between calls.
func (l *Log) readerLag(ctx context.Context, group string, at kadm.OffsetResponses, ends map[string]map[int32]int64) (out []GroupLag, err error) {
	for _, s := range topics.All() {
		if len(at[s.Name]) == 0 {
			continue
		}
		if ends[s.Name] == nil {
			if ends[s.Name], err = l.Ends(ctx, s.Name); err != nil {
				return out, err
			}
		}
		g := GroupLag{Group: group, Topic: s.Name}
		for p, o := range at[s.Name] {
			if end, ok := ends[s.Name][p]; ok && o.Err == nil && o.At >= 0 {
				pl := PartitionLag{Partition: p, Committed: o.At, End: end, Records: max(0, end-o.At)}
				g.Records += pl.Records
				g.Partitions = append(g.Partitions, pl)
			}
		}
		if len(g.Partitions) > 0 {
			slices.SortFunc(g.Partitions, func(a, b PartitionLag) int { return int(a.Partition - b.Partition) })
			out = append(out, g)
		}
	}
	slices.SortStableFunc(out, func(a, b GroupLag) int { return strings.Compare(a.Group, b.Group) })
	return out, nil
}
