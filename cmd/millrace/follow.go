package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// followTopic prints records as they come, until there were as many as wanted, ctx ends, or who
// answers goes.
func (c *call) followTopic(ctx context.Context, a *client, topic string, o catOptions) error {
	asked := *a
	asked.last = o.From
	body, err := asked.open(ctx, http.MethodGet, "/api/v1/topics/"+url.PathEscape(topic)+"/stream", o.query(), nil)
	if err != nil {
		return err
	}
	defer body.Close()
	lines := bufio.NewReaderSize(body, 64<<10)
	position, event := "", ""
	for shown := 0; o.Number < 0 || shown < o.Number; {
		line, err := lines.ReadBytes('\n')
		if ctx.Err() != nil {
			return nil // it was asked to stop
		}
		if err != nil {
			return brokeOff(err, position)
		}
		name, value, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(": "))
		switch {
		case string(name) == "id":
			position = string(value)
		case string(name) == "event":
			event = string(value)
		case len(line) == 1: // the end of an event
			event = ""
		case string(name) == "data" && event == "error":
			return brokeOff(errors.New(string(value)), position)
		case string(name) == "data" && event == "lost":
			c.noteLost(topic, value)
		case string(name) == "data":
			if o.Positions {
				c.printf("%s\t", position)
			}
			if _, err := c.stdout.Write(append(escaped(value), '\n')); err != nil {
				return err
			}
			shown++
		}
	}
	return nil
}

// noteLost says which records a position asked for that the log no longer has.
func (c *call) noteLost(topic string, event []byte) {
	var gone struct {
		Partition int32
		From, To  int64
	}
	if err := json.Unmarshal(event, &gone); err == nil {
		fmt.Fprintf(c.stderr, "millrace: partition %d of %s begins at offset %d now: what was from %d on is deleted\n", gone.Partition, topic, gone.To, gone.From)
	}
}

// brokeOff says how to go on.
func brokeOff(err error, position string) error {
	if position == "" {
		return fmt.Errorf("the answer broke off: %w", err)
	}
	return fmt.Errorf("the answer broke off: %w; go on with --from %s", err, position)
}
