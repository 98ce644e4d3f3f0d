package dedupe

import (
	"strconv"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// emitters are all the topics that the group writes.
type emitters struct {
	unique     streams.Emitter[*schema.Unique]
	discovered streams.Emitter[*schema.Discovered]
}

func newEmitters(p *streams.Partition) emitters {
	return emitters{
		unique:     streams.NewEmitter(p, Group, topics.Unique()),
		discovered: streams.NewEmitter(p, Group, topics.Discovered()),
	}
}

// emit appends records, in order.
func (t *task) emit(sends []sending) {
	for _, s := range sends {
		switch {
		case s.upsert != nil:
			t.unique.staged++
			t.out.unique.SendTo(t.part.ID(), s.upsert)
		case s.discovered != nil:
			t.out.discovered.Send(s.discovered)
		default:
			t.emitTombstone(s.tombstone)
		}
	}
}

func (t *task) emitTombstone(w *schema.Withdrawn) {
	t.unique.staged++
	t.out.unique.Tombstone(t.part.ID(), w.RowKey, w.RowKey+"@"+strconv.FormatInt(w.Rev, 10),
		streams.VersionHeader("rev", w.Rev),
		streams.Header{Key: "reason", Value: []byte(w.Reason)},
		streams.Header{Key: "moved_to", Value: []byte(w.MovedTo)},
		streams.Header{Key: "site", Value: []byte(w.Site)})
}
