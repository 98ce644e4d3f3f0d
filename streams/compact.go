package streams

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// The embedded broker does not compact, so the Keeper does: it appends the live records of the
// oldest part of a table again, with their times, and then deletes the part. A record is live if it
// is the last of its key; a tombstone stays live for keepTombstones. docs.unique is not compacted
// here: dedupe does that, which knows what is live there.

// Bounds of compaction.
const (
	keepTombstones = 24 * time.Hour // time in which a reader that is behind still finds a deletion
	partBytes      = 64 << 20       // of the records in a part
	partKeys       = 100_000        // keys of a part, which are in memory
	copyBytes      = 4 << 20        // appended at once
	lockedWithin   = 30 * time.Second
	// compactHeader is the header of a copy: the offset of the first copy's original.
	compactHeader = "copy"
)

// table is the state of the compaction of one partition. It is not stored: after a restart the
// partition is measured again.
type table struct {
	topic     string
	partition int32
	live      int64 // bytes of the live records when they were measured last; 0: not measured
	until     int64 // the parts before it are compacted in this cycle; 0: no cycle goes on
}

// follower reads a table outside a consumer group, and must not miss a record.
type follower struct {
	group string
	at    func() map[int32]int64
}

// Follow names a reader of a table that keeps its position itself: at returns the next offset that
// it reads, by partition. Compaction deletes nothing that it has not read. To be called before Run.
func (k *Keeper) Follow(topic, group string, at func() map[int32]int64) {
	k.followers[topic] = append(k.followers[topic], follower{group, at})
}

// compact does one step for a partition of a table. A cycle begins when the partition is larger
// than a quarter of its cap and than twice its live records, and ends when all parts that were
// there at its beginning are compacted. So copying costs at most as much as it frees.
func (k *Keeper) compact(ctx context.Context, t *table, o oldest) error {
	if t.until == 0 {
		if o.size < max(o.most/4, 2*t.live) {
			return nil
		}
		if err := k.measure(ctx, t, o); err != nil {
			return err
		}
		if o.size < 2*t.live {
			return nil
		}
		t.until = o.end
	}
	to := min(t.until, o.floor, o.end-1) // the last record stays, see deleteTo
	next, err := k.compactPart(ctx, t, o.start, to)
	if err != nil {
		return fmt.Errorf("compact %s/%d: %w", t.topic, t.partition, err)
	}
	if next >= min(t.until, o.end-1) {
		t.until = 0
	}
	return nil
}

// measure estimates the bytes of the live records: it counts the records and estimates the number
// of different keys by linear counting (Whang, Vander-Zanden and Taylor 1990) with 2^23 bits.
func (k *Keeper) measure(ctx context.Context, t *table, o oldest) error {
	const slots = 1 << 23
	seen, seed, records := make([]uint64, slots/64), maphash.MakeSeed(), 0
	err := k.reader.Scan(ctx, t.topic, t.partition, o.start, o.end, func(r Raw) error {
		h := maphash.String(seed, r.Key) % slots
		seen[h/64] |= 1 << (h % 64)
		records++
		return nil
	})
	if err != nil || records == 0 {
		return err
	}
	empty := slots
	for _, w := range seen {
		empty -= bits.OnesCount64(w)
	}
	keys := -slots * math.Log(float64(max(empty, 1))/slots)
	t.live = int64(float64(o.size) * min(1, keys/float64(records)))
	return nil
}

// compactPart compacts the records from start on, before to, as many as fit into a part. It returns
// where the next part begins.
//
// Which records are live is found out beside the writers, and for the newest records once more
// while the writers of this process wait (Options.Tables), so that no copy comes after a newer
// record of its key. A crash before the deletion leaves copies, which do no harm.
func (k *Keeper) compactPart(ctx context.Context, t *table, start, to int64) (int64, error) {
	last, to, err := k.keysOf(ctx, t, start, to)
	if err != nil || len(last) == 0 {
		return to, err
	}
	end, err := k.reader.End(ctx, t.topic, t.partition)
	if err == nil {
		err = k.forgetNewer(ctx, t, last, to, end)
	}
	if err == nil {
		err = k.copyLive(ctx, t, last, start, to, end)
	}
	if err == nil {
		err = k.reader.DeleteCopied(ctx, t.topic, t.partition, to)
	}
	return to, err
}

// keysOf returns the offset of the last record of each key in a part, and where the part ends.
func (k *Keeper) keysOf(ctx context.Context, t *table, start, to int64) (last map[string]int64, end int64, err error) {
	last, end = map[string]int64{}, start
	bytes := 0
	err = k.reader.Scan(ctx, t.topic, t.partition, start, to, func(r Raw) error {
		if bytes += r.size(); bytes > partBytes && end > start || len(last) >= partKeys {
			return errEnough
		}
		last[r.Key], end = r.Offset, r.Offset+1
		return nil
	})
	if err == nil {
		end = max(end, to) // there may be no record at to-1
	}
	if errors.Is(err, errEnough) {
		err = nil
	}
	return last, end, err
}

var errEnough = errors.New("enough was read")

