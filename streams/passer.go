package streams

// Passer is a Task that keeps its own position: Recover returns an offset. Without Pass, a record
// that ends as a dead letter, or in another partition, would end so again at each start, until a
// later one moves the position.
type Passer interface {
	// Pass tells of a record that has ended without the Task: no Handle was called with it, or what
	// that staged was taken back. Its value is not decoded, and may be missing. When Settle is
	// called next, its dead letter is acknowledged, and the position may move past it.
	Pass(r Raw)
}

// passed tells a Task that keeps its own position of a record that ended without it.
func (w *work[M]) passed(rec Raw) {
	task, ok := w.task.(Passer)
	if !ok {
		return
	}
	if err := safely(func() error { task.Pass(rec); return nil }); err != nil {
		w.r.log.Error("the position of a record that ended is not noted", "partition", w.id, "offset", rec.Offset, "error", err)
	}
}
