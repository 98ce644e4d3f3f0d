package wire

import (
	"context"
	"log/slog"

	"millrace/consumers/taps/jsontopic"
	"millrace/ops/metrics"
	"millrace/streams"
	"millrace/topics"
)

// LogTap is an opened tap that writes no files: into OpenSearch, or into a topic of JSON. It needs
// a cluster's Kafka.
type LogTap struct {
	config streams.Config
	role   string // whose rights it needs; "": they are not known
	reader *streams.Log
	group  topics.Group
	run    func(context.Context, streams.Config) error

	failure func() error // why nothing is written now; nil: the group says so itself
}

// openLogTap connects to Kafka with the rights of a role, unless role is "".
func openLogTap(ctx context.Context, cfg Config, role string, log *slog.Logger) (*LogTap, error) {
	kafka, err := cfg.kafka(ctx, log)
	if err != nil {
		return nil, err
	}
	if role != "" {
		if err := checkRights(ctx, kafka, role); err != nil {
			return nil, err
		}
	}
	t := &LogTap{config: streams.DefaultConfig(), role: role}
	t.config.Kafka, t.config.Logger = kafka, log
	cfg.setMember(&t.config)
	t.reader, err = streams.NewLog(kafka)
	return t, err
}

// JSONTap connects to Kafka, and makes the topic that is written if it is not there.
func JSONTap(ctx context.Context, cfg Config, o jsontopic.Options, log *slog.Logger) (*LogTap, error) {
	tap, err := jsontopic.New(o)
	if err != nil {
		return nil, err
	}
	role := topics.RoleJSON
	if o.To != topics.JSONTopic { // the rights of a topic with another name are not checked before
		role = ""
	}
	t, err := openLogTap(ctx, cfg, role, log)
	if err != nil {
		return nil, err
	}
	if err := tap.Prepare(ctx, t.reader); err != nil {
		t.Close()
		return nil, err
	}
	t.group = tap.Group()
	t.run = func(ctx context.Context, c streams.Config) error { return tap.Run(ctx, c, t.reader) }
	return t, nil
}

// Group is the consumer group.
func (t *LogTap) Group() topics.Group { return t.group }

// Run writes until ctx ends. If a right was taken away its error names it.
func (t *LogTap) Run(ctx context.Context) error {
	return namingRights(ctx, t.config.Kafka, t.role, t.run(ctx, t.config))
}

// Close closes the connections to Kafka.
func (t *LogTap) Close() { t.reader.Close() }

// healthy returns an error while nothing can be written.
func (t *LogTap) healthy() error {
	if t.failure == nil {
		return nil
	}
	return t.failure()
}

// Serve is like Tap.Serve.
func (t *LogTap) Serve(ctx context.Context, addr string) (<-chan error, error) {
	lag := func() streams.Lag {
		ctx, cancel := context.WithTimeout(context.Background(), statusWithin)
		defer cancel()
		return t.reader.LagOf(ctx, t.Group())
	}
	registry, err := metrics.Reader(t.config.Meter, lag)
	if err != nil {
		return nil, err
	}
	return serveTap(ctx, addr, registry, func() any { return lag() }, t.healthy)
}
