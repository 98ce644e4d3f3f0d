package onerun

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"millrace/bench/system/simulator/plan"
	"millrace/topics"
)

// lostLogs are the topics that were made anew in a run. Safe for concurrent use.
type lostLogs struct {
	mu    sync.Mutex
	reads map[string]bool // by topic: the group that reads it had done any of it
	told  map[string]bool // by topic: a process said that it changed
}

// lose notes that a topic is made anew.
func (l *lostLogs) lose(topic string, read bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reads == nil {
		l.reads, l.told = map[string]bool{}, map[string]bool{}
	}
	l.reads[topic] = l.reads[topic] || read
	delete(l.told, topic)
}

// hear takes notice of what a process says about a log that changed.
func (l *lostLogs) hear(said string) {
	const before = "the log changed: a new era begins"
	if !strings.HasPrefix(said, before) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for topic := range l.reads {
		if strings.Contains(said, "change="+topic+"/") {
			l.told[topic] = true
		}
	}
}

// any reports whether a log was lost, has whether that of a topic was.
func (l *lostLogs) any() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.reads) > 0
}

func (l *lostLogs) has(topic string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.reads[topic]
	return ok
}

// silent returns the topics that had been read, and of whose loss no process said anything.
func (l *lostLogs) silent() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, topic := range slices.Sorted(maps.Keys(l.reads)) {
		if l.reads[topic] && !l.told[topic] {
			out = append(out, topic)
		}
	}
	return out
}

// recreate ends all processes, deletes a topic, makes it anew, and starts all again: it is
// what an operator does whose brokers lost a log. Every second time the processes are killed.
func (in *injector) recreate(f plan.Fault) error {
	var down []*process
	for _, p := range in.procs {
		if p.end(f.N%2 == 0) {
			down = append(down, p)
		}
	}
	if err := again(func() error { return in.deleteTopic(f.What) }); err != nil {
		return fmt.Errorf("delete %s: %w", f.What, err)
	}
	in.look.Close()
	if err := again(in.openObserver); err != nil { // it makes the topics that are missing
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
func (in *injector) deleteTopic(topic string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	read := false
	for _, g := range topics.Groups() {
		if g.Reads != topic {
			continue
		}
		done, err := in.look.Reader.Committed(ctx, g.Name, topic)
		if err != nil {
			return err
		}
		for _, p := range done {
			read = read || p.Offset > 0
		}
	}
	in.lostLogs.lose(topic, read)
	_, err := kadm.NewClient(in.admin).DeleteTopic(ctx, topic)
	return err
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
