package dedupe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"millrace/schema"
	"millrace/streams/state"
)

// mishaps draws crashes.
type mishaps struct {
	t    *rapid.T
	left int
}

func (m *mishaps) happens(what string) bool {
	if m.left > 0 && rapid.IntRange(0, 3).Draw(m.t, what) == 0 {
		m.left--
		return true
	}
	return false
}

// torn makes the next Write fail: all groups before a drawn one are durable, and a drawn part of
// that one.
func (m *mishaps) torn(store *memory) {
	store.fail = func(_ context.Context, groups [][]state.Mutation) ([][]state.Mutation, error) {
		store.fail = nil
		at := rapid.IntRange(0, len(groups)-1).Draw(m.t, "group")
		out := slices.Clone(groups[:at])
		var part []state.Mutation
		for _, w := range groups[at] {
			if rapid.Bool().Draw(m.t, "durable?") {
				part = append(part, w)
			}
		}
		return append(out, part), errCrash
	}
}

// late makes the next Write fail, and happen when the returned func is called:
// its owner was paused in it, expelled, and woke up.
func (m *mishaps) late(store *memory) func() {
	var paused [][]state.Mutation
	store.fail = func(_ context.Context, groups [][]state.Mutation) ([][]state.Mutation, error) {
		store.fail, paused = nil, groups
		return nil, errCrash
	}
	return func() {
		m.torn(store)
		if len(paused) > 0 && store.Write(context.Background(), paused...) == nil {
			m.t.Fatal("a torn write succeeded")
		}
		store.fail, paused = nil, nil
	}
}

func (m *mishaps) reads(store *memory) {
	store.read = func() error {
		if m.left > 0 && rapid.IntRange(0, 60).Draw(m.t, "read") == 0 {
			m.left--
			return errRead
		}
		return nil
	}
}

// crashing is a run with mishaps, held against the one without.
type crashing struct {
	*world
	mishaps
	t      *rapid.T
	ideal  *ideal
	seen   int    // one past the last record of which something is on the log
	before int    // seen, when the owner began
	lost   int    // sends on the log of rounds that were not settled
	wake   func() // an expelled owner's write
}

// The rounds of a group without transactions: what a crashed round sent stays.
func TestACrashRepeatsButLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCrashing(t, false)
		for c.committed < len(c.in) {
			c.round(c.plainRound)
		}
		if n := len(slices.Concat(c.ideal.sends...)); len(c.out) > n+c.lost {
			t.Fatalf("%d sends, %d are needed, %d were lost from sight", len(c.out), n, c.lost)
		}
		c.checkEnd()
	})
}

// With transactions: what an aborted round sent vanishes, what it wrote stays.
func TestAnAbortedTransactionLeavesNoTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCrashing(t, true)
		for c.committed < len(c.in) {
			c.round(c.transaction)
		}
		if got, want := fmt.Sprint(c.out), fmt.Sprint(slices.Concat(c.ideal.sends...)); got != want {
			t.Fatalf("committed: %s\nwant %s", got, want) // so I2 and I12 hold as they do there
		}
		c.wakeUp()
		c.checkEnd()
	})
}

func newCrashing(t *rapid.T, transactions bool) *crashing {
	opts := testOptions()
	opts.MaxMembers = rapid.SampledFrom([]int64{3, 1000}).Draw(t, "members")
	opts.Transactions = transactions
	opts.ReadAhead = rapid.Bool().Draw(t, "read ahead")
	opts.Window = 12 // twice a round
	c := &crashing{t: t, world: newWorld(opts), mishaps: mishaps{t, rapid.IntRange(1, 8).Draw(t, "mishaps")}}
	c.ideal = runIdeal(t, opts, history(t))
	c.in = c.ideal.in
	c.reads(c.store)
	c.crash()
	return c
}

// crash ends the owner; another one begins.
func (c *crashing) crash() {
	c.store.fail = nil
	c.before = c.seen
	err := c.start()
	for errors.Is(err, errRead) {
		err = c.start()
	}
	must(c.t, err)
}

// round handles some records and ends them in one of the two ways.
func (c *crashing) round(end func([]said)) {
	var round []said
	n := min(rapid.IntRange(1, 6).Draw(c.t, "round"), len(c.in)-c.at)
	c.prepare(n)
	c.mayWakeUp()
	for range n {
		sent, err := c.handle()
		must(c.t, err)
		c.asIdeal(c.at-1, sent)
		c.mayWakeUp()
		round = append(round, sent...)
	}
	end(round)
}

