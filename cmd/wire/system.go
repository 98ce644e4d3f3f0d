package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"millrace/ops/members"
	"millrace/ops/provision"
	"millrace/schema"
	"millrace/streams"
	streamsembedded "millrace/streams/embedded"
	"millrace/streams/state"
	"millrace/streams/state/embedded"
	"millrace/streams/state/scylla"
	"millrace/topics"
)

// System is an opened millrace. Run starts groups in it.
type System struct {
	Config Config
	Log    *slog.Logger
	Dir    *DataDir
	Kafka  streams.Options
	Store  state.Store
	Reader *streams.Log
	keeper *streams.Keeper // nil on a cluster

	indexPace *indexPace
	notices   notices
	Meter     *streams.Meter
	Canon     *schema.Canonicalizer
	Meta      *schema.MetaRow

	outside         Outside
	roster          *members.Roster          // nil without a cluster
	id              string                   // on the list of members
	siteAt, peersAt string                   // where this process listens, if it does
	running         atomic.Pointer[[]string] // groups that Run runs here
	scope           *scope
	survey          survey
	counts          *members.Counts // of all processes, ever
	groups          groups
	rebuild         rebuild
	close           []func()
}

// Open locks the data directory, starts or reaches the broker and the store, and
// checks that all agree on the layout.
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
	s := &System{Config: cfg, Log: log, Meter: streams.NewMeter(), indexPace: newIndexPace(log), outside: out}
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *System) open(ctx context.Context) (err error) {
	if s.Canon, err = newCanon(); err != nil {
		return err
	}
	if s.Dir, err = OpenDataDir(s.Config.Data); err != nil {
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
	if s.Config.Embedded() {
		layout := streams.Layout{PerHost: s.Meta.HostPartitions, PerSite: s.Meta.SitePartitions, Embedded: true}
		s.keeper = streams.NewKeeper(s.Reader, layout, s.Log)
	}
	s.scope = &scope{store: s.Store, log: s.Log}
	id, err := s.Dir.ID()
	if err != nil {
		return err
	}
	s.counts = members.NewCounts(members.DefaultOptions(), s.Store, s.Log, s.Meter, id)
	return s.openGroups()
}

// openServers starts the embedded broker and store, or reaches those of a cluster.
func (s *System) openServers(ctx context.Context) error {
	if !s.Config.Embedded() {
		return s.reachCluster(ctx)
	}
	broker, err := streamsembedded.Open(s.Dir.file("log"), s.Log)
	if err != nil {
		return err
	}
	s.onClose(broker.Close)
	s.Kafka = streams.Options{
		Brokers: broker.Addrs(), Dial: broker.Dial, MachineStart: streamsembedded.MachineStart(),
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
		return err
	}
	s.keepStore(store)
	return s.provisionEmbedded(ctx)
}

// keepStore makes transient errors of the store a matter of waiting.
func (s *System) keepStore(store state.Store) {
	s.onClose(func() { _ = store.Close() })
	s.Store = state.Retrying(store, state.DefaultBackoff(), func(call string, err error, wait time.Duration) {
		s.Log.Warn("store does not answer, trying again", "call", call, "error", err, "wait", wait)
	})
}

func (s *System) provisionEmbedded(ctx context.Context) error {
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

// layout is that of the configuration, or, where it does not say, as provisioned.
func (s *System) layout(ctx context.Context) (streams.Layout, error) {
	l := s.Config.Layout()
	meta, err := provision.Meta(ctx, s.Store)
	if errors.Is(err, state.ErrNotFound) || err == nil && s.Config.Partitions != 0 {
		return l, nil
	}
	l.PerHost, l.PerSite = meta.GetHostPartitions(), meta.GetSitePartitions()
	return l, err
}

// reachCluster opens the clients; the cluster must have been provisioned.
func (s *System) reachCluster(ctx context.Context) error {
	s.Kafka = streams.Options{Brokers: s.Config.Brokers, Transactions: true}
	if s.outside.Kafka != nil {
		s.Kafka = *s.outside.Kafka
	}
	if err := s.reachStore(ctx); err != nil {
		return err
	}
	var err error
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

func (s *System) reachStore(ctx context.Context) error {
	if s.outside.Store != nil {
		s.keepStore(s.outside.Store)
		return nil
	}
	store, err := scylla.Open(ctx, s.scylla())
	if err != nil {
		return fmt.Errorf("%w (millrace provision makes what is missing)", err)
	}
	s.keepStore(store)
	return nil
}

func newCanon() (*schema.Canonicalizer, error) {
	return schema.NewCanonicalizer(schema.DefaultCanonOptions())
}

func (s *System) scylla() scylla.Options {
	opts := scylla.DefaultOptions()
	opts.Hosts, opts.Keyspace, _ = s.Config.cql()
	opts.Logger = s.Log
	opts.Username, opts.Password, opts.TLS = s.Config.StoreUser, s.Config.StorePass, s.Config.StoreTLS
	return opts
}

// checkLogs compares the embedded log with what the state was made from, before anybody appends
// to it, and says what changed.
func (s *System) checkLogs(ctx context.Context) error {
	changes, err := streams.CheckLogs(ctx, s.Kafka, provision.Marks(s.Store))
	for _, c := range changes {
		s.Log.Error("the log changed: a new era begins", "change", c.String())
	}
	return err
}

// LogFull lists the partitions that have no room for more because a group has not read them: a
// status line for each. The crawl starts nothing new while there is one.
func (s *System) LogFull() []streams.Filled {
	if s.keeper == nil {
		return nil
	}
	return s.keeper.Filled()
}

// LogChanges lists what happened to the logs that the groups read, newest first: a status line
// for each. It is empty as long as no log was cut, made anew or restored.
func (s *System) LogChanges(ctx context.Context) ([]streams.Change, error) {
	return provision.Changes(ctx, s.Store, streams.Layout{PerHost: s.Meta.HostPartitions, PerSite: s.Meta.SitePartitions})
}

func (s *System) onClose(fn func()) { s.close = append(s.close, fn) }

// Close closes everything, last opened first. Run must have returned.
func (s *System) Close() {
	for i := len(s.close) - 1; i >= 0; i-- {
		s.close[i]()
	}
	s.close = nil
}
