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
		return show(ctx, c, "/api/v1/status", nil, o.JSON, func(r watch.Report) error {
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
