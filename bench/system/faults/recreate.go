//go:build linux

package faults

import (
	"context"
	"time"

	"millrace/topics"
)

// recreate deletes a topic and provisions it again, with the tables kept, as somebody does whose
// brokers lost a log; down: while no process runs. The command line must say so, unless the topic
// had nothing that its group had done. Then an operator gives the seeds again and has all that is
// known fetched again.
func (r *run) recreate(ctx context.Context, f Fault) error {
	read, err := r.readersHaveDone(ctx, f.Topic)
	if err != nil {
		return err
	}
	if f.Down {
		for _, p := range r.procs {
			if err := r.leave(ctx, p); err != nil {
				return err
			}
		}
	}
	if err := r.deleteTopic(ctx, f.Topic); err != nil {
		return err
	}
	if !f.Down {
		sleep(ctx, 3*time.Second)
	}
	if err := r.provision(ctx); err != nil {
		return err
	}
	if f.Down {
		for n := range members {
			if err := r.join(n); err != nil {
				return err
			}
		}
	}
	r.remade = true
	if read {
		if err := r.until(ctx, workWithin, func() (bool, error) { return r.says(ctx, f.Topic), nil }); err != nil {
			r.offend("I7: %s was made anew, and millrace status does not say so", f.Topic)
		}
	}
	return r.askAgain(ctx)
}

// readersHaveDone reports whether the group that reads a topic had done some of it.
func (r *run) readersHaveDone(ctx context.Context, topic string) (bool, error) {
	for _, g := range topics.Readers(topic) {
		done, err := r.look.Reader.Committed(ctx, g.Name, topic)
		if err != nil {
			return false, err
		}
		for _, p := range done {
			if p.Offset > 0 {
				return true, nil
			}
		}
	}
	return false, nil
}

// askAgain gives the seeds again and has all that is known fetched again.
func (r *run) askAgain(ctx context.Context) error {
	if err := r.seed(ctx); err != nil {
		return err
	}
	all, err := r.web.Truth(r.rules())
	if err != nil {
		return err
	}
	var urls []string
	for url := range all.URLs {
		urls = append(urls, url)
	}
	return r.until(ctx, workWithin, func() (bool, error) {
		_, err := r.look.RecheckKnown(ctx, urls, false)
		if err != nil {
			r.note("recheck, again: %v", err)
		}
		return err == nil, nil
	})
}
