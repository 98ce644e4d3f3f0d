package streams

import (
	"context"
	"errors"
	"testing"
	"time"

	"millrace/schema"
	"millrace/topics"
)

// idler is a Task without work, dozer one that says until when it rests.
type (
	idler struct{ Plain[*schema.Page] }
	dozer struct {
		idler
		until time.Time
	}
)

func (*idler) Handle(context.Context, *Record[*schema.Page]) error { return nil }

func (d *dozer) RestsUntil(time.Time) time.Time { return d.until }

// A member rests only while nothing that it took is under way: no record, no commit, nothing that
// failed, and no Task that has something to do by the clock.
func TestWhatIsUnderWayEndsTheRest(t *testing.T) {
	now, soon := time.Unix(1_700_000_000, 0), time.Unix(1_700_000_000, 3e8)
	cfg := DefaultConfig()
	most := now.Add(restTimes * cfg.TickEvery)
	late := backoff{wait: time.Second, until: now.Add(time.Second)}
	for name, c := range map[string]struct {
		timed  bool
		task   Task[*schema.Page]
		change func(*runner[*schema.Page], *work[*schema.Page])
		want   time.Time
	}{
		"nothing":                     {want: most},
		"a record is not done":        {change: func(_ *runner[*schema.Page], w *work[*schema.Page]) { w.track.take(7) }},
		"a record is not committed":   {change: func(_ *runner[*schema.Page], w *work[*schema.Page]) { w.track.take(7); w.track.done(7) }},
		"a commit is under way":       {change: func(r *runner[*schema.Page], _ *work[*schema.Page]) { r.commits.done = make(chan struct{}) }},
		"a record failed":             {change: func(_ *runner[*schema.Page], w *work[*schema.Page]) { w.records = late }},
		"a Tick failed":               {change: func(_ *runner[*schema.Page], w *work[*schema.Page]) { w.ticks = late }},
		"a Settle failed":             {change: func(_ *runner[*schema.Page], w *work[*schema.Page]) { w.unsettled = errors.New("") }},
		"it acts by the clock":        {timed: true, task: &idler{}},
		"by the clock, later":         {timed: true, task: &dozer{until: now.Add(time.Hour)}, want: most},
		"by the clock, soon":          {timed: true, task: &dozer{until: soon}, want: soon},
		"not by the clock: not asked": {task: &dozer{until: soon}, want: most},
		"by the clock, and a record":  {timed: true, task: &dozer{until: soon}, change: func(_ *runner[*schema.Page], w *work[*schema.Page]) { w.track.take(7) }},
	} {
		r := newRunner(cfg, topics.Group{Name: "extract", Timed: c.timed}, topics.Pages(), nil, "")
		w := &work[*schema.Page]{r: r, ready: true, task: c.task, track: newTracker(Progress{Offset: 7})}
		w.saved.set(savedProgress{7, Progress{Offset: 7}.Metadata()})
		if c.change != nil {
			c.change(r, w)
		}
		if got := r.restsUntil([]*work[*schema.Page]{w}, now); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
