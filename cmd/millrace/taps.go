package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"millrace/cmd/settings"
	"millrace/cmd/wire"
	"millrace/consumers/taps"
	"millrace/consumers/taps/table"
)

// tapOptions are those of a tap into files.
type tapOptions struct {
	Out      string `name:"out" help:"where the files are: a directory, or s3://bucket/folder; empty, or of the same tap"`
	Topic    string `name:"topic" help:"topic to read"`
	Group    string `name:"group" empty:"yes" help:"consumer group; empty: named after the format and the directory"`
	UntilEnd bool   `name:"until-end" help:"end when all that stands in the topic is written"`
	Metrics  string `name:"metrics" empty:"yes" help:"address of /metrics, /status and /healthz; empty: none"`
}

// tapCommand is consume NAME for a tap into files.
func tapCommand(format, about, long, topic string) command {
	o := tapOptions{Topic: topic}
	cmd := command{
		name: "consume " + format, about: about,
		long: strings.TrimSpace(long) + `

Each record is in one file, once, whatever is killed. Any number of processes with one --out share
the work. A tap on a crawl of one process is part of it (run --tap ` + format + `=DIR), or comes when it has
ended: then it reads the data directory.`,
		examples: fmt.Sprintf(`
millrace consume %[1]s --out ./%[1]s --brokers kafka:9092
millrace consume %[1]s --out /srv/%[1]s --brokers kafka:9092 --roll-every 1h --metrics 127.0.0.1:9100
millrace consume %[1]s --out ./%[1]s --data ./millrace-data --until-end    # a crawl that has ended`, format),
		settings: []string{"data", "config", "brokers", "member", "group-protocol", "log-level", "log-format", "roll-mib", "roll-every", "tap-wait"}, own: &o, logOnly: true,
		section: settings.Section{Title: "The files", Names: []string{
			"out DIR", "topic TOPIC", "group NAME", "until-end", "metrics ADDR",
		}},
	}
	cmd.run = func(ctx context.Context, c *call) error {
		spec := wire.TapSpec{Format: format, Out: o.Out, Topic: o.Topic, Group: o.Group}
		if o.Out == "" {
			return misuse("no place for the files: name one with --out")
		}
		if err := c.cfg.CheckTap(spec); err != nil {
			return misuse("%w", err)
		}
		if c.cfg.Embedded() && !hasData(c.cfg.Data) {
			return errors.New(noCrawl(c.cfg.Data))
		}
		return c.tap(ctx, spec, o)
	}
	return cmd
}

func tapCommands() []command {
	return []command{
		tapCommand("parquet", "write documents and deletions as Parquet, for SQL and data frames", `
A log of changes: a row for each record of docs.unique, with op put or delete, in directories by
day of the record and language. millrace taps snapshot makes the table of what stands now.`, "docs.unique"),
		tapCommand("warc", "write fetched pages as WARC 1.1, for web archives", `
A response (or revisit) and a request record for each page, each compressed by itself, in
directories by day. --topic files.fetched writes PDF and Office files, feeds.fetched feeds and
sitemaps.`, "pages.fetched"),
		tapCommand("links", "write the links of pages as Parquet, for the graph of the web", `
A row for each link of each version of a page, in directories by day. millrace taps graph makes
the graph of the newest versions.`, "urls.discovered"),
		tapCommand("jsonl", "write the records of a topic as lines of JSON", `
The lines of millrace topics cat, with nothing cut, gzip over the file.`, "docs.unique"),
	}
}

// tap runs a tap until ctx ends, or all is written.
func (c *call) tap(ctx context.Context, spec wire.TapSpec, o tapOptions) error {
	c.lasts = !o.UntilEnd
	log, err := c.logger(c.stderr)
	if err != nil {
		return err
	}
	t, err := wire.OpenTap(ctx, c.cfg, spec, log)
	if err != nil {
		return c.tapInUse(err, spec)
	}
	defer t.Close()
	running, stop := context.WithCancel(ctx)
	defer stop()
	served, err := t.Serve(running, o.Metrics)
	if err != nil {
		return err
	}
	c.printf("%s from %s to %s, group %s\n", spec.Format, t.Group().Reads, t.Here().Place, t.Group().Name)
	ended := make(chan error, 1)
	go func() { ended <- t.Run(running) }()
	if o.UntilEnd {
		done := make(chan error, 1)
		go func() { done <- t.Drain(running, c.tapWaits("the same command goes on where it stopped")) }()
		select {
		case err = <-done:
		case err = <-ended:
			ended <- nil
			stop()
			<-done
		}
		stop()
	}
	err = errors.Join(quiet(ctx, err), <-ended)
	stop()
	err = errors.Join(err, <-served)
	switch {
	case ctx.Err() == nil || err != nil:
		return err
	case o.UntilEnd:
		return stopped(ctx, nil, "what is written is whole, and the same command writes the rest")
	}
	c.goesOn()
	return nil
}

// goesOn says how a command that was asked to stop goes on.
func (c *output) goesOn() { c.printf("Stopped. The same command goes on.\n") }

// tapWaits tells that a tap is waited for.
func (c *call) tapWaits(goOn string) func(*taps.StuckError) {
	return func(e *taps.StuckError) {
		fmt.Fprintf(c.stderr, "millrace: waiting for the tap of %s; after %s of this it ends with an error (--tap-wait), Ctrl-C ends it now; %s\n",
			printable(oneLine(e)), c.cfg.TapWait, goOn)
	}
}

// tapInUse says how to have a tap on a crawl that runs.
func (c *call) tapInUse(err error, spec wire.TapSpec) error {
	var held *wire.InUseError
	if !errors.As(err, &held) {
		return err
	}
	return fmt.Errorf("%w: start the crawl with --tap %s=%s instead, or wait until it has ended", held, spec.Format, spec.Out)
}

