package topics

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheMapIsValid(t *testing.T) {
	if err := Validate(); err != nil {
		t.Fatal(err)
	}
}

// Every topic that a group waits on has a bound, and each chain of groups that stop reading while
// they wait ends at one that goes on reading.
func TestEveryForwardEdgeIsBounded(t *testing.T) {
	waits := map[string]bool{}
	for _, g := range Groups() {
		for _, topic := range g.Waits {
			waits[topic] = true
		}
	}
	for _, topic := range []string{Scheduled().Name, Pages().Name, Feeds().Name, Extracted().Name, Discovered().Name} {
		spec, err := Named(topic)
		if err != nil {
			t.Fatal(err)
		}
		if b := spec.Bound; !waits[topic] || b.Within <= 0 || b.Within > 5*time.Second || b.Floor < 1 {
			t.Errorf("%s: waited on %v, bound %+v", topic, waits[topic], b)
		}
	}
}

func TestACircleOfGroupsThatStopReadingIsRefused(t *testing.T) {
	g, err := GroupNamed("extract")
	if err != nil {
		t.Fatal(err)
	}
	if err := g.validateCircle(map[string]bool{"dedupe": true}); err == nil {
		t.Error("a circle through dedupe was taken")
	}
	g.Waits = []string{Pages().Name}
	if err := g.validateWaits(); err == nil {
		t.Error("a wait on a topic that the group does not write was taken")
	}
	g, err = GroupNamed("dedupe")
	if err != nil {
		t.Fatal(err)
	}
	g.Waits = []string{Unique().Name}
	if err := g.validateWaits(); err == nil {
		t.Error("a wait on a topic without a bound was taken")
	}
}

// TestEveryTopicDecodesItsMessage protects who looks at a topic: its records are read as the
// message that the map names.
func TestEveryTopicDecodesItsMessage(t *testing.T) {
	for _, s := range All() {
		m, err := Decode(s.Name, nil)
		switch {
		case s.Name == DeadLetters().Name:
			if err == nil {
				t.Errorf("%s was decoded as %T", s.Name, m)
			}
		case err != nil || string(m.ProtoReflect().Descriptor().FullName()) != s.Message:
			t.Errorf("%s: %T (%v), want %s", s.Name, m, err, s.Message)
		}
	}
}
