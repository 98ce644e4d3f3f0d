package streams

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"

	"millrace/topics"
)

// mostReaders bounds how many foreign groups are looked at.
const mostReaders = 200

// Readers returns how far groups are that are not on the map, by group and topic of ours: those of
// analysts and other programs. Nobody waits for them. Groups without a commit are not known.
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
			continue // it went, or is not for us to see
		}
		more, err := l.readerLag(ctx, name, at, ends)
		if err != nil {
			return out, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// isOwn reports whether a group is one of this program.
func isOwn(group string) bool {
	return group == topics.PutBackGroup || strings.HasPrefix(group, topics.ReplayPrefix) || slices.Contains(topics.GroupNames(), group)
}

// readerLag is how far one group is in the topics of ours that it has commits for.
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
