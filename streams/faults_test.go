package streams_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// scripted is a Task of functions; those that are nil do nothing.
type scripted struct {
	streams.Plain[*schema.Page]
	p       *streams.Partition
	recover func(context.Context) error
	handle  func(*streams.Record[*schema.Page]) error
	settle  func() error
	tick    func() error
	undo    func()
}

func (s *scripted) Undo() {
	if s.undo != nil {
		s.undo()
	}
}

func (s *scripted) Recover(ctx context.Context) (int64, error) {
	if s.recover == nil {
		return streams.Committed, nil
	}
	return streams.Committed, s.recover(ctx)
}

func (s *scripted) Handle(_ context.Context, r *streams.Record[*schema.Page]) error {
	if s.handle == nil {
		return nil
	}
	return s.handle(r)
}

func (s *scripted) Settle(context.Context) error {
	if s.settle == nil {
		return nil
	}
	return s.settle()
}

func (s *scripted) Tick(context.Context, time.Time) error {
	if s.tick == nil {
		return nil
	}
	return s.tick()
}

// startScripted runs a member whose Tasks are made by script.
func startScripted(t *testing.T, cfg streams.Config, script func(*scripted)) (stop func()) {
	return streamstest.Start(t, cfg, extractGroup(t), topics.Pages(), func(p *streams.Partition) streams.Task[*schema.Page] {
		s := &scripted{p: p}
		script(s)
		return s
	})
}

// keys is a set of row keys that a test waits for.
type keys struct {
	mu   sync.Mutex
	seen map[string]bool
	want int
	all  chan struct{}
}

func newKeys(want int) *keys {
	return &keys{seen: map[string]bool{}, want: want, all: make(chan struct{})}
}

func (k *keys) add(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.seen[key] = true; len(k.seen) == k.want {
		select {
		case <-k.all:
		default:
			close(k.all)
		}
	}
}

func (k *keys) wait(t *testing.T) {
	t.Helper()
	select {
	case <-k.all:
	case <-time.After(time.Minute):
		k.mu.Lock()
		defer k.mu.Unlock()
		t.Fatalf("%d of %d", len(k.seen), k.want)
	}
}

// partitionOf returns the partition of a page among 4.
func partitionOf(i int) int32 {
	return topics.Partition(string(schema.RowKey(page(i).RowKey).Host()), 4)
}

// A Tick that panics every time is counted, and stops neither its partition nor the
// others.
func TestAPanicInTickStopsNothing(t *testing.T) {
	opts := streamstest.Options(t)
	cfg := streamstest.Config(opts)
	done := newKeys(100)
	startScripted(t, cfg, func(s *scripted) {
		s.handle = func(r *streams.Record[*schema.Page]) error { done.add(r.Value.RowKey); return nil }
		s.tick = func() error {
			if s.p.ID() == partitionOf(0) {
				panic("a row that cannot be")
			}
			return nil
		}
	})
	producePages(t, opts, 0, 100)
	done.wait(t)
	wantIdle(t, opts, "extract")
	if cfg.Meter.Value("extract", "failed_ticks", "panic") == 0 {
		t.Error("the panic was not counted")
	}
}

// Only the partition waits whose Handle or Settle fails, and it goes on when they succeed.
func TestAPartitionThatFailsStopsNoOther(t *testing.T) {
	broken := errors.New("the store does not answer")
	for name, script := range map[string]func(s *scripted, fails func() bool){
		"handle": func(s *scripted, fails func() bool) {
			before := s.handle
			s.handle = func(r *streams.Record[*schema.Page]) error {
				if fails() {
					return broken
				}
				return before(r)
			}
		},
		"settle": func(s *scripted, fails func() bool) {
			s.settle = func() error {
				if fails() {
					return broken
				}
				return nil
			}
		},
		"settle panics": func(s *scripted, fails func() bool) {
			s.settle = func() error {
				if fails() {
					panic("settle")
				}
				return nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := streamstest.Options(t)
			var fails atomic.Bool
			fails.Store(true)
			bad, others, all := partitionOf(0), newKeys(0), newKeys(100)
			for i := range 100 {
				if partitionOf(i) != bad {
					others.want++
				}
			}
			startScripted(t, streamstest.Config(opts), func(s *scripted) {
				s.handle = func(r *streams.Record[*schema.Page]) error {
					if s.p.ID() != bad {
						others.add(r.Value.RowKey)
					}
					all.add(r.Value.RowKey)
					return nil
				}
				if s.p.ID() == bad {
					script(s, fails.Load)
				}
			})
			producePages(t, opts, 0, 100)
			others.wait(t)
			fails.Store(false)
			all.wait(t)
			wantIdle(t, opts, "extract")
		})
	}
}

