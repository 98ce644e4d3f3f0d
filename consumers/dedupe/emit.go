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
	near       streams.Emitter[*schema.Near]
}

func newEmitters(p *streams.Partition) emitters {
	return emitters{
		unique:     streams.NewEmitter(p, Group, topics.Unique()),
		discovered: streams.NewEmitter(p, Group, topics.Discovered()),
		near:       streams.NewEmitter(p, Group, topics.NearFound()),
	}
}

// emit appends records, in order.
func (t *task) emit(sends []sending) {
	for _, s := range sends {
		switch {
		case s.upsert != nil:
			t.unique.staged++
			t.out.unique.SendTo(t.part.ID(), s.upsert)
			d := s.upsert.Doc
			t.emitSketch(&schema.Sketch{RowKey: d.RowKey, Site: d.Site, Rev: d.Rev, Edition: d.Edition, Sketch: d.Sketch})
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
	t.emitSketch(&schema.Sketch{RowKey: w.RowKey, Site: w.Site, Rev: w.Rev})
}

// emitSketch tells the group near of a document that was published or withdrawn: in the partition
// of its record, so that it hears in the order of docs.unique.
func (t *task) emitSketch(s *schema.Sketch) {
	t.out.near.SendTo(t.part.ID(), &schema.Near{Body: &schema.Near_Page{Page: s}})
}
