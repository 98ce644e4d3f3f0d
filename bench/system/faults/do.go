//go:build linux

package faults

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"millrace/consumers/fetch"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"

	"millrace/ops/simweb/judge"
	"millrace/ops/simweb/world"
)

// do makes a fault happen and takes it back.
func (r *run) do(ctx context.Context, f Fault) error {
	switch f.Kind {
	case Kill:
		return r.killMember(ctx, f.Process)
	case Pause:
		return r.stop(ctx, r.owner("ranks"))
	case Freeze:
		return r.freeze(ctx, f.Group)
	case Broker:
		return r.server(ctx, "broker")
	case Store:
		return r.server(ctx, "node")
	case Join:
		return r.visit(ctx)
	case Recreate:
		return r.recreate(ctx, f)
	}
	return fmt.Errorf("no kind %q", f.Kind)
}

// killMember kills a member; it comes back at once.
func (r *run) killMember(ctx context.Context, n int) error {
	if err := r.procs[n].kill(); err != nil {
		return err
	}
	if err := r.allow(ctx, true); err != nil {
		return err
	}
	return r.join(n)
}

// stop stops a process for longer than its session. What it had in hand is asked again by others.
func (r *run) stop(ctx context.Context, p *process) error {
	if err := p.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	err := r.allow(ctx, true)
	sleep(ctx, session()+5*time.Second)
	return errors.Join(err, p.signal(syscall.SIGCONT))
}

// freeze has a fourth process join one group, stops it for longer than its session, lets it work
// on, and takes it away.
func (r *run) freeze(ctx context.Context, group string) error {
	p, err := r.another(ctx, group)
	if err != nil {
		return err
	}
	if err := r.stop(ctx, p); err != nil {
		return err
	}
	woke := time.Now()
	back := r.until(ctx, workWithin, func() (bool, error) { // it is a member again
		return p.readySince(group).After(woke), nil
	})
	if back != nil {
		back = fmt.Errorf("%s got no partition of %s after it woke: %w", p.name, group, back)
	}
	return errors.Join(back, r.leave(ctx, p))
}

// visit has a fourth process take part in everything for a while.
func (r *run) visit(ctx context.Context) error {
	p, err := r.another(ctx, "all")
	if err != nil {
		return err
	}
	r.seen = r.requests()
	if err := r.work(ctx); err != nil {
		return err
	}
	return r.leave(ctx, p)
}

// server kills a server and starts it again some seconds later. The processes stand still while it
// is counted what they have in hand.
func (r *run) server(ctx context.Context, kind string) error {
	n, err := r.one(kind), r.signalAll(syscall.SIGSTOP)
	if kind == "broker" {
		err = errors.Join(err, r.allow(ctx, false))
	}
	err = errors.Join(err, r.servers.Kill(ctx, kind, n, syscall.SIGKILL), r.signalAll(syscall.SIGCONT))
	if err != nil {
		return err
	}
	sleep(ctx, 3*time.Second)
	return r.servers.Start(ctx, kind, n)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// allow counts the records that fetch has in hand and may ask for once more (I6). asked: only those
// whose URL the origin has seen. A broker that dies takes no answers, while fetch goes on with what
// it has: then all of them count.
func (r *run) allow(ctx context.Context, asked bool) error {
	topic := topics.Scheduled()
	done, err := r.look.Reader.Committed(ctx, fetch.Group, topic.Name)
	if err != nil {
		return err
	}
	seen := r.asked()
	ends, err := r.look.Reader.Ends(ctx, topic.Name)
	for p, end := range ends {
		if err != nil {
			return err
		}
		err = streams.Read(ctx, r.look.Reader, topic, p, done[p].Offset, end, func(x *streams.Record[*schema.Scheduled]) error {
			if x.Value != nil && !done[p].IsDone(x.Offset) && (!asked || seen[schema.RowKey(x.Value.RowKey).URL()]) {
				r.v.Allowed++
			}
			return nil
		})
	}
	return err
}

// asked are the URLs that the origin was asked for.
func (r *run) asked() map[string]bool {
	out := map[string]bool{}
	for _, e := range r.web.Judge().Record().Events() {
		if e.Flags&judge.NoHost == 0 {
			out[r.web.World().URL(world.Ref{Host: e.Host, Form: e.Form, Page: e.Page}, "")] = true
		}
	}
	return out
}

// leave has a process end in order. What it says that it left undone may be asked again.
func (r *run) leave(ctx context.Context, p *process) error {
	if err := p.leave(ctx, leaveWithin*time.Duration(r.o.Patience)); err != nil {
		return err
	}
	if p.broke {
		r.note("%s left work undone", p.name)
		return r.allow(ctx, true)
	}
	return nil
}
