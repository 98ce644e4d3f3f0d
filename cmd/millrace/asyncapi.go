package main

import (
	"context"

	"millrace/ops/asyncapi"
)

func asyncapiCommand() command {
	return command{
		name: "topics asyncapi", about: "the topics as an AsyncAPI 3 document, for tools and generators",
		long: `
JSON, made from the map that the program itself works with: a channel for each topic with its key and
how long records are kept, and a message for each kind of record, whose payload is the .proto file. A
running process answers with it at /api/v1/asyncapi.json.`,
		examples: "millrace topics asyncapi > millrace.asyncapi.json",
		run:      func(_ context.Context, c *call) error { return c.printJSON(asyncapi.Document()) },
	}
}