// asIdeal checks what a record led to: what it would without mishaps, or nothing
// if that is on the log.
func (c *crashing) asIdeal(offset int, sent []said) {
	want := c.ideal.sends[offset]
	if fmt.Sprint(sent) == fmt.Sprint(want) {
		return
	}
	if there := slices.ContainsFunc(c.out, func(s said) bool { return s.offset == offset }); len(sent) > 0 || !there {
		c.t.Fatalf("record %d sent %v, want %v", offset, sent, want)
	}
}

func (c *crashing) plainRound(round []said) {
	if c.happens("crash while appending") {
		round = round[:rapid.IntRange(0, len(round)).Draw(c.t, "appended")]
		c.append(round)
		c.lost += len(round)
		c.crash()
		return
	}
	c.append(round)
	if !c.settle() {
		c.lost += len(round)
		c.crash()
		return
	}
	if c.at >= c.seen {
		docs, _, err := standing(c.out)
		must(c.t, err)
		must(c.t, differ(docs, c.ideal.published[c.at]))
	}
	switch {
	case c.happens("crash before the commit"):
		c.crash()
	case rapid.Bool().Draw(c.t, "commit") || c.at == len(c.in):
		c.committed = c.at
	}
}

// append puts records on the log and looks for gaps after each (I12).
func (c *crashing) append(round []said) {
	for _, s := range round {
		c.out = append(c.out, s)
		if s.offset >= c.before {
			must(c.t, nothingMissing(c.out, c.ideal.published[s.offset], c.ideal.published[s.offset+1]))
		} else {
			must(c.t, unmoved(c.out, c.ideal.published[c.committed:c.seen+1]))
		}
		c.seen = max(c.seen, s.offset+1)
	}
}

// unmoved checks I12 while records are repeated: pages that represent the same text all the time
// are published all the time.
func unmoved(log []said, all []map[string]*schema.Doc) error {
	docs, _, err := standing(log)
	if err != nil {
		return err
	}
	for key, d := range all[0] {
		moved := slices.ContainsFunc(all, func(p map[string]*schema.Doc) bool { return p[key] == nil || p[key].Text != d.Text })
		if !moved && docs[key].GetDoc().GetText() != d.Text {
			return fmt.Errorf("%s is missing after %v", key, log[len(log)-1])
		}
	}
	return nil
}

// settle reports whether the state of the round was written.
func (c *crashing) settle() bool {
	if c.happens("crash while writing") {
		c.torn(c.store)
	}
	err := c.task.Settle(context.Background())
	c.store.fail = nil
	if err != nil && !errors.Is(err, errCrash) {
		c.t.Fatal(err)
	}
	return err == nil
}

func (c *crashing) transaction(round []said) {
	var late func()
	if c.happens("paused while writing") {
		late = c.late(c.store)
	}
	if !c.settle() {
		c.crash()
		c.wakeUp()
		c.wake = late
		return
	}
	switch {
	case c.happens("crash before the commit"):
		c.crash()
	case c.happens("abort"):
		c.at = c.committed
	default:
		c.out = append(c.out, round...)
		c.committed = c.at
	}
	c.mayWakeUp()
}

// mayWakeUp lets an expelled owner's write happen now.
func (c *crashing) mayWakeUp() {
	if c.wake != nil && rapid.Bool().Draw(c.t, "wake up") {
		c.wakeUp()
	}
}

func (c *crashing) wakeUp() {
	if c.wake != nil {
		c.wake()
	}
	c.wake = nil
}

func (c *crashing) checkEnd() {
	c.left = 0
	c.crash()
	docs, _, err := standing(c.out)
	must(c.t, err)
	must(c.t, differ(docs, c.ideal.end.pure()))
	must(c.t, c.checkDigest(c.out))
	got, want := c.store.dump(), c.ideal.dump
	for id := range want {
		if got[id] != want[id] {
			c.t.Fatalf("row %q is %q, want %q", id, got[id], want[id])
		}
	}
	if len(got) != len(want) {
		c.t.Fatalf("%d rows, want %d", len(got), len(want))
	}
}
