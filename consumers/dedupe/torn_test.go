package dedupe

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// newTorn is a partition with transactions and three documents.
func newTorn(t *testing.T) *cutting {
	c := newCutting(t)
	c.stop()
	c.w.opts.Transactions = true
	c.open()
	c.says("+https/1=a/ +https/2=b/ +https/3=c/", numbered(1, "a", 1), numbered(2, "b", 1), numbered(3, "c", 1))
	return c
}

// torn handles a round that is settled, but whose transaction is aborted; then a new era of
// docs.extracted begins, at the first record of that round.
func (c *cutting) torn(in ...*schema.Extracted) {
	c.Helper()
	first := c.w.committed
	c.w.in = append(c.w.in, in...)
	if err := c.w.rounds(len(in)); err != nil {
		c.Fatal(err)
	}
	c.abort(sendsOf(c.w.out[c.told:]))
	c.w.out, c.w.committed = c.w.out[:c.told], first
	c.w.link.Raised++
	if err := c.w.start(); err != nil {
		c.Fatal(err)
	}
}

// abort appends to docs.unique what was sent, in a transaction that is aborted.
func (c *cutting) abort(sends []streams.Send) {
	c.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionalID("torn"))
	if err != nil {
		c.Fatal(err)
	}
	defer cl.Close()
	if err := cl.BeginTransaction(); err != nil {
		c.Fatal(err)
	}
	for _, s := range sends {
		if s.Topic != topics.Unique().Name {
			continue
		}
		if err := cl.ProduceSync(c.Context(), &kgo.Record{Topic: s.Topic, Key: []byte(s.Key), Value: s.Value}).FirstErr(); err != nil {
			c.Fatal(err)
		}
	}
	if err := cl.EndTransaction(c.Context(), kgo.TryAbort); err != nil {
		c.Fatal(err)
	}
}

// A broker with the only copy is killed after the rows of a round were written, and before its
// transaction was committed. The records of the round come again as those of a new era: their
// documents are published, and nothing is asked for again. (20 faults on real servers: three
// documents were missing for ever.)
func TestARoundThatWasTornByANewEraIsPublished(t *testing.T) {
	c := newTorn(t)
	c.torn(numbered(4, "d", 1), numbered(1, "new", 2), numbered(3, "c", 2), lost("com.example.www:https/2", 2))
	c.ticks("")
	c.says("+https/4=d/ +https/1=new/") // the four records come again
	c.now = c.now.Add(askAfter)
	c.ticks("-https/2")
	c.ticks("")
	c.says("", numbered(4, "d", 2), numbered(1, "new", 3))
	c.wantWhole()
	if err := c.w.start(); err != nil {
		t.Fatal(err)
	}
	c.ticks("")
	c.now = c.now.Add(askAfter)
	c.ticks("")
}

// If the log lost the round's records, too, their pages are asked for.
func TestThePagesOfATornRoundWhoseRecordsAreLostAreAskedFor(t *testing.T) {
	c := newTorn(t)
	c.torn(numbered(4, "d", 1), lost("com.example.www:https/2", 2))
	c.w.in = c.w.in[:c.w.committed]
	c.says("+https/5=e/", numbered(5, "e", 1))
	c.ticks("")
	c.now = c.now.Add(askAfter)
	c.ticks("-https/2 ?https/4")
	c.says("+https/4=d/", numbered(4, "d", 2))
	c.ticks("")
	c.wantWhole()
}
