package streamstest

import (
	"context"
	"maps"
	"sync"

	"millrace/streams"
)

// Marks keeps the marks of groups in memory. The zero value is ready.
type Marks struct {
	mu   sync.Mutex
	rows map[string]map[int32]streams.Mark
}

// Load implements streams.Marks.
func (m *Marks) Load(_ context.Context, group, topic string, partitions []int32) (map[int32]streams.Mark, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[int32]streams.Mark{}
	for _, p := range partitions {
		if mark, ok := m.rows[group+"/"+topic][p]; ok {
			out[p] = mark
		}
	}
	return out, nil
}

// Save implements streams.Marks. Of two marks it keeps the one of the higher era, and of one era
// the one with the higher Seq.
func (m *Marks) Save(_ context.Context, group, topic string, marks map[int32]streams.Mark) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows == nil {
		m.rows = map[string]map[int32]streams.Mark{}
	}
	rows := maps.Clone(m.rows[group+"/"+topic])
	if rows == nil {
		rows = map[int32]streams.Mark{}
	}
	for p, mark := range marks {
		if had := rows[p]; mark.Era > had.Era || mark.Era == had.Era && mark.Seq > had.Seq {
			rows[p] = mark
		}
	}
	m.rows[group+"/"+topic] = rows
	return nil
}