// Partitions recover side by side, each works as soon as it is ready, and a recovery
// that fails or panics is tried again.
func TestAPartitionWorksBeforeOthersHaveRecovered(t *testing.T) {
	opts := streamstest.Options(t)
	slow, release := partitionOf(0), make(chan struct{})
	others, all := newKeys(0), newKeys(100)
	for i := range 100 {
		if partitionOf(i) != slow {
			others.want++
		}
	}
	startScripted(t, streamstest.Config(opts), func(s *scripted) {
		tries := 0
		s.recover = func(ctx context.Context) error {
			tries++
			switch {
			case s.p.ID() == slow:
				select {
				case <-release:
				case <-ctx.Done():
					return ctx.Err()
				}
			case tries == 1:
				return errors.New("the store does not answer")
			case tries == 2:
				panic("recover")
			}
			return nil
		}
		s.handle = func(r *streams.Record[*schema.Page]) error {
			if s.p.ID() != slow {
				others.add(r.Value.RowKey)
			}
			all.add(r.Value.RowKey)
			return nil
		}
	})
	producePages(t, opts, 0, 100)
	others.wait(t)
	close(release)
	all.wait(t)
	wantIdle(t, opts, "extract")
}

// produceRaw appends a record to partition 0 of pages.fetched.
func produceRaw(t *testing.T, opts streams.Options, rec *kgo.Record, more ...kgo.Opt) {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(opts.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchMaxBytes(topics.MaxRecordBytes), kgo.ProducerBatchCompression(kgo.NoCompression()),
	}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	rec.Topic = topics.Pages().Name
	if err := cl.ProduceSync(t.Context(), rec).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// Every record that cannot be handled becomes a dead letter, however large it is.
func TestADeadLetterAlwaysFits(t *testing.T) {
	for name, c := range map[string]struct{ value, header int }{
		"a value as large as can be":    {topics.MaxRecordBytes - 200, 0},
		"headers as large as can be":    {1 << 10, topics.MaxRecordBytes - 2<<10},
		"half of each":                  {6 << 20, 6<<20 - 200},
		"more than a dead letter takes": {topics.MaxFileBytes, 512 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := streamstest.Options(t)
			bad := bytes.Repeat([]byte{0xff}, c.value)
			rec := &kgo.Record{Key: []byte("x"), Value: bad}
			if c.header > 0 {
				rec.Headers = []kgo.RecordHeader{{Key: "h", Value: make([]byte, c.header)}}
			}
			produceRaw(t, opts, rec, kgo.ProducerBatchMaxBytes(64<<20), kgo.ProducerBatchCompression(kgo.ZstdCompression()))
			producePages(t, opts, 0, 50)
			startScripted(t, streamstest.Config(opts), func(*scripted) {})
			streamstest.Tail(t, opts, topics.DeadLetters().Name, func(r *kgo.Record) bool {
				headers := map[string]string{}
				for _, h := range r.Headers {
					headers[h.Key] = string(h.Value)
				}
				if headers["kind"] != "decode" || headers["offset"] != "0" || headers["topic"] != topics.Pages().Name {
					t.Errorf("dead letter: kind %q, %s offset %s", headers["kind"], headers["topic"], headers["offset"])
				}
				if whole := headers["cut"] == ""; whole && !bytes.Equal(r.Value, bad) || !bytes.HasPrefix(bad, r.Value) {
					t.Errorf("dead letter holds %d bytes of %d, cut %q", len(r.Value), len(bad), headers["cut"])
				}
				return true
			})
			wantIdle(t, opts, "extract")
		})
	}
}

