package main

import (
	"context"

	"millrace/cmd/settings"
	"millrace/cmd/wire"
	"millrace/consumers/taps/jsontopic"
)

// jsonTapOptions are those of consume json.
type jsonTapOptions struct {
	To       string `name:"to" help:"topic to write; it is made, compacted, if it is not there"`
	Replicas int    `name:"copies" help:"replicas of each of its partitions, if it is made"`
	Metrics  string `name:"metrics" empty:"yes" help:"address of /metrics, /status and /healthz; empty: none"`
}

func jsonTapCommand() command {
	d := jsontopic.DefaultOptions()
	o := jsonTapOptions{To: d.To, Replicas: int(d.Replicas)}
	cmd := command{
		name: "consume json", about: "keep a topic of JSON equal to the published documents, for Flink and Kafka Connect",
		long: `
A document is a JSON object with the fields of messages.proto, its key the row key, a deletion a
record without a value. Each record of docs.unique is there once (read_committed), whatever is
killed. Any number of processes with one --to share the work. docs/examples has a query of Flink SQL
and a sink of Kafka Connect.`,
		examples: `
millrace consume json --brokers kafka:9092
millrace consume json --to docs.json.2 --copies 1 --brokers kafka:9092`,
		settings: []string{"config", "brokers", "member", "group-protocol", "log-level", "log-format"}, own: &o, logOnly: true,
		section: settings.Section{Title: "The topic", Names: []string{"to TOPIC", "copies N", "metrics ADDR"}},
	}
	cmd.run = func(ctx context.Context, c *call) error {
		d.To, d.Replicas = o.To, int16(min(max(o.Replicas, 0), 1<<10))
		if err := d.Validate(); err != nil {
			return misuse("%w", err)
		}
		if c.cfg.Embedded() {
			return misuse("consume json writes into a Kafka: name it with --brokers (the broker of one process has no transactions; for files of JSON: consume jsonl)")
		}
		log, err := c.logger(c.stderr)
		if err != nil {
			return err
		}
		t, err := wire.JSONTap(ctx, c.cfg, d, log)
		if err != nil {
			return err
		}
		return c.logTap(ctx, t, o.Metrics, "topic "+d.To)
	}
	return cmd
}
