package streams_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// leaveFor makes a member leave its group without its knowledge.
func leaveFor(ctx context.Context, cl *kgo.Client, group, member string) error {
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group, req.MemberID = group, member
	m := kmsg.NewLeaveGroupRequestMember()
	m.MemberID = member
	req.Members = append(req.Members, m)
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(resp.ErrorCode)
}

// Members come and go while others recover: every Task that was made is revoked
// once, nothing is handled twice, and every partition is worked on in the end.
func comesAndGoes(c *crew) {
	c.recoverTime = 50 * time.Millisecond
	const pages, batches = 600, 6
	_, leave := c.join("m0", nil)
	leaves := []func(){leave}
	for i := range batches {
		producePages(c.t, c.opts, i*pages/batches, (i+1)*pages/batches)
		_, next := c.join(fmt.Sprintf("m%d", i+1), nil)
		c.await("the newcomer has a partition", func() bool {
			for _, h := range c.tasks {
				if h.member == fmt.Sprintf("m%d", i+1) {
					return true
				}
			}
			return false
		})
		leaves = append(leaves, next)
		if len(leaves) > 3 { // more members than partitions would have nothing to do
			leaves[0]()
			leaves = leaves[1:]
		}
	}
	c.settled(pages)
	for _, leave := range leaves {
		leave()
	}
	c.check()
	if c.group.Delivery == topics.Transactional {
		return // what a rebalance aborts is handled again
	}
	for key, n := range c.handled {
		if n > 1 {
			c.t.Errorf("%s was handled %d times although nobody crashed", key, n)
		}
	}
}

func TestMembersComeAndGo(t *testing.T) {
	eachDelivery(t, func(c *crew) {
		comesAndGoes(c)
	})
}

func TestMembersComeAndGoOnKafka(t *testing.T) { eachDeliveryOnKafka(t, comesAndGoes) }

// A member that is expelled while it handles a record joins anew and handles it
// again.
func expelledInHandle(c *crew) {
	var once sync.Once
	in, out := make(chan *streams.Partition), make(chan struct{})
	c.hold = func(p *streams.Partition, _ *streams.Record[*schema.Page]) {
		once.Do(func() {
			in <- p
			<-out
		})
	}
	_, leave := c.join("m", nil)
	producePages(c.t, c.opts, 0, 1)
	p := <-in
	c.expel()
	for p.Fresh() { // until the member knows of it
		time.Sleep(time.Millisecond)
	}
	close(out)
	producePages(c.t, c.opts, 1, 50)
	c.settled(50)
	leave()
	c.check()
}

func TestAMemberThatIsExpelledInHandleGoesOn(t *testing.T) { eachDelivery(t, expelledInHandle) }

func TestAMemberThatIsExpelledInHandleGoesOnOnKafka(t *testing.T) {
	eachDeliveryOnKafka(t, expelledInHandle)
}

// commitKey is the request with which a delivery commits its offsets.
func commitKey(d topics.Delivery) kmsg.Key {
	if d == topics.Transactional {
		return kmsg.TxnOffsetCommit
	}
	return kmsg.OffsetCommit
}

// on runs fn once, when the first request of a kind arrives and before the broker
// acts on it.
func (c *crew) on(key kmsg.Key, fn func()) (came chan struct{}) {
	came = make(chan struct{})
	c.kafka.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
		fn()
		close(came)
		c.kafka.DropControl()
		return nil, nil, false
	})
	return came
}

func TestAMemberThatIsExpelledInItsCommitGoesOn(t *testing.T) {
	eachDelivery(t, func(c *crew) {
		for _, e := range []*kerr.Error{kerr.UnknownMemberID, kerr.IllegalGeneration} {
			c.kafka.Fault(kfake.Fault{Keys: []kmsg.Key{commitKey(c.group.Delivery)}, Group: c.group.Name, Err: e})
		}
		beats := c.kafka.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Group: c.group.Name, TopLevel: true, Err: kerr.UnknownMemberID})
		_, leave := c.join("m", nil)
		producePages(c.t, c.opts, 0, 50)
		c.settled(50)
		if err := beats.Wait(c.t.Context(), 1); err != nil {
			c.t.Fatal(err)
		}
		producePages(c.t, c.opts, 50, 60)
		c.settled(60)
		leave()
		c.check()
	})
}

