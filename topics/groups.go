package topics

import (
	"fmt"
	"slices"
	"time"
)

// Group is one consumer group: the topics it reads and writes.
type Group struct {
	Name     string
	Reads    string   // its topic
	Writes   []string // every topic it appends to
	Waits    []string // topics of Writes whose readers it waits for (Spec.Bound)
	Pauses   bool     // while it waits it takes no records; else its Task starts nothing new
	Delivery Delivery
	Timed    bool          // acts by the clock: Tick is called as often without records
	Ahead    Ahead         // what it handles first
	Round    int           // records of one round at most; 0 = 500. Small where a record takes long
	Batch    int           // records of a partition at least, where each batch of one has a price
	Gathers  time.Duration // from a round with few records to the next; 0 = 10 ms. Long where nobody waits
	Eases    string        // a group: while that has much unread its Task starts only what is urgent; "" = none
	About    string
}

// Delivery is how a group's progress is committed.
type Delivery uint8

// All are at least once; repeats change nothing.
const (
	// Ordered: records of a partition are done one after the other.
	Ordered Delivery = iota
	// Async: records are done in any order; the commit carries a bitmap of
	// those done above the committed offset.
	Async
	// Transactional: outputs and offsets are committed together (on a real Kafka).
	Transactional
	// Own: the group itself stores the offset, with its state.
	Own
)

// Groups lists the consumer groups, in the order of the pipeline.
func Groups() []Group {
	return []Group{
		{Name: "schedule", Reads: Discovered().Name,
			Writes: []string{Scheduled().Name, Extracted().Name, Discovered().Name, Found().Name},
			Waits:  []string{Scheduled().Name}, Timed: true, Round: 128, Ahead: Partitions, Eases: "schedule",
			About: "keeps the frontier: decides which URL is fetched when"},
		{Name: "fetch", Reads: Scheduled().Name,
			Writes: []string{Pages().Name, Feeds().Name, Files().Name, Discovered().Name},
			Waits:  []string{Pages().Name, Feeds().Name, Files().Name}, Delivery: Async, Eases: "schedule",
			About: "asks the web, politely: the only group that speaks HTTP to it"},
		{Name: "feeds", Reads: Feeds().Name, Writes: []string{Discovered().Name},
			Waits: []string{Discovered().Name}, Pauses: true, Round: 8,
			About: "turns a feed into the URLs of its items"},
		{Name: "sitemaps", Reads: Feeds().Name, Writes: []string{Discovered().Name},
			Waits: []string{Discovered().Name}, Pauses: true, Round: 1,
			About: "turns a sitemap into the URLs it names"},
		{Name: "extract", Reads: Pages().Name,
			Writes: []string{Extracted().Name, Discovered().Name, Found().Name},
			Waits:  []string{Extracted().Name}, Pauses: true, Round: 64, Ahead: Records,
			About: "turns a page into a document, links and a digest"},
		{Name: "documents", Reads: Files().Name,
			Writes: []string{Extracted().Name, Discovered().Name, Found().Name},
			Waits:  []string{Extracted().Name}, Pauses: true, Round: 4,
			About: "does what extract does, for PDF and Office files, which take longer"},
		{Name: "dedupe", Reads: Extracted().Name,
			Writes: []string{Unique().Name, Discovered().Name, NearFound().Name}, Delivery: Transactional,
			About: "publishes one document per text and site"},
		{Name: "index", Reads: Unique().Name, Delivery: Own, Ahead: Partitions, Batch: 32,
			About: "keeps a full-text index equal to the fold of docs.unique"},
		{Name: "links", Reads: Found().Name,
			Writes: []string{Found().Name, Links().Name, Graph().Name}, Gathers: 250 * time.Millisecond,
			About: "keeps who links to whom, and the texts of the links"},
		{Name: "ranks", Reads: Graph().Name, Writes: []string{Ranks().Name}, Timed: true,
			About: "keeps PageRank of pages and hosts up to date"},
		{Name: "near", Reads: NearFound().Name, Writes: []string{NearFound().Name, Near().Name}, Gathers: 250 * time.Millisecond,
			About: "finds documents with nearly the same text, on any sites"},
	}
}

// Producer is a source of records from outside. Sources of URLs wait while schedule is five seconds
// behind.
type Producer struct {
	Name   string
	Writes string
	About  string
}

// Producers lists the edge producers.
func Producers() []Producer {
	return []Producer{
		{Name: "seeds", Writes: Discovered().Name, About: "URLs from arguments, a file or standard input"},
		{Name: "websub", Writes: Discovered().Name, About: "items that the hubs of feeds push (--websub)"},
		{Name: "indexnow", Writes: Discovered().Name, About: "URLs that sites announce (--indexnow)"},
		{Name: "operators", Writes: Control().Name, About: "decisions of those who run the crawl: millrace rules, pause, forget"},
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

// Readers lists the groups that read a topic.
func Readers(topic string) []Group {
	var out []Group
	for _, g := range Groups() {
		if g.Reads == topic {
			out = append(out, g)
		}
	}
	return out
}

// WaitsFor lists the groups that g waits for.
func (g Group) WaitsFor() []string {
	var out []string
	for _, t := range g.Waits {
		for _, r := range Readers(t) {
			out = append(out, r.Name)
		}
	}
	return out
}

// Validate returns the first mistake in the lists: a topic that does not exist, a wait on a topic
// without a bound or a reader, groups that pause for each other in a circle.
func Validate() error {
	for _, g := range Groups() {
		for _, t := range append([]string{g.Reads}, g.Writes...) {
			if _, err := Named(t); err != nil {
				return fmt.Errorf("group %s: %w", g.Name, err)
			}
		}
		if err := g.validateWaits(); err != nil {
			return fmt.Errorf("group %s: %w", g.Name, err)
		}
	}
	return nil
}

func (g Group) validateWaits() error {
	for _, t := range g.Waits {
		spec, err := Named(t)
		if err != nil {
			return err
		}
		b := spec.Bound
		switch {
		case !slices.Contains(g.Writes, t):
			return fmt.Errorf("waits on %s, which it does not write", t)
		case len(Readers(t)) == 0:
			return fmt.Errorf("waits on %s, which nobody reads", t)
		case b.Within <= 0 || b.Floor < 1 || b.Records < b.Floor:
			return fmt.Errorf("waits on %s, whose bound %+v does not bound", t, b)
		}
	}
	return g.validateCircle(map[string]bool{})
}

// validateCircle follows groups that stop reading while they wait (Pauses). A group that goes on
// reading (schedule, fetch) ends the chain.
func (g Group) validateCircle(seen map[string]bool) error {
	if seen[g.Name] {
		return fmt.Errorf("waits in a circle through %s", g.Name)
	}
	if !g.Pauses {
		return nil
	}
	seen[g.Name] = true
	defer delete(seen, g.Name)
	for _, name := range g.WaitsFor() {
		next, err := GroupNamed(name)
		if err != nil {
			return err
		}
		if err := next.validateCircle(seen); err != nil {
			return err
		}
	}
	return nil
}
