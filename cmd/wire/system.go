package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"millrace/consumers/taps"
	"millrace/ops/control"
	"millrace/ops/provision"
	"millrace/schema"
	"millrace/streams"
	streamsembedded "millrace/streams/embedded"
	"millrace/streams/state"
	"millrace/streams/state/embedded"
	"millrace/streams/state/scylla"
	"millrace/topics"
)

// System is an opened millrace; Run runs groups in it. A part uses only parts that are listed
// before it.
type System struct {
	*opened
	*cluster
	*groups
	*runner
	*survey
	*additions
	*answers
}

// opened holds what all parts use: settings, data directory, broker and store.
//
// It is large because all parts of a process share it.
type opened struct {
	Config Config
	Log    *slog.Logger
	Dir    *DataDir
	Kafka  streams.Options
	Store  state.Store
	Reader *streams.Log
	Meter  *streams.Meter
	Canon  *schema.Canonicalizer
	Meta   *schema.MetaRow
	damage []streamsembedded.Damage // parts of the embedded log that were cut at this start

	control  *control.View               // decisions of operators
	keeper   *streams.Keeper             // nil on a cluster
	disk     *disk                       // nil on a cluster
	broker   *streamsembedded.Broker     // nil on a cluster
	door     *streamsembedded.Door       // nil: readers outside the process cannot reach the broker
	mayLose  bool                        // the store may lose acknowledged rows (scylla.MayLose)
	mayWrite func(context.Context) error // returns an error if this user may not write to the store; nil in one process
	taps     []*taps.Tap
	outside  Outside
	close    []func()
}

// Open locks the data directory, starts broker and store or connects to those of a cluster, and
// checks that they have the configured layout. After an error nothing stays open.
func Open(ctx context.Context, cfg Config, log *slog.Logger) (*System, error) {
	return open(ctx, cfg, Outside{}, log)
}

func open(ctx context.Context, cfg Config, out Outside, log *slog.Logger) (*System, error) {
	if err := errors.Join(cfg.Validate(), topics.Validate()); err != nil {
		return nil, err
	}
	if out.Clock == nil {
		out.Clock = time.Now
	}
	o := &opened{Config: cfg, Log: log, Meter: streams.NewMeter(), outside: out}
	s, err := o.system(ctx)
	if err != nil {
		o.Close()
		return nil, err
	}
	return s, nil
}

// system opens everything and makes the parts. After an error the caller closes what was opened.
func (s *opened) system(ctx context.Context) (*System, error) {
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	c, err := newCluster(s)
	if err != nil {
		return nil, err
	}
	g := &groups{opened: s, scope: &scope{store: s.Store, log: s.Log}, indexPace: newIndexPace(s.Log)}
	if err := g.openGroups(c); err != nil {
		return nil, err
	}
	look, add := &survey{opened: s, groups: g, cluster: c}, &additions{s, g, c}
	return &System{
		opened: s, cluster: c, groups: g, runner: &runner{s, g, c}, survey: look, additions: add,
		answers: &answers{s, g, c, look, add},
	}, nil
}

func (s *opened) open(ctx context.Context) (err error) {
	if s.Canon, err = newCanon(); err != nil {
		return err
	}
	if s.Dir, err = openFree(ctx, s.Config.Data); err != nil {
		return err
	}
	s.onClose(s.Dir.Close)
	if err := s.openServers(ctx); err != nil {
		return err
	}
	if s.Reader, err = streams.NewLog(s.Kafka); err != nil {
		return err
	}
	s.onClose(s.Reader.Close)
	s.control = control.New(s.Kafka, s.Reader, s.Log)
	if err := s.readControl(ctx); err != nil {
		return err
	}
	if s.Config.Embedded() {
		layout := streams.Layout{PerHost: s.Meta.HostPartitions, PerSite: s.Meta.SitePartitions, Embedded: true}
		s.keeper = streams.NewKeeper(s.Reader, layout, s.Log)
	}
	return s.openDoor()
}

// openServers starts the embedded broker and store, or connects to those of a cluster.
func (s *opened) openServers(ctx context.Context) error {
	if !s.Config.Embedded() {
		return s.reachCluster(ctx)
	}
	s.disk = newDisk(s.Dir.Path, s.Config.KeepFree, s.outside.Free, s.Log)
	s.disk.look()
	broker, err := streamsembedded.Open(s.Dir.file("log"), s.Log)
	if err != nil {
		return roomFor(err)
	}
	s.onClose(broker.Close)
	s.broker, s.damage = broker, broker.Damage()
	s.Kafka = streams.Options{
		Brokers: broker.Addrs(), Dial: broker.Dial, MachineStart: streamsembedded.MachineStart(),
		Sync: broker.Sync, Tables: &sync.RWMutex{},
		Damaged: func(topic string, partition int32) bool {
			return slices.ContainsFunc(broker.Damage(), func(d streamsembedded.Damage) bool {
				return d.Topic == topic && d.Partition == partition
			})
		},
	}
	opts := embedded.DefaultOptions()
	opts.Logger = s.Log
	store, err := embedded.Open(s.Dir.file("state"), opts)
	if err != nil {
		return roomFor(err)
	}
	s.disk.waits = store.WaitForRoom
	s.keepStore(store)
	return s.provisionEmbedded(ctx)
}

