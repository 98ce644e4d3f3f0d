package streams

import (
	"context"
	"fmt"
	"time"

	"millrace/topics"
)

// measure is the backlog of one group in one partition of an edge, and the group's speed there.
type measure struct {
	unread int64   // records not done
	done   int64   // offset of the group's commit, plus the records done above it
	speed  float64 // records a second while there were unread ones; 0: not known
	bound  int64   // the most that may be unread
}

// over reports whether more is unread than the bound allows.
func (m measure) over() bool { return m.unread > m.bound }

// speedKept is the weight of the earlier speed in the moving average.
const speedKept = 0.7

// next returns the measure after another look, d later. A higher speed is taken at once; a lower
// one enters the moving average, and only if there were unread records at both looks: a reader with
// nothing to do is not slow.
func (m measure) next(unread, done int64, d time.Duration, b topics.Bound, size float64) measure {
	now := float64(done-m.done) / d.Seconds()
	busy := m.unread > 0 && unread > 0
	switch {
	case m.bound == 0 || done < m.done: // the first look, or the commit went back
	case m.speed == 0, now > m.speed:
		m.speed = now // the reader can do at least that
	case busy:
		m.speed = speedKept*m.speed + (1-speedKept)*now
	}
	return measure{unread: unread, done: done, speed: m.speed, bound: b.At(m.speed, size)}
}

// speedometer measures how fast a group reads a topic, by partition.
type speedometer struct {
	group  string
	topic  topics.Spec
	looked time.Time
	parts  map[int32]measure
}

// look reads commits and ends, and brings the measures up to date. size is the mean size of a
// record in bytes, 0 if it is not known.
func (s *speedometer) look(ctx context.Context, l *Log, size float64) error {
	done, err := l.Committed(ctx, s.group, s.topic.Name)
	if err != nil {
		return err
	}
	ends, err := l.Ends(ctx, s.topic.Name)
	if err != nil {
		return err
	}
	bound := s.topic.Bound
	if !l.opts.Transactions && len(ends) > 0 { // embedded broker: at most half of the partition's cap
		bound.Bytes = min(bound.Bytes, s.topic.Embedded/int64(len(ends))/2)
	}
	now := time.Now()
	parts := map[int32]measure{}
	for p, end := range ends {
		at, ok := done[p]
		if !ok {
			if at.Offset, err = l.Start(ctx, s.topic.Name, p); err != nil {
				return err
			}
		}
		unread := max(0, end-at.Offset-at.Ahead())
		parts[p] = s.parts[p].next(unread, at.Offset+at.Ahead(), max(now.Sub(s.looked), time.Millisecond), bound, size)
	}
	s.parts, s.looked = parts, now
	return nil
}

// Held names a reader that is over its bound in a partition of an edge. Partitions that write there
// start nothing new, or take no records.
type Held struct {
	Topic     string
	Partition int32
	Reader    string
	Unread    int64
	Bound     int64
}

// String says it in one line.
func (h Held) String() string {
	return fmt.Sprintf("waits for %s: %d records of %s/%d are unread, at most %d may be", h.Reader, h.Unread, h.Topic, h.Partition, h.Bound)
}
