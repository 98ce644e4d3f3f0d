package wire

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"millrace/consumers/index"
	"millrace/ops/web"
	"millrace/topics"
)

// rebuild is the state of the rebuild of the index; a process runs at most one.
type rebuild struct {
	mu      sync.Mutex
	running sync.WaitGroup
	stop    context.CancelFunc
	state   web.Rebuild
}

// Rebuild starts to fill a new index from docs.unique in the background, beside the one that
// answers. The new one replaces it when its digest is right. Close stops a rebuild.
func (s *groups) Rebuild() error {
	r := &s.rebuild
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.state.Running:
		return &web.UserError{Message: "a rebuild is running already"}
	case len(s.shards.Status()) == 0:
		return &web.UserError{Message: "this process has no part of the index"}
	case !s.Config.Embedded() && !slices.ContainsFunc(s.shards.Status(), func(h index.ShardStatus) bool { return h.Owned }):
		return &web.UserError{Message: "this process writes no part of the index now: ask one that does (millrace status names them)"}
	}
	ctx, stop := context.WithCancel(context.Background())
	r.stop, r.state = stop, web.Rebuild{Running: true, Began: time.Now().UTC(), Total: s.toRebuild(ctx)}
	r.running.Go(func() {
		defer stop()
		err := s.shards.Rebuild(ctx, index.FromLog(s.Reader))
		switch {
		case ctx.Err() != nil:
			s.Log.Info("rebuild of the index stopped, the one there was stays")
			err = errors.New("the process was stopped; the index there was stays, and a rebuild begins again")
		case err != nil:
			s.Log.Error("index not rebuilt, the one there was stays", "error", err)
		}
		r.end(err)
	})
	return nil
}

// totalWithin bounds toRebuild; after it the total is not known, 0.
const totalWithin = 5 * time.Second

// toRebuild returns how many offsets of docs.unique a rebuild of this process's shards reads.
func (s *groups) toRebuild(ctx context.Context) (n int64) {
	ctx, cancel := context.WithTimeout(ctx, totalWithin)
	defer cancel()
	starts, err := s.Reader.Starts(ctx, topics.Unique().Name)
	ends, err2 := s.Reader.Ends(ctx, topics.Unique().Name)
	if errors.Join(err, err2) != nil {
		return 0
	}
	for _, h := range s.shards.Status() {
		n += ends[h.Partition] - starts[h.Partition]
	}
	return n
}

func (r *rebuild) end(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Running, r.state.Ended = false, time.Now().UTC()
	switch {
	case errors.Is(err, index.ErrDifferent):
		r.state.Error = err.Error() + ": docs.unique no longer holds all documents, or the index is damaged; the index there was stays"
	case err != nil:
		r.state.Error = err.Error()
	}
}

// close stops a running rebuild and waits for its end.
func (r *rebuild) close() {
	r.mu.Lock()
	if r.stop != nil {
		r.stop()
	}
	r.mu.Unlock()
	r.running.Wait()
}

// Rebuilding returns the state of the rebuild that runs, or of the last one.
func (s *groups) Rebuilding() web.Rebuild {
	s.rebuild.mu.Lock()
	out := s.rebuild.state
	s.rebuild.mu.Unlock()
	out.Read = s.shards.Reread()
	if out.Running && out.Read > 0 && out.Total > out.Read {
		out.Left = time.Since(out.Began).Seconds() / float64(out.Read) * float64(out.Total-out.Read)
	}
	for _, h := range s.shards.Status() {
		out.Generation, out.Docs = h.Generation, out.Docs+h.Docs
	}
	return out
}

func (r *rebuild) atWork() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state.Running
}