// An idle group whose last commit was refused commits again, and its lag is zero.
func TestARefusedCommitIsRepeated(t *testing.T) {
	eachDelivery(t, func(c *crew) {
		refused := c.kafka.Fault(kfake.Fault{
			Keys: []kmsg.Key{commitKey(c.group.Delivery)}, Group: c.group.Name, Err: kerr.RebalanceInProgress, Count: 3,
		})
		_, leave := c.join("m", nil)
		producePages(c.t, c.opts, 0, 1)
		if err := refused.Wait(c.t.Context(), 3); err != nil {
			c.t.Fatal(err)
		}
		c.settled(1)
		leave()
		c.check()
	})
}

// The answer to the request that ends a round is lost, and it is not known whether
// the broker acted on it.
func TestALostAnswerToACommitLosesNothing(t *testing.T) {
	eachDelivery(t, func(c *crew) {
		key := commitKey(c.group.Delivery)
		if c.group.Delivery == topics.Transactional {
			key = kmsg.EndTxn
		}
		via := &network{}
		cut := c.on(key, via.cut)
		_, leave := c.join("m", via)
		producePages(c.t, c.opts, 0, 50)
		<-cut
		producePages(c.t, c.opts, 50, 60)
		c.settled(60)
		leave()
		c.check()
	})
}

// A request that ends a round never gets an answer on its connection: the member does not wait for
// ever.
func TestACommitWithoutAnAnswerIsBounded(t *testing.T) {
	eachDelivery(t, func(c *crew) {
		key := commitKey(c.group.Delivery)
		if c.group.Delivery == topics.Transactional {
			key = kmsg.EndTxn
		}
		swallowed := make(chan struct{})
		c.kafka.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
			close(swallowed)
			return nil, nil, true
		})
		_, leave := c.join("m", nil)
		producePages(c.t, c.opts, 0, 50)
		<-swallowed
		c.settled(50)
		leave()
		c.check()
	})
}

// A member is frozen until another one has its partitions. When it goes on, Fresh is false before
// it acts; it drops its Tasks and joins anew.
func TestAFrozenMemberWakes(t *testing.T) {
	eachDelivery(t, func(c *crew) {
		via := &network{}
		_, leave := c.join("frozen", via)
		producePages(c.t, c.opts, 0, 50)
		c.settled(50)
		via.mu.Lock()
		_, leaveOther := c.join("other", nil)
		producePages(c.t, c.opts, 50, 100)
		wantKeys(c.t, c.opts, 100)
		c.mu.Lock()
		for _, h := range c.tasks {
			if h.member == "frozen" && h.p.Fresh() {
				c.broken = append(c.broken, "a frozen member believes that it is fresh")
			}
		}
		c.mu.Unlock()
		via.mu.Unlock()
		c.settled(100)
		leave()
		leaveOther()
		c.check()
	})
}

// An idle group shares its partitions with newcomers: each partition has one Task,
// those that went have none.
func idleShares(c *crew) {
	var leaves []func()
	for i := range 4 {
		name := fmt.Sprint("m", i)
		_, leave := c.join(name, nil)
		leaves = append(leaves, leave)
		c.await(name+" has a partition", func() bool {
			for _, h := range c.tasks {
				if h.member == name && h.recovers > 0 {
					return true
				}
			}
			return false
		})
	}
	c.settled(0)
	for _, leave := range leaves {
		leave()
	}
	c.check()
}

func TestAnIdleGroupRevokesWhatItLost(t *testing.T) { eachDelivery(t, idleShares) }

func TestAnIdleGroupRevokesWhatItLostOnKafka(t *testing.T) { eachDeliveryOnKafka(t, idleShares) }