// keepStore sets the store, with transient errors retried and logged.
func (s *opened) keepStore(store state.Store) {
	s.onClose(func() { _ = store.Close() })
	s.Store = state.Retrying(store, state.DefaultBackoff(), func(call string, err error, wait time.Duration) {
		s.Log.Warn("store does not answer, trying again", "call", call, "error", err, "wait", wait)
	})
}

func (s *opened) provisionEmbedded(ctx context.Context) error {
	layout, err := s.layout(ctx)
	if err != nil {
		return err
	}
	if err := streams.Provision(ctx, s.Kafka, layout); err != nil {
		return err
	}
	meta, err := provision.Agree(ctx, s.Store, layout, s.Canon.Version())
	if err != nil {
		return err
	}
	s.Meta = meta
	return s.checkLogs(ctx)
}

// layout returns the configured layout. Counts that are not set are those that were provisioned.
func (s *opened) layout(ctx context.Context) (streams.Layout, error) {
	l := s.Config.Layout()
	meta, err := provision.Meta(ctx, s.Store)
	if errors.Is(err, state.ErrNotFound) {
		return l, nil
	}
	if s.Config.Partitions == 0 {
		l.PerHost = meta.GetHostPartitions()
	}
	if s.Config.DocParts == 0 {
		l.PerSite = meta.GetSitePartitions()
	}
	return l, err
}

// reachCluster connects to Kafka and the store. The cluster must have been provisioned, with the
// same version of the canonicaliser.
func (s *opened) reachCluster(ctx context.Context) error {
	var err error
	if s.Kafka, err = s.reachKafka(ctx); err != nil {
		return err
	}
	if err := s.reachStore(ctx); err != nil {
		return err
	}
	if s.Meta, err = provision.Meta(ctx, s.Store); errors.Is(err, state.ErrNotFound) {
		return errors.New("this cluster has no topics and tables yet: run millrace provision")
	}
	if err != nil {
		return err
	}
	if want := s.Canon.Version(); s.Meta.Canonicalizer != want {
		return fmt.Errorf("the state was written with canonicaliser %s, this one is %s: row keys would differ", s.Meta.Canonicalizer, want)
	}
	return nil
}

func (s *opened) reachKafka(ctx context.Context) (streams.Options, error) {
	if s.outside.Kafka != nil {
		return *s.outside.Kafka, nil
	}
	return s.Config.kafka(ctx, s.Log)
}

func (s *opened) reachStore(ctx context.Context) error {
	if s.outside.Store != nil {
		s.keepStore(s.outside.Store)
		return nil
	}
	opts := s.Config.scylla(s.Log)
	opts.OnRequest = countRequests(s.Meter)
	store, err := scylla.Open(ctx, opts)
	if err != nil {
		return err
	}
	s.keepStore(store)
	s.mayWrite, s.mayLose = store.CheckWrites, store.MayLose(ctx)
	return nil
}

// countRequests counts the requests to the store for the groups that write the tables.
func countRequests(m *streams.Meter) func(scylla.Request) {
	owners := map[string]string{}
	for _, t := range schema.Tables() {
		owners[t.Name] = t.Owner
	}
	return func(r scylla.Request) {
		what := "store_reads"
		if r.Write {
			what = "store_writes"
		}
		m.Add(streams.Count{Group: owners[r.Table], What: what, Label: r.Table}, 1)
	}
}

func newCanon() (*schema.Canonicalizer, error) {
	return schema.NewCanonicalizer(schema.DefaultCanonOptions())
}

// checkLogs compares the embedded log with the marks in the store before anything is appended, and
// logs what changed.
func (s *opened) checkLogs(ctx context.Context) error {
	changes, err := streams.CheckLogs(ctx, s.Kafka, provision.Marks(s.Store))
	for _, c := range changes {
		s.Log.Error("the log changed: a new era begins", "change", c.String())
	}
	return err
}

// LogFull lists the partitions of the built-in broker whose unread records are larger than their
// cap. The crawl starts nothing new while there is one.
func (s *opened) LogFull() []streams.Filled {
	if s.keeper == nil {
		return nil
	}
	return s.keeper.Filled()
}

// LogChanges lists the changes of logs that began a new era, newest first. It is empty as long as
// no log was cut, made anew or restored.
func (s *opened) LogChanges(ctx context.Context) ([]streams.Change, error) {
	return provision.Changes(ctx, s.Store, streams.Layout{PerHost: s.Meta.HostPartitions, PerSite: s.Meta.SitePartitions})
}

func (s *opened) onClose(fn func()) { s.close = append(s.close, fn) }

// Close closes everything, in reverse order of opening. Run must have returned.
func (s *opened) Close() {
	for i := len(s.close) - 1; i >= 0; i-- {
		s.close[i]()
	}
	s.close = nil
}
