package remote

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"millrace/consumers/index"
)

// Options of a Handler.
type Options struct {
	Keep     time.Duration // how long a view may stay open
	MaxViews int           // open at a time; more are refused with status 503
}

// DefaultOptions returns the defaults.
func DefaultOptions() Options { return Options{Keep: 10 * time.Second, MaxViews: 256} }

// Validate returns an error for options that cannot work.
func (o Options) Validate() error {
	if o.Keep <= 0 || o.MaxViews < 1 {
		return fmt.Errorf("remote: Keep and MaxViews must be positive: %s, %d", o.Keep, o.MaxViews)
	}
	return nil
}

// Handler answers peers. It checks nobody's identity, so it must be served with Identity.Server.
// Close ends its views.
type Handler struct {
	opts   Options
	shards *index.Shards
	mux    http.ServeMux

	mu    sync.Mutex
	views map[string]*view
}

// view has the snapshots of one search.
type view struct {
	end   *time.Timer
	mu    sync.Mutex // snapshots are for one goroutine at a time
	parts map[int32]index.Part
}

// NewHandler returns a handler over the shards of this process.
func NewHandler(o Options, shards *index.Shards) (*Handler, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	h := &Handler{opts: o, shards: shards, views: map[string]*view{}}
	h.mux.HandleFunc("POST /view", h.open)
	h.mux.HandleFunc("POST /close", answer(func(_ *http.Request, q place) (any, error) { return struct{}{}, h.end(q.View) }))
	h.mux.HandleFunc("POST /stats", answer(func(r *http.Request, q statsRequest) (any, error) {
		return with(h, q.place, func(p index.Part) (any, error) { return p.Stats(r.Context(), q.Words) })
	}))
	h.mux.HandleFunc("POST /top", answer(func(r *http.Request, q topRequest) (any, error) {
		if q.Plan == nil {
			return nil, errors.New("no plan")
		}
		return with(h, q.place, func(p index.Part) (any, error) { return p.Top(r.Context(), q.Plan) })
	}))
	h.mux.HandleFunc("POST /page", answer(func(r *http.Request, q pageRequest) (any, error) {
		return with(h, q.place, func(p index.Part) (any, error) { return p.Page(r.Context(), q.Ref) })
	}))
	h.mux.HandleFunc("POST /lookup", answer(func(r *http.Request, q lookupRequest) (any, error) {
		return with(h, q.place, func(p index.Part) (any, error) {
			page, ok, err := p.Lookup(r.Context(), q.Key)
			return lookupReply{page, ok}, err
		})
	}))
	h.mux.HandleFunc("POST /words", answer(func(r *http.Request, q wordsRequest) (any, error) {
		if q.Look == nil {
			return nil, errors.New("nothing to look for")
		}
		return with(h, q.place, func(p index.Part) (any, error) { return p.Vocabulary(r.Context(), q.Look) })
	}))
	return h, nil
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
	h.mux.ServeHTTP(w, r)
}

// Close ends all views.
func (h *Handler) Close() {
	h.mu.Lock()
	var open []string
	for id := range h.views {
		open = append(open, id)
	}
	h.mu.Unlock()
	for _, id := range open {
		_ = h.end(id) // it may have ended meanwhile
	}
}

// answer decodes a request, calls fn and encodes its reply. An error of fn is answered with status
// 422.
func answer[Q any](fn func(*http.Request, Q) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var q Q
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		reply, err := fn(r, q)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		write(w, reply)
	}
}

func write(w http.ResponseWriter, reply any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply) // fails only if the peer went away
}

func (h *Handler) open(w http.ResponseWriter, _ *http.Request) {
	parts, count := h.shards.Parts()
	v := &view{parts: map[int32]index.Part{}}
	reply := viewReply{View: rand.Text(), Count: count, Parts: []part{}}
	for _, p := range parts {
		v.parts[p.Partition] = p
		reply.Parts = append(reply.Parts, part{
			p.Partition, p.Era, p.Offset, p.Owned, p.Start, p.Need, p.Anew, p.Analysers(),
		})
	}
	h.mu.Lock()
	full := len(h.views) >= h.opts.MaxViews
	if !full {
		h.views[reply.View] = v
		v.end = time.AfterFunc(h.opts.Keep, func() { _ = h.end(reply.View) })
	}
	h.mu.Unlock()
	if full {
		v.release()
		http.Error(w, "too many searches", http.StatusServiceUnavailable)
		return
	}
	write(w, reply)
}

var errNoView = errors.New("the view has ended")

// end closes a view and releases its snapshots.
func (h *Handler) end(id string) error {
	h.mu.Lock()
	v := h.views[id]
	delete(h.views, id)
	h.mu.Unlock()
	if v == nil {
		return errNoView
	}
	v.end.Stop()
	v.release()
	return nil
}

func (v *view) release() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, p := range v.parts {
		p.Release()
	}
	v.parts = nil
}

// with calls fn with a shard of an open view.
func with(h *Handler, q place, fn func(index.Part) (any, error)) (any, error) {
	h.mu.Lock()
	v := h.views[q.View]
	h.mu.Unlock()
	if v == nil {
		return nil, errNoView
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	p, ok := v.parts[q.Partition]
	if !ok {
		return nil, fmt.Errorf("no partition %d in the view", q.Partition)
	}
	return fn(p)
}
