package streams_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// Brokers that are not there end no member: it tries until they are back and goes on, with the
// transactional ID it had. With a new one, what it left open would be nobody's until it times out.
func TestAMemberOutlivesBrokersThatAreAway(t *testing.T) {
	eachDelivery(t, func(c *crew) {
		var mu sync.Mutex
		var ids []string
		c.kafka.ControlKey(int16(kmsg.InitProducerID), func(r kmsg.Request) (kmsg.Response, error, bool) {
			c.kafka.KeepControl()
			if id := r.(*kmsg.InitProducerIDRequest).TransactionalID; id != nil {
				mu.Lock()
				defer mu.Unlock()
				ids = append(ids, *id)
			}
			return nil, nil, false
		})
		via := &network{}
		via.away.Store(true)
		cfg, leave := c.join("m", via)
		rejoins := func(n int64) func() bool {
			return func() bool { return cfg.Meter.Value(c.group.Name, "rejoined", "") >= n }
		}
		until(c.t, cfg.Meter, "a member without brokers tries again", rejoins(2))
		via.away.Store(false)
		producePages(c.t, c.opts, 0, 20)
		c.settled(20)
		if c.group.Delivery == topics.Transactional { // what the others do waits for as long as it takes
			before := cfg.Meter.Value(c.group.Name, "rejoined", "")
			var once sync.Once
			c.note(func() {
				c.hold = func(*streams.Partition, *streams.Record[*schema.Page]) {
					once.Do(func() {
						via.away.Store(true)
						via.cut()
					})
				}
			})
			producePages(c.t, c.opts, 20, 40)
			until(c.t, cfg.Meter, "a member that lost its brokers in a transaction tries again", rejoins(before+2))
			via.away.Store(false)
			c.settled(40)
		}
		leave()
		c.check()
		mu.Lock()
		defer mu.Unlock()
		if c.group.Delivery == topics.Transactional && (len(ids) < 2 || len(slices.Compact(ids)) > 1) {
			c.t.Errorf("the transactional IDs are %q", ids)
		}
	})
}
