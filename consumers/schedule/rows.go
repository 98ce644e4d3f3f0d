package schedule

import (
	"context"
	"errors"

	"millrace/schema"
	"millrace/streams/state"
)

// Groups of writes, in the order in which they become durable. A crash between
// two of them loses nothing: a URL is in a queue before its host's row counts it,
// and counted before its own row marks it seen; a slot of the wheel is forgotten
// after its rows are in queues.
const (
	groupQueues = iota // todo, later, site_host, the first row of a shard
	groupHosts
	groupURLs
	groupShards
)

// stamp is the timestamp of a write: rises with every record of every era.
func stamp(era, offset int64) int64 { return era<<44 | offset }

// message is a row's state.
type message interface {
	SizeVT() int
	MarshalToSizedBufferVT([]byte) (int, error)
	UnmarshalVT([]byte) error
}

func encode(m message) state.Value {
	b := make([]byte, m.SizeVT())
	n, err := m.MarshalToSizedBufferVT(b)
	if err != nil { // only for a buffer that is too small, and it is not
		return state.Value{}
	}
	return state.Bytes(b[len(b)-n:])
}

// fetchRow reads and decodes one row; false = there is none.
func fetchRow(ctx context.Context, s reader, t *schema.Table, key state.Key, into message) (bool, error) {
	cells, err := s.Get(ctx, t, key)
	if errors.Is(err, state.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, into.UnmarshalVT(cells[0].Bytes())
}

// reader is the reading half of a Store or a Batch.
type reader interface {
	Get(context.Context, *schema.Table, state.Key) (state.Cells, error)
	GetMany(context.Context, *schema.Table, state.Key, []state.Value) ([]state.Row, error)
	Slice(context.Context, *schema.Table, state.Key, []state.Value, int) ([]state.Row, error)
}

func hostKey(h schema.Host) state.Key {
	return state.Key{state.Num(int64(schema.Shard(h))), state.Str(string(h))}
}

func shardKey(shard int) state.Key { return state.Key{state.Num(int64(shard))} }

func todoPartition(h schema.Host, class int, chunk int64) state.Key {
	return state.Key{state.Str(string(h)), state.Num(int64(class)), state.Num(chunk)}
}

func laterPartition(shard int, slot int64) state.Key {
	return state.Key{state.Num(int64(shard)), state.Num(slot)}
}

func urlPartition(h schema.Host, tier int, bucket int64) state.Key {
	return state.Key{state.Str(string(h)), state.Num(int64(tier)), state.Num(bucket)}
}

// lastTier has 16^5 buckets: room for 8.6 billion URLs of one host.
const lastTier = 5

// tierRoom is the number of URLs that go to a tier before the next one opens. A
// bucket holds 8,192 rows; where a hash decides the bucket, 1/16 is left for its
// unevenness (eleven standard deviations).
func tierRoom(tier int) int64 {
	room := int64(8192) << (4 * tier)
	if tier > 0 {
		room -= room / 16
	}
	return room
}

func bucketOf(path string, tier int) int64 {
	return int64(schema.Murmur2([]byte(path))) & (1<<(4*tier) - 1)
}

// place is where a URL's row stands.
type place struct {
	tier   int
	bucket int64
}

// rowsOf calls fn for the rows of those of paths that the host knows, in the
// tiers that it uses.
func rowsOf(ctx context.Context, s reader, h schema.Host, tiers int, paths []string, fn func(path string, at place, st state.Value) error) error {
	byPlace := map[place][]state.Value{}
	for tier := range tiers {
		for _, p := range paths {
			at := place{tier, bucketOf(p, tier)}
			byPlace[at] = append(byPlace[at], state.Str(p))
		}
	}
	for at, keys := range byPlace {
		for len(keys) > 0 {
			n := min(len(keys), state.MaxKeys)
			rows, err := s.GetMany(ctx, schema.URLTable, urlPartition(h, at.tier, at.bucket), keys[:n])
			if err != nil {
				return err
			}
			for _, r := range rows {
				if err := fn(r.Key[3].Str(), at, r.Cells[0]); err != nil {
					return err
				}
			}
			keys = keys[n:]
		}
	}
	return nil
}

// normal gives a host row all its queues and counters.
func normal(row *schema.HostRow) *schema.HostRow {
	for len(row.Queues) < classes {
		row.Queues = append(row.Queues, &schema.Queue{})
	}
	for len(row.Statuses) < len(schema.UrlRow_Status_name) {
		row.Statuses = append(row.Statuses, 0)
	}
	return row
}
