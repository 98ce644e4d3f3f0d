package taps

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"millrace/consumers/taps/place"
	"millrace/streams"
	"millrace/topics"
)

// Deps are the dependencies of a tap.
type Deps struct {
	Place  place.Place
	Format Format
	Topic  string // which it reads
	Group  string // its consumer group; "" = named after the format and the directory
	Kafka  string // id of the cluster that it reads; "" = the broker in the process
	Logger *slog.Logger
	Meter  *streams.Meter
	Clock  func() time.Time // nil: time.Now
}

// Tap writes a topic into files. One Tap serves all partitions of a process.
type Tap struct {
	opts     Options
	deps     Deps
	place    place.Place
	format   Format
	group    topics.Group
	log      *slog.Logger
	spoolDir string
	slots    chan struct{} // one for each file that is being written
	flush    atomic.Bool   // write what waits now, whatever its size

	mu         sync.Mutex
	partitions map[int32]*PartitionStatus
	ended      error // why Run ended for good; nil: it did not
}

// New returns a tap on a place. The place must be empty, or have files of the same tap.
func New(ctx context.Context, o Options, d Deps) (*Tap, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("tap: %w", err)
	}
	if d.Place == nil || d.Format == nil || d.Logger == nil || d.Meter == nil {
		return nil, errors.New("tap: no place, format, logger or meter")
	}
	spec, err := topics.Named(d.Topic)
	if err != nil {
		return nil, err
	}
	if d.Clock == nil {
		d.Clock = time.Now
	}
	sign, err := agree(ctx, d)
	if err != nil {
		return nil, err
	}
	spool, err := d.Place.Spool()
	if err != nil {
		return nil, fmt.Errorf("tap: %w", err)
	}
	return &Tap{
		opts: o, deps: d, place: d.Place, format: d.Format, spoolDir: spool,
		group: topics.Group{
			Name: sign.Group, Reads: spec.Name, Delivery: topics.Async,
			About: "writes " + spec.Name + " as " + d.Format.Name(),
		},
		log:   d.Logger.With("group", sign.Group, "place", d.Place.String()),
		slots: make(chan struct{}, o.AtOnce), partitions: map[int32]*PartitionStatus{},
	}, nil
}

// sign is the content of tap.json: which tap the files of a place belong to.
type sign struct {
	ID     string `json:"id"`
	Format string `json:"format"`
	Topic  string `json:"topic"`
	Group  string `json:"group"`
	Kafka  string `json:"kafka,omitempty"` // id of the cluster
}

const signName = "_millrace/tap.json"

// agree creates tap.json in a new place, or compares it with the tap's deps. All processes with one
// place are one consumer group, so each partition has one writer.
func agree(ctx context.Context, d Deps) (sign, error) {
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails
	mine := sign{ID: hex.EncodeToString(id[:]), Format: d.Format.Name(), Topic: d.Topic, Group: d.Group, Kafka: d.Kafka}
	if mine.Group == "" {
		mine.Group = topics.TapPrefix + mine.Format + "-" + mine.ID
	}
	raw, err := json.MarshalIndent(mine, "", "  ")
	if err != nil {
		return mine, err
	}
	err = d.Place.CreateOnce(ctx, signName, raw)
	if !errors.Is(err, place.ErrExists) {
		return mine, err
	}
	there, err := readSign(ctx, d.Place)
	if err == nil {
		err = d.Place.Sweep(ctx, path.Dir(signName)+"/", func(name string) bool { return name == signName })
	}
	switch {
	case err != nil:
		return there, err
	case there.Format != mine.Format || there.Topic != mine.Topic:
		return there, fmt.Errorf("%s holds %s of %s: name another directory for %s of %s", d.Place, there.Format, there.Topic, mine.Format, mine.Topic)
	case there.Kafka != "" && there.Kafka != d.Kafka:
		return there, fmt.Errorf("%s holds records of another Kafka (cluster %s): name another directory for this one", d.Place, there.Kafka)
	case d.Group != "" && d.Group != there.Group:
		return there, fmt.Errorf("%s belongs to the group %s: two groups must not share it", d.Place, there.Group)
	}
	return there, nil
}

func readSign(ctx context.Context, p place.Place) (s sign, err error) {
	raw, err := p.Read(ctx, signName)
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		return s, fmt.Errorf("%s: what tap it belongs to is not known: %w", p, err)
	}
	return s, nil
}

// Group is the tap's consumer group.
func (t *Tap) Group() topics.Group { return t.group }

// Run is a member of the tap's group until ctx ends. The tap appends nothing to the log but dead
// letters. An error that another start would meet again (streams.Denied) is kept for Drain and
// Here.
func (t *Tap) Run(ctx context.Context, cfg streams.Config) error {
	cfg.Marks = nil // the notes say which log was read
	err := t.consume(ctx, cfg)
	if streams.Denied(err) {
		t.end(err)
	}
	return err
}

func (t *Tap) consume(ctx context.Context, cfg streams.Config) error {
	switch t.group.Reads {
	case topics.Discovered().Name:
		return run(ctx, t, cfg, topics.Discovered())
	case topics.Scheduled().Name:
		return run(ctx, t, cfg, topics.Scheduled())
	case topics.Pages().Name:
		return run(ctx, t, cfg, topics.Pages())
	case topics.Feeds().Name:
		return run(ctx, t, cfg, topics.Feeds())
	case topics.Extracted().Name:
		return run(ctx, t, cfg, topics.Extracted())
	case topics.Files().Name:
		return run(ctx, t, cfg, topics.Files())
	case topics.Found().Name:
		return run(ctx, t, cfg, topics.Found())
	case topics.Links().Name:
		return run(ctx, t, cfg, topics.Links())
	case topics.Graph().Name:
		return run(ctx, t, cfg, topics.Graph())
	case topics.Ranks().Name:
		return run(ctx, t, cfg, topics.Ranks())
	case topics.NearFound().Name:
		return run(ctx, t, cfg, topics.NearFound())
	case topics.Near().Name:
		return run(ctx, t, cfg, topics.Near())
	case topics.Control().Name:
		return run(ctx, t, cfg, topics.Control())
	case topics.Unique().Name:
		return run(ctx, t, cfg, topics.Unique())
	}
	return fmt.Errorf("topic %s holds no messages that a tap could read", t.group.Reads)
}

func run[M topics.Message](ctx context.Context, t *Tap, cfg streams.Config, topic topics.Topic[M]) error {
	return streams.Run(ctx, cfg, t.group, Readonly(topic), Start(t, topic))
}

// Readonly returns a topic for readers outside the pipeline: every record counts as being in the
// right partition, so none is appended again.
func Readonly[M topics.Message](topic topics.Topic[M]) topics.Topic[M] {
	topic.Place = func(M) topics.Place { return topics.Place{} }
	return topic
}

// Start returns the start function of streams.Run for a topic.
func Start[M topics.Message](t *Tap, topic topics.Topic[M]) func(*streams.Partition) streams.Task[M] {
	return func(p *streams.Partition) streams.Task[M] { return newTask(t, topic, p) }
}

// Flush turns flushing on or off. While it is on, records are written at the next Tick, whatever
// their size.
func (t *Tap) Flush(on bool) { t.flush.Store(on) }

func (t *Tap) count(what string, n int64) {
	t.deps.Meter.Add(streams.Count{Group: t.group.Name, What: what}, n)
}
