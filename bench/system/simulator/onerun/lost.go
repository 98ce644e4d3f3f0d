package onerun

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"millrace/bench/system/simulator/plan"
	"millrace/topics"
)

// recreate ends all processes, deletes a topic, makes it anew, and starts all again: it is
// what an operator does whose brokers lost a log. Every second time the processes are killed.
func (w *world) recreate(f plan.Fault) error {
	var down []*process
	for _, p := range w.procs {
		if p.end(f.N%2 == 0) {
			down = append(down, p)
		}
	}
	if err := again(func() error { return w.deleteTopic(f.What) }); err != nil {
		return fmt.Errorf("delete %s: %w", f.What, err)
	}
	w.look.Close()
	if err := again(w.openObserver); err != nil { // it makes the topics that are missing
		return err
	}
	for _, p := range down {
		if err := again(p.begin); err != nil {
			return err
		}
	}
	return nil
}

// deleteTopic deletes a topic, and notes whether the group that reads it had done any of it.
func (w *world) deleteTopic(topic string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	read := false
	for _, g := range topics.Groups() {
		if g.Reads != topic {
			continue
		}
		done, err := w.look.Reader.Committed(ctx, g.Name, topic)
		if err != nil {
			return err
		}
		for _, p := range done {
			read = read || p.Offset > 0
		}
	}
	w.mu.Lock()
	w.lost[topic] = w.lost[topic] || read
	delete(w.changed, topic)
	w.mu.Unlock()
	_, err := kadm.NewClient(w.admin).DeleteTopic(ctx, topic)
	return err
}

// checkLost: a log that was lost is never lost in silence.
func (w *world) checkLost() {
	w.mu.Lock()
	defer w.mu.Unlock()
	var silent []string
	for topic, read := range w.lost {
		if read && !w.changed[topic] {
			silent = append(silent, topic)
		}
	}
	if len(silent) > 0 {
		w.offences = append(w.offences, fmt.Sprintf("I7: %v were made anew, and no process said so", silent))
	}
}

// hear takes notice of what a process says about a log that changed.
func (w *world) hear(said string) {
	const before = "the log changed: a new era begins"
	if !strings.HasPrefix(said, before) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for topic := range w.lost {
		if strings.Contains(said, "change="+topic+"/") {
			w.changed[topic] = true
		}
	}
}

// askAgain does the work of an operator after a log was lost: it gives the seeds again, and has
// every known page fetched again.
func (w *world) askAgain() error {
	truth, err := w.truth()
	if err != nil {
		return err
	}
	if err := w.seed(); err != nil {
		return err
	}
	urls := slices.Sorted(maps.Keys(truth.URLs))
	w.note("%d URLs are asked again", len(urls))
	return again(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_, err := w.look.RecheckKnown(ctx, urls, false)
		return err
	})
}
