package taps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"millrace/consumers/taps/place"
)

// The pause between two attempts to write files.
const (
	retryFirst = 250 * time.Millisecond
	retryMost  = 15 * time.Second
)

// roll is the writing of one spool into files, in a goroutine of its own.
type roll struct {
	spool  *spool
	note   Note
	cancel context.CancelFunc
	done   chan struct{} // closed when err and note are set
	err    error
}

// start begins to write the records of a spool.
func (t *task[M]) start(s *spool) *roll {
	ctx, cancel := context.WithCancel(context.Background())
	r := &roll{spool: s, cancel: cancel, done: make(chan struct{}), note: Note{
		N: t.n + 1, Topic: t.topic.Name, TopicID: t.at.topicID, Partition: t.p.ID(), Era: t.at.era,
		First: t.at.offset, Next: s.last.Offset + 1, Last: &s.last, Records: int64(s.wanted()),
		Group: t.tap.group.Name, By: t.tap.opts.Writer, Writer: t.writer,
	}}
	go func() {
		defer close(r.done)
		defer cancel()
		r.err = t.keepWriting(ctx, r)
	}()
	return r
}

// keepWriting tries until the files are written, another writer took over the partition, or ctx
// ends.
func (t *task[M]) keepWriting(ctx context.Context, r *roll) error {
	select {
	case t.tap.slots <- struct{}{}:
		defer func() { <-t.tap.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for wait := retryFirst; ; wait = min(2*wait, retryMost) {
		err := t.write(ctx, r)
		var fenced *FencedError
		if err == nil || errors.As(err, &fenced) || ctx.Err() != nil {
			return err
		}
		t.tap.failing(t.p.ID(), err.Error())
		t.tap.count("tap_failures", 1)
		t.tap.log.Warn("files of a tap not written, trying again", "partition", t.p.ID(), "wait", wait, "error", err)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}

// write is one attempt. The files are whole and durable under their staging names, then the note is
// created, then they get their own names. The next attempt does not repeat the steps that are done,
// except that it gives names again, which changes nothing.
func (t *task[M]) write(ctx context.Context, r *roll) error {
	if r.note.At.IsZero() {
		if err := t.stage(ctx, r); err != nil {
			return err
		}
		r.note.At = time.Now().UTC().Truncate(time.Millisecond)
	}
	if err := t.notes.write(ctx, &r.note); err != nil {
		return err
	}
	if err := publish(ctx, t.tap.place, &r.note); err != nil {
		return err
	}
	return t.notes.trim(ctx, r.note.N)
}

// stage writes the files of all parts under their staging names.
func (t *task[M]) stage(ctx context.Context, r *roll) error {
	r.note.Files = nil
	for i, part := range r.spool.names() {
		w := Written{
			Name:    t.fileName(part, r),
			Staged:  t.stagedName(r.note.N, i),
			Records: len(r.spool.parts[part]),
		}
		f := File{Name: w.Name, Partition: t.p.ID(), Records: w.Records, Last: time.UnixMilli(r.spool.last.Time).UTC()}
		err := t.tap.place.Write(ctx, w.Staged, func(out io.Writer) error {
			counted := &counter{w: out, ctx: ctx}
			next := r.spool.read(part, t.topic.Name, t.p.ID(), t.at.era)
			err := t.tap.format.Encode(counted, f, next)
			w.Bytes = counted.n
			return err
		})
		if err != nil {
			return err
		}
		r.note.Files = append(r.note.Files, w)
	}
	return nil
}

// counter counts what is written, and stops when its context ends.
type counter struct {
	w   io.Writer
	ctx context.Context
	n   int64
}

// Write implements io.Writer.
func (c *counter) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// fileName has the range of offsets in the file, so that a name tells what the file contains.
func (t *task[M]) fileName(part string, r *roll) string {
	return path.Join(part, fmt.Sprintf("%s-p%05d-e%02d-%012d-%012d%s",
		t.topic.Name, t.p.ID(), r.note.Era, r.note.First, r.note.Next-1, t.tap.format.Ext()))
}

const stagingDir = "_millrace/staging"

func (t *task[M]) staging() string {
	return fmt.Sprintf("%s/%s/p%05d/", stagingDir, t.topic.Name, t.p.ID())
}

// stagedName begins with the claim, so that files of earlier writers can be recognised (sweep).
func (t *task[M]) stagedName(n int64, i int) string {
	return fmt.Sprintf("%s%012d-%012d-%05d.part", t.staging(), t.claim, n, i)
}

// publish gives the files of a note their own names. To repeat it, or to do it for a writer that is
// gone, changes nothing.
func publish(ctx context.Context, p place.Place, note *Note) error {
	for _, f := range note.Files {
		if err := p.Move(ctx, f.Staged, f.Name); err != nil {
			return err
		}
	}
	return nil
}
