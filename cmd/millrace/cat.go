package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"millrace/cmd/settings"
	"millrace/topics"
)

// catOptions are those of topics cat.
type catOptions struct {
	FromBeginning bool     `name:"from-beginning" help:"the first records, not the last"`
	Follow        bool     `name:"follow" short:"f" help:"what comes, until Ctrl-C; begins at the end unless a place is named"`
	Offset        int64    `name:"offset" help:"from this offset on, in one --partition; -1: not said"`
	Since         string   `name:"since" help:"from what came then on: 2026-05-01, 2026-05-01T12:00:00Z, or a duration ago such as 2h"`
	Where         []string `name:"where" help:"only records whose field has a value: doc.lang=en, doc.url~/news/, headers.reason!=gone; ~ is contains, ! is not; may be repeated, then all must hold"`
	From          string   `name:"from" help:"with --follow: go on from a position that --positions printed"`
	Positions     bool     `name:"positions" help:"with --follow: each line begins with the position after it"`
	Key           string   `name:"key" help:"only records with this key: see millrace topics for what it is"`
	Partition     int      `name:"partition" help:"only this partition; -1: all"`
	Number        int      `name:"number" short:"n" help:"records at most; -1: ten, or with --follow without end"`
	Full          bool     `name:"full" help:"long texts and bodies whole, not their beginnings"`
}

func catCommand() command {
	o := catOptions{Number: -1, Partition: -1, Offset: -1}
	cmd := command{
		name: "topics cat", args: "TOPIC", about: "records of a topic as JSON lines",
		long: `
A line has partition, offset, time, key, headers and the decoded value; a null value is a
deletion. The last ones are shown, unless a place to begin is named. Over HTTP the same is
/api/v1/topics/TOPIC and, to follow, /api/v1/topics/TOPIC/stream.`,
		examples: `
millrace topics cat urls.scheduled
millrace topics cat docs.unique --from-beginning -n 1000 | jq -r '.value.doc.title'
millrace topics cat docs.unique --follow --where doc.lang=en | jq -r .value.doc.url
millrace topics cat docs.unique --follow --since 1h --positions
millrace topics cat docs.unique --follow -n 1
millrace topics cat pages.fetched --key com.example.www --full`,
		settings: looking(), own: &o, least: 1, most: 1,
		section: answerSection("follow", "from-beginning", "offset N", "since TIME", "from POSITION", "positions", "where CONDITION", "key KEY", "partition N", "number N", "full"),
	}
	cmd.run = func(ctx context.Context, c *call) error {
		if o.Number == 0 || o.Number < -1 || o.Partition < -1 {
			return misuse("--number must be at least 1, and --partition at least 0")
		}
		if _, err := topics.Named(c.args[0]); err != nil {
			return noTopic(c.args[0])
		}
		switch {
		case o.Offset < -1:
			return misuse("--offset must be at least 0")
		case o.Offset >= 0 && o.Partition < 0:
			return misuse("--offset needs --partition: offsets are counted in each of them")
		case !o.Follow && (o.From != "" || o.Positions):
			return misuse("--from and --positions are for --follow")
		case o.Follow:
			c.lasts = true
			return c.ask(ctx, func(a *client) error { return c.followTopic(ctx, a, c.args[0], o) })
		}
		return c.ask(ctx, func(a *client) error {
			shown, err := c.cat(ctx, a, c.args[0], o.query())
			if err == nil && shown == 0 {
				c.noteNone(c.args[0], o)
			}
			return err
		})
	}
	return cmd
}

func (o catOptions) query() url.Values {
	q := url.Values{}
	if !o.Follow {
		n := o.Number
		if n < 0 {
			n = 10
		}
		q.Set("n", strconv.Itoa(n))
	}
	if o.FromBeginning {
		q.Set("from_beginning", "true")
	}
	if o.Key != "" {
		q.Set("key", o.Key)
	}
	if o.Partition >= 0 {
		q.Set("partition", strconv.Itoa(o.Partition))
	}
	if o.Full {
		q.Set("full", "true")
	}
	if o.Offset >= 0 {
		q.Set("offset", strconv.FormatInt(o.Offset, 10))
	}
	if o.Since != "" {
		q.Set("since", o.Since)
	}
	for _, w := range o.Where {
		q.Add("where", w)
	}
	return q
}

// noteNone says why nothing was shown: where it was looked for, and what a key of the topic is.
func (c *call) noteNone(topic string, o catOptions) {
	s, err := topics.Named(topic)
	if err != nil {
		return
	}
	chosen := o.Key != "" || len(o.Where) > 0
	what := "it holds nothing there"
	switch {
	case chosen && !o.FromBeginning && o.Offset < 0 && o.Since == "":
		what = "no record is like that among the last 1,000 of each partition: --from-beginning looks at all"
	case chosen:
		what = "no record is like that"
	}
	if o.Key != "" {
		what += fmt.Sprintf("; a key is: %s (a host reversed is com.example.www, a row key com.example.www:https/about)", s.Key)
	}
	fmt.Fprintf(c.stderr, "millrace: %s: %s\n", topic, what)
}

// cat prints lines as they come, and returns how many. A line that only says "error" is the end of
// an answer that failed on the way.
func (c *call) cat(ctx context.Context, a *client, topic string, q url.Values) (shown int, err error) {
	body, err := a.open(ctx, http.MethodGet, "/api/v1/topics/"+url.PathEscape(topic), q, nil)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	lines := bufio.NewReaderSize(body, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if bytes.HasPrefix(line, []byte(`{"error":`)) {
			return shown, brokenOff(line)
		}
		if _, err := c.stdout.Write(escaped(line)); err != nil {
			return shown, err
		}
		if len(line) > 0 {
			shown++
		}
		switch {
		case errors.Is(err, io.EOF):
			return shown, nil
		case err != nil:
			return shown, fmt.Errorf("the answer broke off: %w", err)
		}
	}
}

func brokenOff(line []byte) error {
	var said struct{ Error string }
	if err := json.Unmarshal(line, &said); err != nil {
		return err
	}
	return errors.New(said.Error)
}

func noTopic(name string) error {
	var known []string
	for _, t := range topics.All() {
		known = append(known, t.Name)
	}
	if n := settings.Nearest(name, known); n != "" {
		return misuse("no topic %q: did you mean %s?", name, n)
	}
	return misuse("no topic %q: there are %s", name, strings.Join(known, ", "))
}