// size returns about the bytes that a record takes.
func (r Raw) size() int {
	n := len(r.Key) + len(r.Value) + 16
	for _, h := range r.Headers {
		n += len(h.Key) + len(h.Value)
	}
	return n
}

// forgetNewer removes the keys that have a record in [from, to).
func (k *Keeper) forgetNewer(ctx context.Context, t *table, last map[string]int64, from, to int64) error {
	return k.reader.Scan(ctx, t.topic, t.partition, from, to, func(r Raw) error {
		delete(last, r.Key)
		return nil
	})
}

// copyLive appends the live records of the part [start, to) again. The records before end are
// known to have none of their keys.
func (k *Keeper) copyLive(ctx context.Context, t *table, last map[string]int64, start, to, end int64) error {
	if lock := k.reader.opts.Tables; lock != nil {
		lock.Lock()
		defer lock.Unlock()
	}
	ctx, cancel := context.WithTimeout(ctx, lockedWithin)
	defer cancel()
	now, err := k.reader.End(ctx, t.topic, t.partition)
	if err == nil {
		err = k.forgetNewer(ctx, t, last, end, now)
	}
	if err != nil {
		return err
	}
	cl, err := k.reader.opts.client()
	if err != nil {
		return err
	}
	defer cl.Close()
	c := copier{cl: cl, table: t, offsets: map[string]int64{}}
	if err := k.reader.Scan(ctx, t.topic, t.partition, start, to, func(r Raw) error {
		old := r.Value == nil && k.now().Sub(r.Time) > keepTombstones
		if at, ok := last[r.Key]; !ok || at != r.Offset || old {
			return nil
		}
		return c.add(ctx, r)
	}); err != nil {
		return err
	}
	if err := c.flush(ctx); err != nil {
		return err
	}
	return k.repair(ctx, &c, now)
}

// repair appends records again that came before the copy of an older one of their key. That takes
// an append whose writer stopped waiting for it, so that it was not kept out.
func (k *Keeper) repair(ctx context.Context, c *copier, from int64) error {
	for {
		end, err := k.reader.End(ctx, c.table.topic, c.table.partition)
		if err != nil {
			return err
		}
		var late []Raw
		if err := k.reader.Scan(ctx, c.table.topic, c.table.partition, from, end, func(r Raw) error {
			if at, copied := c.offsets[r.Key]; copied && r.Offset < at {
				late = append(late, r)
			}
			return nil
		}); err != nil || len(late) == 0 {
			return err
		}
		from, c.offsets = end, map[string]int64{}
		for _, r := range late {
			if err := c.add(ctx, r); err != nil {
				return err
			}
		}
		if err := c.flush(ctx); err != nil {
			return err
		}
	}
}

// copier appends records again.
type copier struct {
	cl      *kgo.Client
	table   *table
	staged  []*kgo.Record
	bytes   int
	offsets map[string]int64 // of the copies
}

func (c *copier) add(ctx context.Context, r Raw) error {
	rec := &kgo.Record{Topic: c.table.topic, Partition: c.table.partition, Key: []byte(r.Key), Value: r.Value, Timestamp: r.Time}
	headers := r.Headers
	if !slices.ContainsFunc(headers, func(h Header) bool { return h.Key == compactHeader }) {
		headers = append(slices.Clip(headers), VersionHeader(compactHeader, r.Offset))
	}
	for _, h := range headers {
		rec.Headers = append(rec.Headers, kgo.RecordHeader(h))
	}
	c.staged, c.bytes = append(c.staged, rec), c.bytes+r.size()
	if c.bytes < copyBytes {
		return nil
	}
	return c.flush(ctx)
}

// flush waits until all copies are acknowledged.
func (c *copier) flush(ctx context.Context) error {
	for _, r := range c.cl.ProduceSync(ctx, c.staged...) {
		if r.Err != nil {
			return r.Err
		}
		c.offsets[string(r.Record.Key)] = r.Record.Offset
	}
	c.staged, c.bytes = nil, 0
	return nil
}

// DeleteCopied deletes the records of a partition before an offset when what was appended to it is
// on the disk (Options.Sync): copies of the deleted records are not lost with the power.
func (l *Log) DeleteCopied(ctx context.Context, topic string, partition int32, before int64) error {
	if l.opts.Sync != nil {
		if err := l.opts.Sync(topic, partition); err != nil {
			return fmt.Errorf("write %s/%d to the disk: %w", topic, partition, err)
		}
	}
	return l.DeleteRecords(ctx, topic, partition, before)
}

// isTable reports whether the last record of a key counts in a topic.
func isTable(topic string) bool {
	s, err := topics.Named(topic)
	return err == nil && s.Retention == 0
}

// holdTables keeps compaction waiting while a record of a table is appended; what it returns lets
// it go on.
func (o Options) holdTables(list []Send) (release func()) {
	if o.Tables == nil || !slices.ContainsFunc(list, func(s Send) bool { return isTable(s.Topic) }) {
		return func() {}
	}
	o.Tables.RLock()
	return o.Tables.RUnlock
}
