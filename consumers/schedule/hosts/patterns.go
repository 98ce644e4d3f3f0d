package hosts

import (
	"context"
	"slices"

	"millrace/consumers/schedule/patterns"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
)

// Patterns returns the pattern tree of a host. For a host that has learnt nothing it reads nothing.
func (s *Set) Patterns(ctx context.Context, h *Host) (*patterns.Tree, error) {
	if h.Tree != nil {
		return h.Tree, nil
	}
	row := &schema.PatternsRow{}
	if h.Row.Learnt {
		if _, err := table.Read(ctx, s.batch, schema.Pattern, table.Patterns(h.Name), row); err != nil {
			return nil, err
		}
	}
	h.Tree = patterns.New(row)
	return h.Tree, nil
}

// Learnt notes that a record changed a host's Tree.
func (s *Set) Learnt(h *Host) {
	h.Row.Learnt = true
	if !h.learnt {
		h.learnt = true
		s.learnt = append(s.learnt, h)
	}
}

// savePatterns stages the trees that changed.
func (s *Set) savePatterns() {
	for _, h := range s.learnt {
		row := h.Tree.Row()
		s.batch.Put(table.GroupHosts, state.Mutation{Table: schema.Pattern, Key: table.Patterns(h.Name), TS: row.At,
			Cells: state.Cells{table.Encode(row)}})
		h.learnt = false
	}
	s.learnt = s.learnt[:0]
}

// Waits returns which of the paths are among the last 2,048 entries of the host's queues. A record
// that is handled again after a crash finds there what it queued the first time.
func (s *Set) Waits(ctx context.Context, h *Host, paths []string) (map[string]bool, error) {
	out := map[string]bool{}
	for c := range policy.Classes {
		q := h.Row.Queues[c]
		for at := max(q.Head, q.Tail-2*chunkRows); at < q.Tail; {
			chunk := at / chunkRows
			rows, err := s.batch.Slice(ctx, schema.Todo, table.Todo(h.Name, c, chunk), []state.Value{state.Num(at)}, chunkRows)
			if err != nil {
				return nil, err
			}
			for _, r := range rows {
				if path := r.Cells[0].Str(); r.Key[3].Num() < q.Tail && slices.Contains(paths, path) {
					out[path] = true
				}
			}
			at = (chunk + 1) * chunkRows
		}
	}
	return out, nil
}