// A batch that decompresses to more than any writer makes is skipped, with a dead letter that holds
// its offset; the records around it are handled.
func TestABatchThatDecompressesToTooMuchIsSkipped(t *testing.T) {
	opts := streamstest.Options(t)
	bomb := func() {
		produceRaw(t, opts, &kgo.Record{Value: make([]byte, 90<<20)}, kgo.ProducerBatchMaxBytes(512<<20),
			kgo.BrokerMaxWriteBytes(512<<20), kgo.ProducerBatchCompression(kgo.ZstdCompression()))
	}
	producePages(t, opts, 0, 50)
	bomb()
	producePages(t, opts, 50, 100)
	bomb()
	done := newKeys(150)
	startScripted(t, streamstest.Config(opts), func(s *scripted) {
		s.handle = func(r *streams.Record[*schema.Page]) error { done.add(r.Value.RowKey); return nil }
	})
	producePages(t, opts, 100, 150)
	done.wait(t)
	letters := 0
	streamstest.Tail(t, opts, topics.DeadLetters().Name, func(r *kgo.Record) bool {
		letters++
		for _, h := range r.Headers {
			if h.Key == "kind" && string(h.Value) != "bomb" {
				t.Errorf("kind %q", h.Value)
			}
		}
		return letters == 2
	})
	wantIdle(t, opts, "extract")

	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	read := 0
	for p := range int32(4) {
		end, err := log.End(t.Context(), topics.Pages().Name, p)
		if err != nil {
			t.Fatal(err)
		}
		err = streams.Read(t.Context(), log, topics.Pages(), p, 0, end, func(*streams.Record[*schema.Page]) error { read++; return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	if read != 150 {
		t.Errorf("a reader of the log saw %d of 150 records", read)
	}
}

// A member that works with another partition count than the topic has ends with an
// error that says what to do, and moves no record.
func TestAnotherPartitionCountEndsTheMember(t *testing.T) {
	t.Run("when it begins", func(t *testing.T) {
		opts := streamstest.Options(t)
		cfg := streamstest.Config(opts)
		cfg.Layout = streams.Layout{PerHost: 8, PerSite: 4}
		wantCountError(t, streams.Run(t.Context(), cfg, extractGroup(t), topics.Pages(), startCopier(nil)))
	})
	for name, grown := range map[string]string{"its topic": topics.Pages().Name, "a topic that it writes": topics.Extracted().Name} {
		t.Run("when "+name+" grows", func(t *testing.T) {
			t.Parallel()
			opts := streamstest.Options(t)
			cfg := streamstest.Config(opts)
			cfg.Session = 2 * time.Second
			ended := make(chan error, 1)
			first := make(chan struct{})
			var once sync.Once
			go func() {
				ended <- streams.Run(t.Context(), cfg, extractGroup(t), topics.Pages(),
					startCopier(func(*streams.Record[*schema.Page]) error { once.Do(func() { close(first) }); return nil }))
			}()
			producePages(t, opts, 0, 1)
			<-first
			cl, err := kgo.NewClient(kgo.SeedBrokers(opts.Brokers...))
			if err != nil {
				t.Fatal(err)
			}
			defer cl.Close()
			if _, err := kadm.NewClient(cl).CreatePartitions(t.Context(), 4, grown); err != nil {
				t.Fatal(err)
			}
			for i := 1; ; i++ { // the old member's client learns of it in its own time
				select {
				case err := <-ended:
					wantCountError(t, err)
					if n := cfg.Meter.Value("extract", "misrouted", ""); grown == topics.Extracted().Name && n > 0 {
						t.Errorf("%d records moved", n)
					}
					return
				case <-time.After(20 * time.Millisecond):
					if grown == topics.Extracted().Name {
						producePages(t, opts, i, i+1)
					}
				}
			}
		})
	}
}

func wantCountError(t *testing.T, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "partitions") || !strings.Contains(err.Error(), "Stop every process") {
		t.Errorf("ended with %v", err)
	}
}

// A request that the brokers refuse for good ends Run.
func TestARefusalForGoodEndsRun(t *testing.T) {
	for name, fault := range map[string]kfake.Fault{
		"no right to commit": {Keys: []kmsg.Key{kmsg.OffsetCommit}, Err: kerr.GroupAuthorizationFailed, Count: -1},
		"no right to append": {Keys: []kmsg.Key{kmsg.Produce}, Topic: topics.Extracted().Name, Err: kerr.TopicAuthorizationFailed, Count: -1},
		"no right to read":   {Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.TopicAuthorizationFailed, Count: -1},
		"no right to join":   {Keys: []kmsg.Key{kmsg.JoinGroup}, TopLevel: true, Err: kerr.GroupAuthorizationFailed, Count: -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCrew(t, topics.Ordered)
			producePages(t, c.opts, 0, 10)
			c.kafka.Fault(fault)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := streams.Run(ctx, c.config(), c.group, topics.Pages(), startCopier(func(*streams.Record[*schema.Page]) error { return nil }))
			if !errors.Is(err, fault.Err) {
				t.Errorf("Run ended with %v, not with %v", err, fault.Err)
			}
		})
	}
}

// TestARecordThatNobodyCanReadUndoesNoOther: Undo belongs to the Handle before it. When it was
// called for a record that never came to Handle, dedupe took back what the record before had led
// to, while its sends stayed: the page stood on docs.unique for ever (simulator, seed 181).
func TestARecordThatNobodyCanReadUndoesNoOther(t *testing.T) {
	opts := streamstest.Options(t)
	producePages(t, opts, 0, 20)
	for p := range int32(4) {
		produceRaw(t, opts, &kgo.Record{Partition: p, Key: []byte("x"), Value: []byte("\xff\xff no message")})
	}
	producePages(t, opts, 20, 40)
	var undone atomic.Int64
	startScripted(t, streamstest.Config(opts), func(s *scripted) { s.undo = func() { undone.Add(1) } })
	letters := 0
	streamstest.Tail(t, opts, topics.DeadLetters().Name, func(*kgo.Record) bool { letters++; return letters == 4 })
	wantIdle(t, opts, "extract")
	if n := undone.Load(); n > 0 {
		t.Errorf("Undo was called %d times although no Handle failed", n)
	}
}
