package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"text/tabwriter"

	"millrace/cmd/settings"
	"millrace/ops/deadletters"
)

// letterOptions are those of dead-letters.
type letterOptions struct {
	JSON   bool `name:"json" help:"print the answer as the API gives it"`
	Number int  `name:"number" short:"n" help:"records at most"`
}

func deadLettersCommand() command {
	o := letterOptions{Number: 20}
	cmd := command{
		name: "dead-letters", about: "records that could not be handled, and why",
		long: `
Such a record is set aside, so that its partition goes on. After the cause was mended,
millrace dead-letters put-back has it handled again.`,
		examples: `
millrace dead-letters
millrace dead-letters put-back 17`,
		settings: looking(), own: &o, section: answerSection("json", "number N"),
	}
	cmd.run = func(ctx context.Context, c *call) error {
		if o.Number < 1 || o.Number > 10_000 {
			return misuse("--number must be from 1 to 10000")
		}
		q := url.Values{"limit": {strconv.Itoa(o.Number)}}
		return show(ctx, c, "/api/v1/dead-letters", q, o.JSON, func(out struct{ Letters []deadletters.Letter }) error { return c.printLetters(out.Letters) })
	}
	return cmd
}

func (c *output) printLetters(letters []deadletters.Letter) error {
	if len(letters) == 0 {
		c.printf("There are no dead letters.\n")
		return nil
	}
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "NUMBER\tSINCE\tBY\tFROM\tKEY\tWHY\n")
	for _, l := range letters {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s/%d@%d\t%s\t%s: %s\n", l.Offset, moment(l.Since), l.Group,
			l.Topic, l.Partition, l.At, printable(l.Key), l.Kind, printable(l.Error))
	}
	return w.Flush()
}

// putBackOptions are those of dead-letters put-back.
type putBackOptions struct {
	All bool `name:"all" help:"all dead letters"`
}

func putBackCommand() command {
	var o putBackOptions
	cmd := command{
		name: "dead-letters put-back", args: "[NUMBER…]", about: "have dead letters handled again",
		examples: `
millrace dead-letters put-back 17 18
millrace dead-letters put-back --all`,
		settings: looking(), own: &o, section: settings.Section{Title: "What is put back", Names: []string{"all"}},
		most: -1,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		if o.All == (len(c.args) > 0) {
			return misuse("say which: numbers as millrace dead-letters lists them, or --all")
		}
		numbers, err := wholeNumbers(c.args)
		if err != nil {
			return err
		}
		in := struct {
			Offsets []int64 `json:"offsets,omitempty"`
			All     bool    `json:"all"`
		}{numbers, o.All}
		return c.ask(ctx, func(a *client) error {
			var out struct {
				PutBack int64 `json:"put_back"`
			}
			if err := a.post(ctx, "/api/v1/dead-letters", in, &out); err != nil {
				return err
			}
			if missing := int64(len(numbers)) - out.PutBack; missing > 0 {
				return fmt.Errorf("put back %d; %d of the numbers are no dead letters (see millrace dead-letters)", out.PutBack, missing)
			}
			c.printf("Put back: %s.\n", plural(out.PutBack, "record"))
			return nil
		})
	}
	return cmd
}

func wholeNumbers(texts []string) ([]int64, error) {
	var out []int64
	for _, t := range texts {
		n, err := strconv.ParseInt(t, 10, 64)
		if err != nil || n < 0 {
			return nil, misuse("%q is not a number as millrace dead-letters lists them", t)
		}
		out = append(out, n)
	}
	return out, nil
}
