// Package control keeps the decisions of operators in one process: it reads the whole topic
// control, follows it, and appends new decisions.
//
// # Goals
//
// A decision is in force two seconds (rules.Grace) after the broker took it. A record of another
// topic is judged in the same way by every process and at any time.
//
// # How it works
//
// Every 400 ms a View asks for the end of the topic, reads the new records into its rules.Set, and
// notes when it asked. If that was less than rules.Grace ago, Ready returns at once: every decision
// that can be in force for a record that is in the log now has been read. Otherwise Ready reads
// first.
//
// # Promises
//
// The Set is a function of the topic. Append returns when the broker has the decisions and this
// process has read them. A decision that is made twice exists once: its identity is a function of
// its content.
//
// # On failure
//
// If the topic cannot be read, Ready returns an error, and its caller retries the record. A record
// that cannot be used as a decision is skipped, logged, and counted in Bad. If the topic was made
// anew or cut, its decisions are gone: the View starts empty and logs an error.
//
// # Limits
//
// The Set is in memory, about 0.5 KB a decision. Times come from the brokers' clocks: if partitions
// have different leaders, the difference of their clocks adds to the time after which a decision is
// in force. A topic that was made anew and ends at the same offset as the old one is noticed only
// when its end changes.
package control

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"millrace/consumers/rules"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

const (
	// Every is the time between two reads of the topic.
	Every = 400 * time.Millisecond
	// readWithin bounds one read.
	readWithin = 10 * time.Second
)

// View is this process's copy of the topic. Safe for concurrent use.
type View struct {
	kafka streams.Options
	log   *streams.Log
	note  *slog.Logger
	set   *rules.Set

	reading sync.Mutex
	topic   string       // id of the topic that was read, as the brokers gave it
	next    int64        // first record that was not read
	asked   atomic.Int64 // when the end was last asked for, in nanoseconds since began
	began   time.Time
	bad     atomic.Int64
}

// New returns a View that has read nothing yet.
func New(kafka streams.Options, log *streams.Log, note *slog.Logger) *View {
	v := &View{kafka: kafka, log: log, note: note, set: rules.New(), began: time.Now()}
	v.asked.Store(-int64(time.Hour))
	return v
}

// Set returns the decisions that were read.
func (v *View) Set() *rules.Set { return v.set }

// Bad returns the number of records that could not be used as decisions.
func (v *View) Bad() int64 { return v.bad.Load() }

// Keep calls Refresh every 400 ms until ctx ends. A failure is logged and tried again.
func (v *View) Keep(ctx context.Context) {
	tick := time.NewTicker(Every)
	defer tick.Stop()
	for {
		if err := v.Refresh(ctx); err != nil && ctx.Err() == nil {
			v.note.Warn("what operators decided was not read, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Ready returns when this process has read every decision that is in force for any record that is
// in the log now.
func (v *View) Ready(ctx context.Context) error {
	if v.fresh() {
		return nil
	}
	return v.refresh(ctx, v.fresh)
}

func (v *View) fresh() bool {
	return time.Since(v.began)-time.Duration(v.asked.Load()) < rules.Grace*time.Millisecond
}

// Refresh reads the new records of the topic.
func (v *View) Refresh(ctx context.Context) error {
	return v.refresh(ctx, func() bool { return false })
}

// refresh reads the new records. While it waited for another reader, that one may have read them:
// then enough returns true, and refresh returns.
func (v *View) refresh(ctx context.Context, enough func() bool) error {
	v.reading.Lock()
	defer v.reading.Unlock()
	if enough() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	asked := time.Since(v.began)
	t := topics.Control()
	end, err := v.log.End(ctx, t.Name, 0)
	if err != nil {
		return fmt.Errorf("decisions of operators: %w", err)
	}
	if err := v.identify(ctx, end); err != nil {
		return fmt.Errorf("decisions of operators: %w", err)
	}
	err = v.log.Scan(ctx, t.Name, 0, v.next, end, func(r streams.Raw) error {
		v.next = r.Offset + 1
		if r.Value == nil {
			return nil
		}
		c := t.New()
		err := c.UnmarshalVT(r.Value)
		if err == nil {
			err = v.set.Put(c, r.Time.UnixMilli())
		}
		if err != nil {
			v.bad.Add(1)
			v.note.Warn("a record of the topic control is no decision", "offset", r.Offset, "error", err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("decisions of operators: %w", err)
	}
	v.next = max(v.next, end)
	v.asked.Store(int64(asked))
	return nil
}

// identify empties the Set and reads from the beginning if the topic was made anew or lost its end.
func (v *View) identify(ctx context.Context, end int64) error {
	if end == v.next && v.topic != "" {
		return nil
	}
	id, err := v.log.TopicID(ctx, topics.Control().Name)
	if err != nil {
		return err
	}
	if v.next > 0 && (id != v.topic || end < v.next) {
		v.note.Error("the topic control was made anew: decisions that stood in it are gone", "records", v.next)
		v.set.Reset()
		v.next = 0
	}
	v.topic = id
	return nil
}

// Append appends decisions, in order, and returns their identities when this process has read them.
// A decision that is in the Set already, with the same Off, is not appended again.
func (v *View) Append(ctx context.Context, list ...*schema.Control) ([]string, error) {
	if err := v.Refresh(ctx); err != nil {
		return nil, err
	}
	ids := make([]string, len(list))
	var news []*schema.Control
	order := time.Now().UnixMicro()
	for i, c := range list {
		if c.Id == "" {
			c.Id = rules.ID(c)
		}
		ids[i] = c.Id
		old, known := v.set.Find(c.Id)
		if known && old.Off == c.Off {
			continue
		}
		if known {
			c.Spans, c.Order = nextSpans(old, c.Off), old.Control.Order
		}
		if c.Order == 0 || !c.Off {
			c.Order = order + int64(i)
		}
		news = append(news, c)
	}
	if len(news) == 0 {
		return ids, nil
	}
	out, err := streams.NewProducer(ctx, v.kafka, "operators", topics.Control())
	if err != nil {
		return nil, err
	}
	defer out.Close()
	if err := out.Send(ctx, news...); err != nil {
		return nil, err
	}
	return ids, v.Refresh(ctx)
}

// nextSpans returns the spans of a decision that ends (the same), or begins again (with one more).
func nextSpans(old rules.Decision, off bool) []*schema.Span {
	spans := old.Control.Spans
	if !off {
		spans = append(spans, &schema.Span{})
	}
	return spans
}

// Settled waits until a decision that was just appended is in force in every process: rules.Grace
// and Every.
func Settled(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rules.Grace*time.Millisecond + Every):
		return nil
	}
}
