package crash

import (
	"testing"

	"millrace/cmd/wire"
	"millrace/consumers/fetch"
	"millrace/ops/simweb"
	"millrace/ops/simweb/judge"
	"millrace/ops/simweb/world"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// unacknowledged counts the records that fetch had in hand when it was killed: those
// whose URL the origin was asked for and that are not done. A restart may ask for each
// of them once more, and for nothing else (I6).
func unacknowledged(t *testing.T, s *wire.System, web *simweb.Server) int {
	t.Helper()
	seen := map[string]bool{}
	for _, e := range web.Judge().Record().Events() {
		if e.Flags&judge.NoHost == 0 {
			seen[web.World().URL(world.Ref{Host: e.Host, Form: e.Form, Page: e.Page}, "")] = true
		}
	}
	topic := topics.Scheduled()
	done, err := s.Reader.Committed(t.Context(), fetch.Group, topic.Name)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	scheduled(t, s, func(p int32, r *streams.Record[*schema.Scheduled]) {
		if !done[p].IsDone(r.Offset) && seen[schema.RowKey(r.Value.RowKey).URL()] {
			n++
		}
	})
	return n
}

// scheduled reads urls.scheduled.
func scheduled(t *testing.T, s *wire.System, fn func(int32, *streams.Record[*schema.Scheduled])) {
	t.Helper()
	topic := topics.Scheduled()
	ends, err := s.Reader.Ends(t.Context(), topic.Name)
	for p, end := range ends {
		from := int64(0)
		if err == nil {
			from, err = s.Reader.Start(t.Context(), topic.Name, p)
		}
		if err == nil {
			err = streams.Read(t.Context(), s.Reader, topic, p, from, end, func(r *streams.Record[*schema.Scheduled]) error {
				if !r.Tombstone {
					fn(p, r)
				}
				return nil
			})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
