package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"

	"millrace/consumers/near"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state/embedded"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// partitions of near.found; as many as a small cluster has.
const partitions = 4

// follow gives the sketches to the group near and returns its records: by page, the pages near it.
// records is how many the group handled.
func follow(texts map[string]text) (found map[string]map[string]bool, records int, err error) {
	dir, err := os.MkdirTemp("", "near")
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	store, err := embedded.Open(dir, embedded.DefaultOptions())
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = store.Close() }()
	group, err := near.New(near.DefaultOptions(), near.Deps{Store: store})
	if err != nil {
		return nil, 0, err
	}
	w := &world{found: map[string]map[string]bool{}, names: map[string]string{}}
	for i := range w.parts {
		w.parts[i] = &part{}
		w.parts[i].task = group.Task(w.parts[i].out.Partition(int32(i), partitions))
	}
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return nil, 0, err
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		u, err := canon.Parse(urlOf(name))
		if err != nil {
			return nil, 0, err
		}
		key := u.RowKey()
		w.names[string(key)] = name
		site := string(schema.SiteOf(key.Host().Name()))
		w.append(topics.Partition(site, partitions), &schema.Near{Body: &schema.Near_Page{Page: &schema.Sketch{
			RowKey: string(key), Site: site, Rev: 1, Sketch: texts[name].sketch,
		}}})
	}
	return w.found, w.handled, w.run()
}

// world is the topic near.found in memory, with the group's tasks.
type world struct {
	parts   [partitions]*part
	names   map[string]string // by row key
	found   map[string]map[string]bool
	handled int
}

type part struct {
	log  []*schema.Near
	done int
	out  streamstest.Recorder
	task streams.Task[*schema.Near]
}

func (w *world) append(p int32, m *schema.Near) { w.parts[p].log = append(w.parts[p].log, m) }

// run handles records until nothing is left, in rounds of up to 500 a partition.
func (w *world) run() error {
	for busy := true; busy; {
		busy = false
		for _, p := range w.parts {
			for range min(500, len(p.log)-p.done) {
				busy = true
				r := &streams.Record[*schema.Near]{Offset: int64(p.done), Value: p.log[p.done]}
				if err := p.task.Handle(context.Background(), r); err != nil {
					return err
				}
				p.done++
				w.handled++
			}
			if err := w.pass(p.out.Take()); err != nil {
				return err
			}
			if err := p.task.Settle(context.Background()); err != nil {
				return err
			}
		}
	}
	return nil
}

// pass appends what a task sent, and keeps what it said on the topic near.
func (w *world) pass(sends []streams.Send) error {
	for _, s := range sends {
		if s.Topic == topics.Near().Name {
			if err := w.keep(s); err != nil {
				return err
			}
			continue
		}
		m := &schema.Near{}
		if err := m.UnmarshalVT(s.Value); err != nil {
			return fmt.Errorf("record of %s: %w", s.Topic, err)
		}
		to := s.Partition
		if to == streams.AnyPartition {
			to = topics.Partition(s.Route, partitions)
		}
		w.append(to, m)
	}
	return nil
}

func (w *world) keep(s streams.Send) error {
	name := w.names[s.Key]
	delete(w.found, name)
	if len(s.Value) == 0 {
		return nil
	}
	m := &schema.NearPages{}
	if err := m.UnmarshalVT(s.Value); err != nil {
		return fmt.Errorf("record of %s: %w", s.Topic, err)
	}
	w.found[name] = map[string]bool{}
	for _, p := range m.Pages {
		w.found[name][w.names[p.RowKey]] = true
	}
	return nil
}
