package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"millrace/ops/records"
	"millrace/topics"
)

// follow writes the records of a topic as they come, as server-sent events: data is a record as
// JSON on one line, id is the position after it. A client that sends this id in Last-Event-ID, as
// browsers do when they reconnect, continues there. The first id comes at once, before any record.
// An event "lost" says which offsets the log no longer has. It ends when the client goes or the
// process stops; a client that does not read is dropped after WriteTimeout.
func (a *api) follow(w http.ResponseWriter, r *http.Request) error {
	if a.deps.Follow == nil {
		return absent("log")
	}
	topic := r.PathValue("topic")
	if _, err := topics.Named(topic); err != nil {
		return refuse(http.StatusNotFound, "%v", err)
	}
	opts, err := recordOptions(r)
	if err != nil {
		return err
	}
	var begin records.Position
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		if begin, err = records.ParsePosition(last); err != nil {
			return refuse(http.StatusBadRequest, "Last-Event-ID: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if a.deps.ending != nil {
		defer context.AfterFunc(a.deps.ending, cancel)()
	}
	out := &events{to: w, control: http.NewResponseController(w), patience: a.opts.WriteTimeout}
	err = a.deps.Follow(ctx, topic, opts, begin, records.Follower{Record: out.record, Quiet: out.quiet, Lost: out.lost})
	if err != nil && !out.begun {
		return err // a status, with which a browser does not ask again
	}
	if err != nil && ctx.Err() == nil && !out.broken {
		a.log.Error("following a topic failed", "topic", topic, "error", err)
		_ = out.write("event: error\ndata: %s\n\n", asFailure(err).message) // who asked may have gone
	}
	return nil
}

// events writes server-sent events.
type events struct {
	to       http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration // for one write
	begun    bool          // something was written
	broken   bool
}

func (e *events) begin() error {
	e.begun = true
	e.to.Header().Set("Content-Type", "text/event-stream")
	e.to.WriteHeader(http.StatusOK)
	return e.write(": records follow\n\n")
}

func (e *events) record(r records.Record, next records.Position) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return e.write("id: %s\ndata: %s\n\n", next, b)
}

// quiet shows that the connection is alive, and how far the topic was read.
func (e *events) quiet(next records.Position) error {
	return e.write("id: %s\n: nothing new\n\n", next)
}

// lost tells which offsets of a partition, [from, to), are no longer in the log.
func (e *events) lost(partition int32, from, to int64) error {
	return e.write("event: lost\ndata: {\"partition\":%d,\"from\":%d,\"to\":%d}\n\n", partition, from, to)
}

func (e *events) write(format string, args ...any) error {
	if !e.begun {
		if err := e.begin(); err != nil {
			return err
		}
	}
	// Not every ResponseWriter has a deadline or a buffer, so that is no error; the write fails if
	// something is wrong.
	_ = e.control.SetWriteDeadline(time.Now().Add(e.patience))
	_, err := fmt.Fprintf(e.to, format, args...)
	if flushed := e.control.Flush(); !errors.Is(flushed, http.ErrNotSupported) {
		err = errors.Join(err, flushed)
	}
	e.broken = err != nil
	return err
}
