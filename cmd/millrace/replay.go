package main

import (
	"context"
	"errors"
	"time"

	"millrace/cmd/settings"
	"millrace/ops/web"
)

// replayOptions are those of replay extract.
type replayOptions struct {
	From string `name:"from" help:"what was fetched then and later: 2026-05-01, 2026-05-01T12:00:00Z, or a duration ago such as 48h"`
	To   string `name:"to" help:"what was fetched before then"`
	Site string `name:"site" help:"only pages of this registrable domain"`
	New  int64  `name:"new-edition" help:"edition of the documents that are made: above that of those there are; the same goes on where it was broken off"`
	Rate int64  `name:"rate" help:"pages a second at most; 0: as fast as dedupe follows"`
	Plan bool   `name:"plan" help:"say what would be read, and do nothing"`
	JSON bool   `name:"json" help:"the plan or the end as JSON"`
}

func replayCommand() command {
	o := replayOptions{Rate: 100}
	cmd := command{
		name: "replay extract", about: "extract again what was fetched, with the rules and the program of today",
		long: `
It reads pages.fetched and files.fetched and appends a document or a deletion for every page to
docs.extracted, as a new edition; nothing is fetched. Pages that were fetched again since stay as
they are, and documents that come out equal are not published again. It says first what it will
read, and whether the log still has all of it. A crawl that runs goes on; the replay waits for dedupe
like it. Broken off, the same command goes on where it was. Links and digests are not made again.`,
		examples: `
millrace replay extract --new-edition 2 --plan
millrace replay extract --new-edition 2 --site example.org
millrace replay extract --new-edition 3 --from 48h --rate 20`,
		settings: looking(), own: &o,
		section: settings.Section{Title: "What is replayed", Names: []string{
			"from TIME", "to TIME", "site DOMAIN", "new-edition N", "rate N", "plan", "json"}},
	}
	cmd.run = func(ctx context.Context, c *call) error {
		ask, err := o.ask(time.Now())
		if err != nil {
			return err
		}
		return c.ask(ctx, func(a *client) error { return c.replay(ctx, a, ask, o.JSON) })
	}
	return cmd
}

func (o replayOptions) ask(now time.Time) (a web.ReplayAsk, err error) {
	a = web.ReplayAsk{Site: o.Site, Edition: o.New, Rate: float64(o.Rate), Plan: o.Plan}
	if o.Rate < 0 {
		return a, misuse("--rate must not be negative")
	}
	if o.New < 2 {
		return a, misuse("--new-edition: documents are replaced by those of a higher edition; the first is 1, so name 2 or more")
	}
	for _, t := range []struct {
		name, text string
		into       *time.Time
	}{{"from", o.From, &a.From}, {"to", o.To, &a.To}} {
		if t.text == "" {
			continue
		}
		if *t.into, err = web.Since(t.text, now); err != nil {
			return a, misuse("--%s: %w", t.name, err)
		}
	}
	return a, nil
}

// replay says what will be read, begins, and follows it to its end.
func (c *call) replay(ctx context.Context, a *client, ask web.ReplayAsk, asJSON bool) error {
	var r web.Replay
	plan := ask
	plan.Plan = true
	if err := a.post(ctx, "/api/v1/replay", plan, &r); err != nil {
		return err
	}
	if !asJSON {
		c.printPlan(r)
	}
	if ask.Plan {
		return c.endReplay(r, asJSON)
	}
	r = web.Replay{} // a field that an answer leaves out would stay as the plan had it
	if err := a.post(ctx, "/api/v1/replay", ask, &r); err != nil {
		return err
	}
	for said := time.Now(); r.Running; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rebuildAsked):
		}
		r = web.Replay{}
		if err := a.get(ctx, "/api/v1/replay", nil, &r); err != nil {
			return err
		}
		if !asJSON && r.Running && time.Since(said) >= rebuildSaid {
			said = time.Now()
			left := ""
			if r.SecondsLeft > 0 { // 0: not known yet
				left = ", " + seconds(r.SecondsLeft) + " left"
			}
			c.printf("%s of %s read, %s made%s\n", count(r.Read), plural(r.Total, "record"), count(r.Made), left)
		}
	}
	return c.endReplay(r, asJSON)
}

func (c *call) printPlan(r web.Replay) {
	c.printf("Reads %s, the oldest of %s, into edition %d.\n", plural(r.Total-r.Read, "record"), moment(r.NotBefore), r.Edition)
	if r.Read > 0 {
		c.printf("An earlier try of this replay has read %s already.\n", plural(r.Read, "record"))
	}
	if r.Lost {
		c.printf("The log has deleted what is older: documents of pages fetched before then stay as they are.\n")
	}
}

func (c *call) endReplay(r web.Replay, asJSON bool) error {
	if r.Error != "" {
		return errors.New(r.Error)
	}
	if asJSON {
		return c.printJSON(r)
	}
	if !r.Plan {
		c.printf("Done: %s made from %s.\n", plural2(r.Made, "document or deletion", "documents and deletions"), plural(r.Total, "record"))
	}
	return nil
}
