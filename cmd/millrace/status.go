package main

import (
	"context"

	"millrace/ops/watch"
)

func statusCommand() command {
	var o askOptions
	cmd := command{
		name: "status", about: "what was crawled, what waits, how the groups do",
		examples: `
millrace status
millrace status --json | jq .frontier`,
		settings: looking(), own: &o, section: answerSection("json"),
	}
	cmd.run = func(ctx context.Context, c *call) error {
		return c.ask(ctx, func(a *client) error {
			if o.JSON {
				return c.passOn(ctx, a, "/api/v1/status", nil)
			}
			var r watch.Report
			if err := a.get(ctx, "/api/v1/status", nil, &r); err != nil {
				return err
			}
			c.printNotices(r.Notices)
			c.printAccount(&r)
			c.printf("\n")
			c.printLag(r.Groups)
			c.printErrors(r.Errors)
			return nil
		})
	}
	return cmd
}
