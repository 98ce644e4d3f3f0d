package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"millrace/ops/web"
)

// How often a rebuild is asked how it stands, and how often that is said.
const (
	rebuildAsked = 200 * time.Millisecond
	rebuildSaid  = 5 * time.Second
)

func rebuildCommand() command {
	cmd := command{
		name: "rebuild", about: "fill a new index from docs.unique, beside the one that answers",
		long: `
A crawl that runs goes on, and searches are answered from the old index until the new one has
caught up and was found to hold the same; then it takes its place in one step. If anything goes
wrong the old one stays. Stopped, it begins again; while one runs in a crawl, the same command
follows it. On a cluster name the data directory of a process of the group index:
its part is rebuilt.`,
		examples: `
millrace rebuild
millrace rebuild --data /srv/crawl`,
		settings: looking(),
	}
	cmd.run = func(ctx context.Context, c *call) error {
		return c.ask(ctx, func(a *client) error {
			var r web.Rebuild
			if err := a.get(ctx, "/api/v1/rebuild", nil, &r); err != nil {
				return err
			}
			if r.Running {
				c.printf("It runs already, with %s read.\n", plural(r.Read, "record"))
			} else if err := a.post(ctx, "/api/v1/rebuild", struct{}{}, &r); err != nil {
				return err
			}
			return c.follow(ctx, a, r)
		})
	}
	return cmd
}

// follow says how a rebuild goes until it has ended.
func (c *call) follow(ctx context.Context, a *client, r web.Rebuild) error {
	c.printf("Filling a new index beside generation %d, which has %s.\n", r.Generation, plural(r.Docs, "document"))
	if r.Total > 0 {
		c.printf("It reads docs.unique, which keeps the last record of every document: %s at most.\n", plural(r.Total, "record"))
	}
	said := time.Now()
	for r.Running {
		select {
		case <-ctx.Done():
		case <-time.After(rebuildAsked):
		}
		err := a.get(ctx, "/api/v1/rebuild", nil, &r)
		switch {
		case ctx.Err() != nil && a.here:
			return stopped(ctx, err, "the index that was there stays, and answers; the same command begins again")
		case ctx.Err() != nil:
			return stopped(ctx, err, "the new index is filled on by the process that runs, and replaces the old one if it is right; the same command follows it there")
		case err != nil:
			return fmt.Errorf("the process that fills the new index does not say how it goes (if it has ended, the old index stays, and the same command begins again): %w", err)
		}
		if time.Since(said) >= rebuildSaid {
			said = time.Now()
			left := ""
			if r.Left > 0 {
				left = ", " + seconds(r.Left) + " left at most"
			}
			c.printf("%s read%s\n", plural(r.Read, "record"), left)
		}
	}
	if r.Error != "" {
		return errors.New(r.Error)
	}
	c.printf("Generation %d answers now: %s, made from %s.\n", r.Generation, plural(r.Docs, "document"), plural(r.Read, "record"))
	return nil
}
