package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"millrace/cmd/settings"
	"millrace/cmd/wire"
	"millrace/topics"
)

// clustered names the settings of every process of a cluster.
func clustered(more ...string) []string {
	return slices.Concat(looking(), access(), []string{"log-level", "log-format"}, more)
}

func provisionCommand() command {
	return command{
		name: "provision", about: "make topics, keyspace and tables on a cluster, or check them",
		long: `
It looks at everything first and makes nothing if something cannot work. It only adds: running it
again is harmless, and a layout that differs is refused. There are as many copies of records and
rows as brokers and nodes allow, three at most.`,
		examples: `
millrace provision --brokers kafka:9092 --store cql://scylla:9042/millrace
millrace provision --brokers kafka:9092 --store cql://scylla:9042/millrace --partitions 256`,
		settings: clustered("partitions", "doc-partitions", "replicas"),
		run: func(ctx context.Context, c *call) error {
			if c.cfg.Embedded() {
				return misuse("provision is for clusters: give --brokers and --store; millrace run makes what it needs by itself")
			}
			log, err := c.logger(c.stderr)
			if err != nil {
				return err
			}
			p, err := wire.Provision(ctx, c.cfg, log)
			if err != nil {
				return stopped(ctx, err, "some topics and tables may be made and others not; the same command makes the rest")
			}
			c.printf("Ready: %d partitions by host, %d by site; %s of every record on %s, %s of every row on %s.\n",
				p.Layout.PerHost, p.Layout.PerSite, plural2(int64(p.Layout.Replicas), "copy", "copies"), plural(int64(p.Brokers), "broker"),
				plural2(int64(p.Copies), "copy", "copies"), plural(int64(p.Nodes), "node"))
			if p.MayLose {
				c.printf("Note: %s.\n", wire.StoreMayLose)
			}
			if len(p.Lacked) > 0 {
				c.printf("Note: the store lacked %s, and has them now, empty. After an update of millrace that is right; "+
					"else somebody dropped them, and what they held is lost: restore a backup of the keyspace, or begin the crawl anew.\n", strings.Join(p.Lacked, ", "))
			}
			return nil
		},
	}
}

func consumeCommand() command {
	return command{
		name: "consume", args: "GROUP…", about: "be a member of consumer groups on a cluster",
		long: "Groups: " + strings.Join(topics.GroupNames(), ", ") + `; all names all
of them. Start as many processes as you like, and stop any at any time: the others take over. Each
serves its own dashboard, and a search page over the whole index, if those in the group index name
an address for it with --peers.`,
		examples: `
millrace consume fetch extract --brokers kafka:9092 --store cql://scylla:9042/millrace --contact you@example.com
millrace consume index --peers 10.0.0.7:8090 --brokers kafka:9092 --store cql://scylla:9042/millrace
millrace consume all --config /etc/millrace.yaml`,
		settings: slices.DeleteFunc(everything(), func(n string) bool {
			return slices.Contains([]string{"until-idle", "idle-wait", "no-index", "tap", "roll-mib", "roll-every", "tap-wait"}, n) || strings.HasPrefix(n, "kafka-listen") || n == "kafka-advertise"
		}),
		least: 1, most: -1,
		run: func(ctx context.Context, c *call) error {
			names, err := groupNames(c.args)
			if err != nil {
				return err
			}
			if c.cfg.Embedded() {
				return misuse("consume is for clusters: give --brokers and --store; millrace run has all groups in one process")
			}
			if err := c.cfg.ValidateFetch(); err != nil && slices.Contains(names, "fetch") {
				return misuse("%w", err)
			}
			return c.attend(ctx, names)
		},
	}
}

func groupNames(args []string) ([]string, error) {
	known := topics.GroupNames()
	if slices.Equal(args, []string{"all"}) {
		return known, nil
	}
	for i, a := range args {
		if !slices.Contains(known, a) {
			near := ""
			if n := settings.Nearest(a, slices.Concat(known, wire.TapFormats())); n != "" {
				near = ": did you mean " + n + "?"
			}
			return nil, misuse("no group %q%s (groups: %s)", a, near, strings.Join(known, ", "))
		}
		if slices.Contains(args[:i], a) {
			return nil, misuse("group %s is named twice", a)
		}
	}
	return args, nil
}

func serveCommand() command {
	return command{
		name: "serve", about: "serve search page, dashboard and API, without crawling",
		long: `
Over a data directory that is not in use: what was crawled can be searched. On a cluster:
the dashboard of the whole, and search over the parts of the index of all processes that
name an address for it with --peers.`,
		examples: `
millrace serve --data /srv/crawl --listen 127.0.0.1:8081
millrace serve --brokers kafka:9092 --store cql://scylla:9042/millrace`,
		settings: clustered("listen", "serve-name", "public-search", "kafka-listen", "kafka-advertise", "kafka-listen-cert", "kafka-listen-key"),
		run: func(ctx context.Context, c *call) error {
			if c.cfg.Embedded() && !hasData(c.cfg.Data) {
				return errors.New(noCrawl(c.cfg.Data))
			}
			return c.attend(ctx, nil)
		},
	}
}

// attend serves the site and runs groups until ctx ends.
func (c *call) attend(ctx context.Context, names []string) error {
	c.lasts = true
	sys, site, err := c.openBoth(ctx, c.cfg, c.stderr)
	if err != nil {
		return c.inUse(err)
	}
	c.greet(site.server.Addr())
	c.greetReaders(sys.Door())
	ended := make(chan error, 1)
	asked := ctx
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	go func() {
		err := sys.Run(ctx, names...)
		if err != nil {
			giveUp()
		}
		<-ctx.Done() // without groups it returns at once
		ended <- err
	}()
	<-ctx.Done()
	c.printf("finishing what is in hand; Ctrl-C again ends at once\n")
	return finish(site, ended, sys.Close, func() error {
		if asked.Err() != nil && len(names) > 0 {
			c.goesOn()
		}
		return nil
	})
}
