package streams_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// listener closes heard when the client says words for the first time.
type listener struct {
	words string
	once  sync.Once
	heard chan struct{}
}

func (l *listener) Level() kgo.LogLevel { return kgo.LogLevelInfo }

func (l *listener) Log(_ kgo.LogLevel, msg string, _ ...any) {
	if strings.Contains(msg, l.words) {
		l.once.Do(func() { close(l.heard) })
	}
}

// failing is a Task whose state cannot be written until the member has given up once.
type failing struct {
	*hand
	gaveUp *atomic.Bool
	ended  func() // called by every Revoke; it waits
}

func (f *failing) Settle(ctx context.Context) error {
	f.c.mu.Lock()
	n := len(f.c.handled)
	f.c.mu.Unlock()
	if n > 0 && !f.gaveUp.Load() {
		return errors.New("the store is away")
	}
	return f.hand.Settle(ctx)
}

func (f *failing) Revoke(ctx context.Context, lost bool) {
	f.ended()
	f.hand.Revoke(ctx, lost)
}

// A member whose round failed within a transaction ends its Tasks and aborts the transaction. If
// the group takes its partitions at that moment, neither waits for the other for ever.
func TestAMemberThatFailsWhileItsPartitionsAreTakenEnds(t *testing.T) {
	c := newCrew(t, topics.Transactional)
	revoking := &listener{words: "aborting next commit", heard: make(chan struct{})}
	cfg := c.config()
	cfg.Kafka.Client = append(slices.Clone(cfg.Kafka.Client), kgo.WithLogger(revoking))
	var gaveUp atomic.Bool
	var once sync.Once
	join := make(chan struct{})
	leave := streamstest.Start(t, cfg, c.group, topics.Pages(), func(p *streams.Partition) streams.Task[*schema.Page] {
		h := &hand{c: c, member: "fails", p: p, out: streams.NewEmitter(p, c.group.Name, topics.Extracted())}
		c.note(func() { c.tasks = append(c.tasks, h) })
		return &failing{hand: h, gaveUp: &gaveUp, ended: func() {
			gaveUp.Store(true)
			once.Do(func() { close(join) })
			<-revoking.heard
		}}
	})
	c.await("every partition has a Task", func() bool { return len(c.tasks) == 4 })
	producePages(t, c.opts, 0, 20)
	<-join
	_, second := c.join("second", nil)
	c.settled(20)
	second()
	leave()
	c.check()
}
