package main

import (
	"context"
	"errors"
	"fmt"
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
like it. Broken off, the same command goes on where it was, with the times that it says if yours
were durations ago; while the replay runs in a crawl, the same command follows it. Links and digests are not made again.`,
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
		return c.ask(ctx, func(a *client) error { return (&following{c, a, o}).replay(ctx, ask) })
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
		if *t.into, err = web.Since(t.text, now.Truncate(time.Second)); err != nil {
			return a, misuse("--%s: %w", t.name, err)
		}
	}
	return a, nil
}

// same is the command that goes on with a replay, in words. A time that was a duration ago is
// another one when the command is given again.
func (o replayOptions) same(ask web.ReplayAsk) string {
	words := "the same command"
	for _, t := range []struct {
		name, text string
		at         time.Time
	}{{"from", o.From, ask.From}, {"to", o.To, ask.To}} {
		if _, err := time.ParseDuration(t.text); err == nil {
			words += " with --" + t.name + " " + t.at.UTC().Format(time.RFC3339)
		}
	}
	return words
}

// following is one use of replay extract.
type following struct {
	*call
	client *client
	opts   replayOptions
}

// replay says what will be read, begins, and follows it to its end. If it runs already it is only
// followed.
func (f *following) replay(ctx context.Context, ask web.ReplayAsk) error {
	var r web.Replay
	if err := f.client.get(ctx, "/api/v1/replay", nil, &r); err != nil {
		return err
	}
	if ask.Plan || !r.Running || !r.Same(ask) {
		plan := ask
		plan.Plan, r = true, web.Replay{}
		if err := f.client.post(ctx, "/api/v1/replay", plan, &r); err != nil {
			return err
		}
		if !f.opts.JSON {
			f.printPlan(r, f.opts.same(ask))
		}
		if ask.Plan {
			return f.endReplay(r, f.opts.JSON)
		}
		r = web.Replay{} // a field that an answer leaves out would stay as the plan had it
		if err := f.client.post(ctx, "/api/v1/replay", ask, &r); err != nil {
			return stopped(ctx, err, "%s begins it, or goes on if it had begun", f.opts.same(ask))
		}
	} else if !f.opts.JSON {
		f.printf("It runs already, with %s of %s read.\n", count(r.Read), plural(r.Total, "record"))
	}
	return f.follow(ctx, r)
}

// follow says how a replay goes until it has ended.
func (f *following) follow(ctx context.Context, r web.Replay) error {
	for said := time.Now(); r.Running; {
		now, err := f.look(ctx)
		if ctx.Err() != nil {
			return f.stopped(ctx, r)
		}
		if err != nil {
			return fmt.Errorf("the process that replays does not say how it goes (if it has ended, %s goes on where it was): %w", f.opts.same(r.ReplayAsk), err)
		}
		r = now
		if !f.opts.JSON && r.Running && time.Since(said) >= rebuildSaid {
			said = time.Now()
			left := ""
			if r.SecondsLeft > 0 { // 0: not known yet
				left = ", " + seconds(r.SecondsLeft) + " left"
			}
			f.printf("%s of %s read, %s made%s\n", count(r.Read), plural(r.Total, "record"), count(r.Made), left)
		}
	}
	return f.endReplay(r, f.opts.JSON)
}

// look asks, after a pause, how the replay stands.
func (f *following) look(ctx context.Context) (r web.Replay, err error) {
	select {
	case <-ctx.Done():
		return r, ctx.Err()
	case <-time.After(rebuildAsked):
	}
	return r, f.client.get(ctx, "/api/v1/replay", nil, &r)
}

// stopped is the end of a command that was asked to stop while the replay ran.
func (f *following) stopped(ctx context.Context, r web.Replay) error {
	read := fmt.Sprintf("%s of %s read", count(r.Read), plural(r.Total, "record"))
	if f.client.here {
		return stopped(ctx, nil, "%s; %s goes on there", read, f.opts.same(r.ReplayAsk))
	}
	return stopped(ctx, nil, "%s; the replay goes on in the crawl that runs, and %s follows it there; if that crawl ends, it goes on where it was", read, f.opts.same(r.ReplayAsk))
}

// printPlan says what will be read. same is the command that goes on with it.
func (c *call) printPlan(r web.Replay, same string) {
	c.printf("Reads %s, the oldest of %s, into edition %d.\n", plural(r.Total-r.Read, "record"), moment(r.NotBefore), r.Edition)
	if r.Read > 0 {
		c.printf("An earlier try of this replay has read %s already.\n", plural(r.Read, "record"))
	}
	if same != "the same command" {
		c.printf("Broken off, %s goes on.\n", same)
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
