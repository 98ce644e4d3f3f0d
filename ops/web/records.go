package web

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"time"

	"millrace/ops/records"
	"millrace/topics"
)

// Bounds of the number of records of a topic.
const (
	defaultRecords = 100
	maxRecords     = 10_000_000
)

// records writes records as JSON lines while they are read. If it fails after the first line, the
// last line is {"error": "..."}.
func (a *api) records(w http.ResponseWriter, r *http.Request) error {
	if a.deps.Records == nil {
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
	out := &lines{to: w, control: http.NewResponseController(w), patience: a.opts.WriteTimeout}
	err = a.deps.Records(r.Context(), topic, opts, func(rec records.Record) error { return out.write(rec) })
	if err == nil {
		out.begin() // no records: no lines
		return nil
	}
	if !out.begun {
		return err
	}
	if r.Context().Err() == nil {
		f := asFailure(err)
		a.log.Error("reading a topic failed", "topic", topic, "error", err)
		_ = out.write(map[string]string{"error": f.message}) // who asked may have gone
	}
	return nil
}

func recordOptions(r *http.Request) (records.Options, error) {
	q := r.URL.Query()
	begin, err := yes(q, "from_beginning")
	if err != nil {
		return records.Options{}, err
	}
	n, err := number(q, "n", defaultRecords, 1, maxRecords)
	if err != nil {
		return records.Options{}, err
	}
	p, err := number(q, "partition", -1, 0, 1<<16)
	if err != nil {
		return records.Options{}, err
	}
	full, err := yes(q, "full")
	if err != nil {
		return records.Options{}, err
	}
	o := records.Options{FromBeginning: begin, Key: q.Get("key"), Partition: int32(p), N: n, Full: full}
	offset, err := number(q, "offset", 0, 0, math.MaxInt)
	if err != nil {
		return o, err
	}
	if o.Offset = int64(offset); q.Has("offset") && p < 0 {
		return o, refuse(http.StatusBadRequest, "offset needs a partition: offsets are counted in each of them")
	}
	if o.FromBeginning = begin || q.Has("offset"); q.Get("since") != "" {
		if o.Since, err = Since(q.Get("since"), time.Now()); err != nil {
			return o, refuse(http.StatusBadRequest, "since: %v", err)
		}
	}
	if o.Where, err = records.ParseWhere(q["where"]); err != nil {
		return o, refuse(http.StatusBadRequest, "%v", err)
	}
	return o, nil
}

// Since reads a time, or a duration before now.
func Since(text string, now time.Time) (time.Time, error) {
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time like 2026-05-01 or 2026-05-01T12:00:00Z, and no duration like 2h", text)
}

// lines writes JSON lines as they come.
type lines struct {
	to       http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration // for one write
	begun    bool
	flushed  time.Time
}

// flushEvery bounds how long a line stays in the buffer.
const flushEvery = 200 * time.Millisecond

func (l *lines) begin() {
	if !l.begun {
		l.to.Header().Set("Content-Type", "application/x-ndjson")
		l.to.WriteHeader(http.StatusOK)
		l.begun = true
	}
}

func (l *lines) write(v any) error {
	l.begin()
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if time.Since(l.flushed) < flushEvery {
		_, err = l.to.Write(append(b, '\n'))
		return err
	}
	l.flushed = time.Now()
	// Not every ResponseWriter has a deadline or a buffer, so errors are ignored; Write fails if
	// something is wrong.
	_ = l.control.SetWriteDeadline(l.flushed.Add(l.patience))
	if _, err = l.to.Write(append(b, '\n')); err != nil {
		return err
	}
	_ = l.control.Flush()
	return nil
}