// tapsOptions are those of taps.
type tapsOptions struct {
	JSON bool `name:"json" help:"print the answer as JSON"`
}

func tapsCommand() command {
	var o tapsOptions
	cmd := command{
		name: "taps", args: "DIR…", about: "how far the files of taps are",
		long: `
DIR is where a tap writes. With --brokers it is compared with the log.`,
		examples: `
millrace taps ./parquet ./links
millrace taps ./parquet --brokers kafka:9092 --json | jq .taps[].seconds_behind`,
		settings: []string{"config", "brokers"}, own: &o, logOnly: true, section: answerSection("json"), least: 1, most: -1,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		var out struct {
			Taps []taps.Status `json:"taps"`
		}
		log, err := c.logger(c.stderr)
		if err != nil {
			return err
		}
		for _, dir := range c.args {
			s, err := wire.LookAtTap(ctx, c.cfg, dir, log)
			if err != nil {
				return err
			}
			out.Taps = append(out.Taps, s)
		}
		if o.JSON {
			return c.printJSON(out)
		}
		return c.printTaps(out.Taps, !c.cfg.Embedded())
	}
	return cmd
}

func (c *output) printTaps(list []taps.Status, compared bool) error {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "PLACE\tFORMAT\tTOPIC\tGROUP\tPARTITIONS\tLAST FILE\tBEHIND\n")
	for _, s := range list {
		var last time.Time
		for _, p := range s.Partitions {
			if p.LastFile.After(last) {
				last = p.LastFile
			}
		}
		behind := "not asked (--brokers)"
		if compared {
			behind = fmt.Sprintf("%s, %s", plural(s.Records, "record"), seconds(s.Seconds))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", printable(s.Place), s.Format, s.Topic, s.Group, len(s.Partitions), moment(last), behind)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, s := range list {
		c.printErrors(s.Errors)
	}
	return nil
}

// printJSON prints a value for programs.
func (c *output) printJSON(v any) error {
	enc := json.NewEncoder(c.stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// foldAgain is said when taps snapshot or taps graph was stopped.
const foldAgain = "the result is not whole, and the same command makes it anew"

// foldOptions are those of taps snapshot and taps graph.
type foldOptions struct {
	Out  string `name:"out" help:"empty directory for the result"`
	JSON bool   `name:"json" help:"print what was read and written as JSON"`
}

func snapshotCommand() command {
	var o foldOptions
	cmd := command{
		name: "taps snapshot", args: "DIR", about: "the documents that stand now, from the files of consume parquet",
		long: `
DIR is where millrace consume parquet writes; it may go on meanwhile. The result has one file for
each partition of the topic, one row for each document, no deletions, and _SUCCESS when it is whole.`,
		examples: `
millrace taps snapshot ./parquet --out ./documents
duckdb -c "select site, count(*) from './documents/*.parquet' group by 1"`,
		own: &o, section: settings.Section{Title: "The result", Names: []string{"out DIR", "json"}}, least: 1, most: 1,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		if o.Out == "" {
			return misuse("no place for the documents: name an empty directory with --out")
		}
		sum, err := wire.Snapshot(ctx, c.args[0], o.Out)
		if err != nil {
			return stopped(ctx, err, foldAgain)
		}
		if o.JSON {
			return c.printJSON(sum)
		}
		c.printf("%s of %s in %s.\n", plural(sum.Kept, "document"), plural(sum.Rows, "row"), plural(int64(sum.Files), "file"))
		return nil
	}
	return cmd
}

// graphOptions are those of taps graph.
type graphOptions struct {
	Out      string `name:"out" help:"empty directory for the result"`
	Hosts    bool   `name:"hosts" help:"the graph of hosts, not of pages"`
	Nofollow bool   `name:"nofollow" help:"links that ask not to be followed count too"`
	MaxNodes int    `name:"max-nodes" help:"nodes at most: they are kept in memory, about 150 bytes each and 4 for each link"`
	JSON     bool   `name:"json" help:"print what was read and written as JSON"`
}

func graphCommand() command {
	d := table.DefaultGraphOptions()
	o := graphOptions{MaxNodes: d.MaxNodes}
	cmd := command{
		name: "taps graph", args: "DIR", about: "the graph of the links, from the files of consume links",
		long: `
DIR is where millrace consume links writes. Of each page the links of its newest version count.
The result is what WebGraph reads: graph.graph-txt (the number of nodes, then the successors of
each) and graph.urls (the node of each line).`,
		examples: `
millrace taps graph ./links --out ./graph
java -cp 'webgraph/*' it.unimi.dsi.webgraph.BVGraph -g ASCIIGraph graph/graph graph/compressed`,
		own: &o, section: settings.Section{Title: "The result", Names: []string{"out DIR", "hosts", "nofollow", "max-nodes N", "json"}}, least: 1, most: 1,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		if o.Out == "" || o.MaxNodes < 1 {
			return misuse("name an empty directory with --out, and at least one node with --max-nodes")
		}
		sum, err := wire.Graph(ctx, c.args[0], o.Out, table.GraphOptions{Hosts: o.Hosts, Nofollow: o.Nofollow, MaxNodes: o.MaxNodes})
		if err != nil {
			return stopped(ctx, err, foldAgain)
		}
		if o.JSON {
			return c.printJSON(sum)
		}
		c.printf("%s and %s, of %s in %s.\n", plural(int64(sum.Nodes), "node"), plural(sum.Arcs, "link"), plural(sum.Rows, "row"), plural(int64(sum.Files), "file"))
		return nil
	}
	return cmd
}
