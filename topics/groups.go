package topics

import (
	"fmt"
	"slices"
)

// Group is one consumer group: the edges of the map.
type Group struct {
	Name     string
	Reads    string   // its topic
	Writes   []string // every topic it appends to
	WaitsFor string   // the group that reads what it writes forward; "" = waits for nobody
	Waits    string   // the topic whose Bound it respects then
	Pauses   bool     // takes no records while it waits; else it only starts nothing new
	Packed   bool     // what it appends is compressed already, as the web sent it
	Delivery Delivery
	Timed    bool // acts by the clock: ticks as often without records as with them
	Round    int  // records of one round at most; 0 = 500. Short rounds where a record takes long
	About    string
}

// Delivery says how a group's progress is kept.
type Delivery uint8

// The ways. All are at least once; repeats change nothing.
const (
	// Ordered: records of a partition are done one after the other.
	Ordered Delivery = iota
	// Async: records are done in any order; the commit carries a bitmap of
	// those done above the committed offset.
	Async
	// Transactional: outputs and offsets are committed together (on a real Kafka).
	Transactional
	// Own: the offset is kept with the effect, by the group itself.
	Own
)

// Groups lists the consumer groups, in the order of the pipeline.
func Groups() []Group {
	return []Group{
		{Name: "schedule", Reads: Discovered().Name,
			Writes:   []string{Scheduled().Name, Extracted().Name, Discovered().Name},
			WaitsFor: "fetch", Waits: Scheduled().Name, Timed: true,
			About: "keeps the frontier: decides which URL is fetched when"},
		{Name: "fetch", Reads: Scheduled().Name,
			Writes:   []string{Pages().Name, Feeds().Name, Discovered().Name},
			WaitsFor: "extract", Waits: Pages().Name, Pauses: true, Packed: true, Delivery: Async,
			About: "asks the web, politely: the only group that speaks HTTP to it"},
		{Name: "feeds", Reads: Feeds().Name, Writes: []string{Discovered().Name},
			WaitsFor: "schedule", Waits: Discovered().Name, Pauses: true, Round: 64,
			About: "turns a feed into the URLs of its items"},
		{Name: "sitemaps", Reads: Feeds().Name, Writes: []string{Discovered().Name},
			WaitsFor: "schedule", Waits: Discovered().Name, Pauses: true, Round: 16,
			About: "turns a sitemap into the URLs it names"},
		{Name: "extract", Reads: Pages().Name,
			Writes:   []string{Extracted().Name, Discovered().Name},
			WaitsFor: "dedupe", Waits: Extracted().Name, Pauses: true, Round: 64,
			About: "turns a page into a document, links and a digest"},
		{Name: "dedupe", Reads: Extracted().Name,
			Writes: []string{Unique().Name, Discovered().Name}, Delivery: Transactional,
			About: "publishes one document per text and site"},
		{Name: "index", Reads: Unique().Name, Delivery: Own,
			About: "keeps a full-text index equal to the fold of docs.unique"},
	}
}

// Producer is a source of records from outside: it waits while schedule is more
// than five seconds behind.
type Producer struct {
	Name   string
	Writes string
	About  string
}

// Producers lists the edge producers.
func Producers() []Producer {
	return []Producer{
		{Name: "seeds", Writes: Discovered().Name, About: "URLs from arguments, a file or standard input"},
	}
}

// GroupNamed returns the group with a name.
func GroupNamed(name string) (Group, error) {
	for _, g := range Groups() {
		if g.Name == name {
			return g, nil
		}
	}
	return Group{}, fmt.Errorf("no group %q (groups: %v)", name, GroupNames())
}

// GroupNames returns the names of the groups, in order.
func GroupNames() []string {
	var names []string
	for _, g := range Groups() {
		names = append(names, g.Name)
	}
	return names
}

// Named returns the spec of the topic with a name.
func Named(name string) (Spec, error) {
	var names []string
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Spec{}, fmt.Errorf("no topic %q (topics: %v)", name, names)
}

// Validate reports the first thing wrong with the map: an edge to a topic that
// does not exist, two readers that wait in a circle, a bound that nobody waits
// for, a retention below what backpressure may hold back.
func Validate() error {
	for _, g := range Groups() {
		for _, t := range append([]string{g.Reads}, g.Writes...) {
			if _, err := Named(t); err != nil {
				return fmt.Errorf("group %s: %w", g.Name, err)
			}
		}
		if err := g.validateWait(); err != nil {
			return fmt.Errorf("group %s: %w", g.Name, err)
		}
	}
	return nil
}

func (g Group) validateWait() error {
	if g.WaitsFor == "" {
		return nil
	}
	to, err := GroupNamed(g.WaitsFor)
	if err != nil {
		return err
	}
	spec, err := Named(g.Waits)
	if err != nil {
		return err
	}
	switch {
	case to.Reads != g.Waits || !slices.Contains(g.Writes, g.Waits):
		return fmt.Errorf("waits for %s on %s, which is not the edge between them", g.WaitsFor, g.Waits)
	case spec.Bound == (Bound{}):
		return fmt.Errorf("waits on %s, which has no bound", g.Waits)
	case spec.Bound.Bytes*2 > spec.Embedded:
		return fmt.Errorf("topic %s keeps less than twice its bound", g.Waits)
	}
	seen := map[string]bool{g.Name: true}
	for to.WaitsFor != "" {
		if seen[to.Name] {
			return fmt.Errorf("waits in a circle through %s", to.Name)
		}
		seen[to.Name] = true
		if to, err = GroupNamed(to.WaitsFor); err != nil {
			return err
		}
	}
	return nil
}
