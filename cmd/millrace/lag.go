package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"millrace/ops/watch"
	"millrace/streams"
)

func lagCommand() command {
	var o askOptions
	cmd := command{
		name: "lag", about: "how far every group is behind, and why",
		long: `
Behind is the age of the oldest record that is not done, 0 when idle; records how many there
are; per second how many are done; done in the time until nothing is left at that speed, for
a group that does not keep up. The verdict tells a group that is behind because hosts are
given their time from one that is slow or stands still. Groups of other programs that read
the topics follow; nobody waits for them.`,
		examples: `
millrace lag
millrace lag --json | jq '.groups[] | {group, records, seconds}'`,
		settings: looking(), own: &o, section: answerSection("json"),
	}
	cmd.run = func(ctx context.Context, c *call) error {
		return show(ctx, c, "/api/v1/lag", nil, o.JSON, func(lag struct {
			Groups  []watch.Edge
			Notices []watch.Notice
			Errors  []string
			Readers []streams.GroupLag
		}) error {
			c.printNotices(lag.Notices)
			c.printLag(lag.Groups)
			c.printReaders(lag.Readers)
			c.printErrors(lag.Errors)
			return nil
		})
	}
	return cmd
}

// printLag writes the groups as a table.
func (c *output) printLag(groups []watch.Edge) {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "group\tbehind\trecords\tper second\tdone in\t  verdict\n")
	for _, g := range groups {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t  %s\n", g.Group, seconds(g.Seconds), count(g.Records),
			orDash(g.Out, rate), orDash(g.Left(), seconds), g.Verdict)
	}
	w.Flush()
}

// printReaders writes groups of other programs as a table.
func (c *output) printReaders(groups []streams.GroupLag) {
	if len(groups) == 0 {
		return
	}
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\nother reader\tbehind\trecords\t  topic\n")
	for _, g := range groups {
		fmt.Fprintf(w, "%s\t%s\t%s\t  %s\n", printable(g.Group), seconds(g.Seconds), count(g.Records), g.Topic)
	}
	w.Flush()
}

// orDash writes a number that may not be known.
func orDash(n *float64, as func(float64) string) string {
	if n == nil {
		return "-"
	}
	return as(*n)
}

// printNotices writes what users must know, one line each.
func (c *output) printNotices(list []watch.Notice) {
	for _, n := range list {
		c.printf("note: %s\n", printable(n.Text))
	}
}

// printErrors says on standard error what an answer lacks.
func (c *output) printErrors(errs []string) {
	for _, e := range errs {
		fmt.Fprintf(c.stderr, "millrace: incomplete: %s\n", e)
	}
}

// moment writes a time for people, in their zone.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}
