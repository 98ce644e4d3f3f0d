package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"millrace/topics"
)

func topicsCommand() command {
	return command{
		name: "topics", about: "the map: topics, groups, who waits for whom",
		long:     "It describes this program, not a running crawl: millrace topics cat reads records.",
		examples: "millrace topics",
		run:      func(_ context.Context, c *call) error { return c.printMap() },
	}
}

// listOptions are those of topics list.
type listOptions struct {
	JSON bool `name:"json" help:"as JSON"`
}

func topicListCommand() command {
	var o listOptions
	return command{
		name: "topics list", about: "the topics: what they carry, how long they keep it, who writes and reads them",
		long:     "It describes this program; millrace topics cat reads records.",
		examples: "millrace topics list\nmillrace topics list --json | jq -r '.[].name'",
		own:      &o, section: answerSection("json"),
		run: func(_ context.Context, c *call) error {
			if o.JSON {
				return c.printTopicsJSON()
			}
			w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
			printTopics(w)
			return w.Flush()
		},
	}
}

// listed is a topic for programs.
type listed struct {
	Name    string   `json:"name"`
	Message string   `json:"message"`
	Key     string   `json:"key"`
	Kept    string   `json:"kept"`
	Writers []string `json:"writers"`
	Readers []string `json:"readers"`
	About   string   `json:"about"`
}

func (c *output) printTopicsJSON() error {
	out := []listed{}
	for _, t := range topics.All() {
		out = append(out, listed{t.Name, t.Message, t.Key, kept(t), writers(t.Name), readers(t.Name), t.About})
	}
	return json.NewEncoder(c.stdout).Encode(out)
}

func (c *output) printMap() error {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	printTopics(w)
	fmt.Fprintf(w, "\t\t\t\t\t\nGROUP\tREADS\tWRITES\tWAITS FOR\tWHAT IT DOES\n")
	for _, g := range topics.Groups() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", g.Name, g.Reads, list(g.Writes), list(g.WaitsFor()), g.About)
	}
	return w.Flush()
}

func printTopics(w io.Writer) {
	fmt.Fprintf(w, "TOPIC\tCARRIES\tKEY\tKEPT\tWRITTEN BY\tREAD BY\n")
	for _, t := range topics.All() {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.Name, strings.TrimPrefix(t.Message, "millrace.v1."), t.Key, kept(t),
			list(writers(t.Name)), list(readers(t.Name)))
	}
}

// kept says for how long a topic keeps a record on a cluster.
func kept(t topics.Spec) string {
	if t.Retention == 0 {
		return "per key"
	}
	return fmt.Sprintf("%.0f d", t.Retention.Hours()/24)
}

func writers(topic string) []string {
	var out []string
	for _, p := range topics.Producers() {
		if p.Writes == topic {
			out = append(out, p.Name)
		}
	}
	for _, g := range topics.Groups() {
		if slices.Contains(g.Writes, topic) {
			out = append(out, g.Name)
		}
	}
	return out
}

func readers(topic string) []string {
	var out []string
	for _, g := range topics.Groups() {
		if g.Reads == topic {
			out = append(out, g.Name)
		}
	}
	return out
}

func list(words []string) string {
	if s := strings.Join(words, ", "); s != "" {
		return s
	}
	return "-"
}
