package streams_test

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// A follower that takes its time keeps little of the log in memory, however much waits for it:
// there may be many, and each of them has a client of its own.
func TestAFollowerKeepsLittleOfTheLog(t *testing.T) {
	opts := streamstest.Options(t)
	const records, size = 96, 100 << 10
	random := rand.NewChaCha8([32]byte{1}) // what compression does not make smaller
	var sends []streams.Send
	for i := range records {
		value := make([]byte, size)
		_, _ = random.Read(value) // never fails
		sends = append(sends, streams.Send{Topic: topics.Pages().Name, Partition: int32(i % 4), Key: strconv.Itoa(i), Value: value})
	}
	if err := streamstest.Append(t.Context(), opts, sends); err != nil {
		t.Fatal(err)
	}
	held := &heldBytes{}
	opts.Client = append(opts.Client, kgo.WithHooks(held))
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	enough := errors.New("enough")
	n := 0
	err = log.Follow(t.Context(), topics.Pages().Name, map[int32]int64{0: 0, 1: 0, 2: 0, 3: 0}, time.Minute, func(streams.Raw) error {
		if n++; n == records {
			return enough
		}
		return nil
	}, nil)
	if !errors.Is(err, enough) {
		t.Fatal(err)
	}
	if held.most == 0 || held.most > 2<<20 {
		t.Errorf("%d bytes of %d were in memory at once", held.most, records*size)
	}
}

// heldBytes counts what a client has fetched and not handed out yet.
type heldBytes struct {
	mu        sync.Mutex
	now, most int
}

// OnFetchRecordBuffered implements kgo.HookFetchRecordBuffered.
func (h *heldBytes) OnFetchRecordBuffered(r *kgo.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now += len(r.Value)
	h.most = max(h.most, h.now)
}

// OnFetchRecordUnbuffered implements kgo.HookFetchRecordUnbuffered.
func (h *heldBytes) OnFetchRecordUnbuffered(r *kgo.Record, _ bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now -= len(r.Value)
}
