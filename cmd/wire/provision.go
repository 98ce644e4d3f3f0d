package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"millrace/ops/provision"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/streams/state/scylla"
	"millrace/topics"
)

// mostCopies is the default number of copies of records and rows, if there are enough machines.
// With three, one may fail and the others are still a majority.
const mostCopies = 3

// Provisioned describes a cluster after Provision: its topics, its servers, and the copies of data.
type Provisioned struct {
	Layout  streams.Layout // Replicas: copies of every record
	Brokers int
	Nodes   int
	Copies  int  // of every row
	MayLose bool // acknowledged rows, when a node of the store is killed (scylla.MayLose)

	Lacked []string // tables that a crawl which was there did not have
}

// provisioner makes topics and tables, before a System can be opened.
type provisioner struct {
	Config Config
	Log    *slog.Logger
	Kafka  streams.Options
}

// Provision makes the topics, keyspace and tables of a cluster that are missing, and checks those
// that exist. It checks everything first, so that most errors come before anything is made.
func Provision(ctx context.Context, cfg Config, log *slog.Logger) (Provisioned, error) {
	if err := cfg.Validate(); err != nil {
		return Provisioned{}, err
	}
	if cfg.Embedded() {
		return Provisioned{}, errors.New("nothing to provision: without --brokers and --store everything is made when it is needed")
	}
	kafka, err := cfg.kafka(ctx, log)
	if err != nil {
		return Provisioned{}, err
	}
	s := &provisioner{Config: cfg, Log: log, Kafka: kafka}
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return Provisioned{}, err
	}
	p, store, err := s.plan(ctx)
	if err != nil {
		return p, err
	}
	if p.Lacked, err = s.checkMeta(ctx, store, p.Layout, canon.Version()); err != nil {
		return p, err
	}
	return p, s.provision(ctx, p, store, canon.Version())
}

// plan decides the number of copies, and checks what can be checked beforehand.
func (s *provisioner) plan(ctx context.Context) (p Provisioned, store scylla.Options, err error) {
	store = s.Config.scylla(s.Log)
	p.Layout = s.Config.Layout()
	found, err := scylla.Inspect(ctx, store)
	if err != nil {
		return p, store, err
	}
	if p.Brokers, err = streams.Brokers(ctx, s.Kafka); err != nil {
		return p, store, err
	}
	if err := checkRights(ctx, s.Kafka, topics.RoleProvision); err != nil {
		return p, store, err
	}
	p.Nodes = found.Nodes
	wanted := s.Config.Replicas
	switch {
	case wanted > p.Brokers:
		return p, store, fmt.Errorf("replicas: %d copies need as many brokers, and there %s: leave --replicas out, or give %d at most", wanted, are(p.Brokers), p.Brokers)
	case wanted > p.Nodes:
		return p, store, fmt.Errorf("replicas: %d copies need as many nodes of the store, and there %s: leave --replicas out, or give %d at most", wanted, are(p.Nodes), p.Nodes)
	case found.Exists && found.Copies > p.Nodes:
		return p, store, fmt.Errorf("keyspace %s keeps %d copies of every row, and there %s: no write would succeed; drop it if it is empty "+
			"(DROP KEYSPACE %s), name another in --store, or add nodes", store.Keyspace, found.Copies, are(p.Nodes), store.Keyspace)
	}
	p.Layout.Replicas = int16(cmp.Or(wanted, min(mostCopies, p.Brokers)))
	p.Copies = cmp.Or(wanted, min(mostCopies, p.Nodes))
	if found.Exists { // an existing keyspace is not changed
		p.Copies = found.Copies
	}
	store.ReplicationFactor, p.MayLose = p.Copies, scylla.MayLose(p.Copies, found.Sync)
	return p, store, streams.CheckProvision(ctx, s.Kafka, p.Layout)
}

func are(n int) string {
	if n == 1 {
		return "is 1"
	}
	return fmt.Sprintf("are %d", n)
}

// checkMeta returns an error if the store was provisioned with another layout. If it was never
// provisioned, topics that are there must not be another program's. Else lacked are the tables that
// are missing.
func (s *provisioner) checkMeta(ctx context.Context, opts scylla.Options, l streams.Layout, canonicalizer string) (lacked []string, err error) {
	ready, lacked, err := scylla.Provisioned(ctx, opts)
	if err != nil {
		return nil, err
	}
	if !ready {
		return nil, streams.CheckForeign(ctx, s.Kafka, l)
	}
	store, err := scylla.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	meta, err := provision.Meta(ctx, store)
	if errors.Is(err, state.ErrNotFound) {
		return nil, streams.CheckForeign(ctx, s.Kafka, l)
	}
	if err != nil {
		return nil, err
	}
	return lacked, provision.Check(meta, l, canonicalizer)
}

// provision makes topics, keyspace and tables as planned, and writes the layout into the store.
func (s *provisioner) provision(ctx context.Context, p Provisioned, opts scylla.Options, canonicalizer string) error {
	if err := scylla.Provision(ctx, opts); err != nil {
		return err
	}
	if err := streams.Provision(ctx, s.Kafka, p.Layout); err != nil {
		return err
	}
	store, err := scylla.Open(ctx, opts)
	if err != nil {
		return err
	}
	defer store.Close()
	_, err = provision.Agree(ctx, store, p.Layout, canonicalizer)
	return err
}
