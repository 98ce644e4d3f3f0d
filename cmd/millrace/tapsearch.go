package main

import (
	"context"
	"errors"
	"fmt"

	"millrace/cmd/settings"
	"millrace/cmd/wire"
	"millrace/consumers/taps/opensearch"
)

// searchTapOptions are those of consume opensearch.
type searchTapOptions struct {
	To       string `name:"to" help:"http://host:9200 or https://host:9200"`
	Index    string `name:"index" help:"name of the index; with -progress behind it a second one notes how far it is"`
	User     string `name:"user" help:"name to log in with; its password is in MILLRACE_OPENSEARCH_PASSWORD, or in a file"`
	Password string `name:"password-file" help:"file with the password; it is read again for each request"`
	CA       string `name:"ca" help:"PEM file of the authority that signed the server's certificate"`
	Shards   int    `name:"shards" help:"shards of the index, if it is made"`
	Replicas int    `name:"copies" help:"replicas of each shard, if it is made"`
	Metrics  string `name:"metrics" empty:"yes" help:"address of /metrics, /status and /healthz; empty: none"`
}

func searchTapCommand() command {
	d := opensearch.DefaultOptions()
	o := searchTapOptions{Index: d.Index, Shards: d.Shards, Replicas: d.Replicas}
	cmd := command{
		name: "consume opensearch", about: "keep an index of OpenSearch equal to the published documents",
		long: `
An index that is not there is made with our mapping. Any number of processes with one --index share
the work; what comes twice, or late, changes nothing. A document that OpenSearch refuses becomes a
dead letter.`,
		examples: `
millrace consume opensearch --to http://opensearch:9200 --brokers kafka:9092
millrace consume opensearch --to https://os:9200 --user crawl --password-file os.secret --brokers kafka:9092`,
		settings: []string{"config", "brokers", "member", "group-protocol", "log-level", "log-format"}, own: &o, logOnly: true,
		section: settings.Section{Title: "The index", Names: []string{
			"to URL", "index NAME", "user NAME", "password-file FILE", "ca FILE", "shards N", "copies N", "metrics ADDR",
		}},
	}
	cmd.run = func(ctx context.Context, c *call) error {
		d.URL, d.Index, d.User, d.Shards, d.Replicas = o.To, o.Index, o.User, o.Shards, o.Replicas
		if err := d.Validate(); err != nil {
			return misuse("%w", err)
		}
		if c.cfg.Embedded() {
			return misuse("consume opensearch reads a Kafka: name it with --brokers (a crawl of one process opens its own with run --kafka-listen)")
		}
		return c.searchTap(ctx, d, o)
	}
	return cmd
}

func (c *call) searchTap(ctx context.Context, d opensearch.Options, o searchTapOptions) error {
	log, err := c.logger(c.stderr)
	if err != nil {
		return err
	}
	t, err := wire.OpenSearchTap(ctx, c.cfg, d, wire.SearchLogin{PasswordFile: o.Password, CAFile: o.CA, Environ: c.environ}, log)
	if err != nil {
		return err
	}
	return c.logTap(ctx, t, o.Metrics, fmt.Sprintf("index %s at %s", d.Index, d.URL))
}

// logTap runs a tap without files until ctx ends.
func (c *call) logTap(ctx context.Context, t *wire.LogTap, metrics, to string) error {
	defer t.Close()
	c.lasts = true
	running, stop := context.WithCancel(ctx)
	defer stop()
	served, err := t.Serve(running, metrics)
	if err != nil {
		return err
	}
	c.printf("docs.unique to %s, group %s\n", to, t.Group().Name)
	err = t.Run(ctx)
	stop()
	if err == nil && ctx.Err() == nil {
		err = errors.New("the member ended; start it again")
	}
	if ctx.Err() != nil {
		c.goesOn()
	}
	return errors.Join(err, <-served)
}
