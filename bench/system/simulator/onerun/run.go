package onerun

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"millrace/bench/system/simulator/plan"
	"millrace/ops/simweb"
)

// Verdict is the result of a run.
type Verdict struct {
	Plan     plan.Plan     `json:"plan"`
	Offences []string      `json:"offences"` // none: all invariants hold
	Took     time.Duration `json:"took"`     // simulated
	Notes    []string      `json:"-"`        // what happened when
}

// Run runs a plan in a directory of its own. It must be called in a synctest bubble of a
// program that was built as package simulator builds it.
func Run(p plan.Plan, dir string, level slog.Level) Verdict {
	w := &world{plan: p, dir: dir, level: level}
	if err := w.open(); err != nil {
		w.offend("the simulation itself does not open: %v", err)
	} else {
		w.live()
	}
	w.close()
	return Verdict{p, w.offences, time.Since(w.began), w.notes}
}

// live lets the crawl run through all phases.
func (w *world) live() {
	if err := w.start(); err != nil {
		w.offend("the simulation itself does not start: %v", err)
		return
	}
	in, to, c := &injector{world: w}, &settling{world: w}, &checks{w}
	for phase := range plan.Phases {
		if phase == 1 {
			w.must(w.takeAway())
		}
		in.phase(phase)
		in.heal()
		w.must(in.sleepLate(phase))
		if !to.settle(phase) {
			return
		}
		in.calmDown()
		for _, f := range w.plan.Faults {
			if f.Kind == plan.Sabotage && f.Phase == phase {
				w.must((&saboteur{w}).sabotage())
			}
		}
		c.check(phase)
	}
}

// takeAway makes some pages vanish from the web and has them asked for again: documents
// must go and twins take over. Pages that others are reached through stay.
func (w *world) takeAway() error {
	before, err := w.truth()
	if err != nil {
		return err
	}
	var gone []string
	for i, url := range slices.Sorted(maps.Keys(before.Docs)) {
		if (uint64(i)+w.plan.Seed)%4 != 0 {
			continue
		}
		if err := w.origin.Override(url, simweb.Override{Status: 404}); err != nil {
			return err
		}
		after, err := w.truth()
		if err != nil {
			return err
		}
		if len(after.URLs) < len(before.URLs) {
			w.origin.Restore(url)
			continue
		}
		gone = append(gone, url)
		w.gone[url] = true
	}
	w.note("taken away: %v", gone)
	if len(gone) == 0 {
		return nil
	}
	return again(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		return w.look.Recheck(ctx, gone, false)
	})
}
