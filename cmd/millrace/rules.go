package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"

	"millrace/cmd/settings"
	"millrace/ops/web"
)

// listRulesOptions are those of rules list.
type listRulesOptions struct {
	JSON   bool   `name:"json" help:"print the answer as the API gives it"`
	Host   string `name:"host" help:"only rules of this host"`
	Site   string `name:"site" help:"only rules of this site"`
	Ended  bool   `name:"ended" help:"those that were removed too"`
	Number int    `name:"number" short:"n" help:"rules at most"`
}

func listRulesCommand(name string) command {
	o := listRulesOptions{Number: 100}
	cmd := command{
		name: name, about: "what operators decided: rules, pauses, removals, and the defaults",
		long: `
Rules of a host are asked before those of its site, these before those that hold everywhere, and the
defaults last. The number of URLs that each kept out is counted for the first 256 rules.`,
		examples: `
millrace rules list
millrace rules list --site example.com --json`,
		settings: looking(), own: &o, section: answerSection("json", "host HOST", "site SITE", "ended", "number N"),
	}
	cmd.run = func(ctx context.Context, c *call) error {
		if o.Number < 1 || o.Number > 1_000_000 {
			return misuse("--number must be from 1 to 1000000")
		}
		q := url.Values{"n": {strconv.Itoa(o.Number)}, "host": {o.Host}, "site": {o.Site}}
		if o.Ended {
			q.Set("ended", "true")
		}
		return show(ctx, c, "/api/v1/rules", q, o.JSON, c.printRules)
	}
	return cmd
}

func (c *output) printRules(list web.RuleList) error {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "ID\tHOLDS\tRULE\tKEPT OUT\tSINCE\n")
	for _, r := range list.Rules {
		text := printable(r.Text)
		if r.Kind == "forgotten" {
			text = "removed: " + text
		}
		if r.Error != "" {
			text += " (does not hold: " + printable(r.Error) + ")"
		}
		since := "-"
		if !r.Since.IsZero() {
			since = moment(r.Since)
		}
		if !r.Until.IsZero() {
			since += " to " + moment(r.Until)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", printable(r.ID), printable(scopeWords(r.Host, r.Site)), text, count(r.Dropped), since)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if more := list.All - len(list.Rules); more > 0 {
		c.printf("and %s more: see --number\n", count(int64(more)))
	}
	return nil
}

func scopeWords(host, site string) string {
	switch {
	case host != "":
		return host
	case site != "":
		return "site " + site
	}
	return "everywhere"
}

// ruleOptions are those of rules add and test.
type ruleOptions struct {
	JSON bool   `name:"json" help:"print the answer as the API gives it"`
	Host string `name:"host" help:"the rule holds on this host"`
	Site string `name:"site" help:"the rule holds on this site: a registrable domain and all its hosts"`
	Note string `name:"note" empty:"yes" help:"why, for those who read the list later"`
}

// ruleLanguage is the help text on how rules are written.
const ruleLanguage = `
A rule is one word and what belongs to it:

  include PATTERN            where there is an include, only what one matches is taken
  exclude PATTERN            not taken
  rewrite PATTERN -> TEXT    the match is replaced; $1 is what the first (...) matched
  fit [SCORE] PATTERN        what is looked for: fetched first, with this score
  limit N [PATTERN]          at most N such URLs of a host; those that are known already stay
  delay DURATION             at least so long between two requests; never below --delay
  recrawl DURATION [PATTERN] such pages are fetched again that often, whatever they are worth;
                             never = not again
  allow GROUP                lets images, archives, styles or media in, which are left out by default
  extract YAML               how pages are read: the fields of a rule of --rules but its domain

PATTERN is an RE2 expression, found anywhere in the URL; or glob: and a text with *, for the whole
URL, or, if it begins with /, for what follows the host. Without --host and --site a rule holds
everywhere. In one scope the first include or exclude that matches decides. A rule that contradicts
another one with the same pattern is added, and the answer names both and which of them decides.`

func addRuleCommand() command {
	var o ruleOptions
	cmd := command{
		name: "rules add", args: "RULE…", about: "add rules to the crawl, running or stopped",
		long: ruleLanguage + `

They hold in every process within five seconds, for new URLs and for those that wait; a limit
counts new URLs only (exclude ends what waits). Pages that were fetched go when their turn comes
again: millrace recheck --prefix URL hastens that.`,
		examples: `
millrace rules add 'exclude glob:/calendar/*' --site example.com
millrace rules add 'include ^https://www\.example\.com/docs/' --host www.example.com
millrace rules add 'recrawl 1h glob:/news/*' --site example.com
millrace rules add 'rewrite [?&]sid=[0-9a-f]+ -> ' --note 'session ids'`,
		settings: looking(), own: &o, section: settings.Section{Title: "Where the rules hold", Names: []string{"host HOST", "site SITE", "note TEXT", "json"}},
		least: 1, most: -1,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		var in web.RuleChange
		for _, text := range c.args {
			in.Add = append(in.Add, web.NewRule{Rule: text, Host: o.Host, Site: o.Site, Note: o.Note})
		}
		return c.changeRules(ctx, in, o.JSON)
	}
	return cmd
}

func (c *call) changeRules(ctx context.Context, in web.RuleChange, asJSON bool) error {
	return c.ask(ctx, func(a *client) error {
		var out web.RuleChanged
		if err := a.post(ctx, "/api/v1/rules", in, &out); err != nil {
			return err
		}
		if asJSON {
			return c.printJSON(out)
		}
		for i, id := range out.Added {
			c.printf("%s  %s, %s\n", id, printable(in.Add[i].Rule), scopeWords(in.Add[i].Host, in.Add[i].Site))
		}
		for _, id := range out.Removed {
			c.printf("%s  removed\n", id)
		}
		c.warnOf(out.Contradictions)
		c.printf("In force everywhere within %.0f s.\n", out.InForce)
		return nil
	})
}

// warnOf names rules that were added though they contradict others.
func (c *call) warnOf(list []web.RuleConflict) {
	for _, x := range list {
		fmt.Fprintf(c.stderr, "millrace: %s\n", printable(x.Why))
	}
}

// jsonOptions are those of commands that only choose how to answer.
type jsonOptions struct {
	JSON bool `name:"json" help:"print the answer as the API gives it"`
}

func removeRuleCommand() command {
	var o jsonOptions
	cmd := command{
		name: "rules remove", args: "ID…", about: "end rules, as millrace rules list names them",
		long: `
What they kept out comes with the next page that links to it; millrace recheck --prefix URL brings
back at once what was known before.`,
		examples: "millrace rules remove r-4fq2lmx7ka",
		settings: looking(), own: &o, section: answerSection("json"), least: 1, most: -1,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		return c.changeRules(ctx, web.RuleChange{Remove: c.args}, o.JSON)
	}
	return cmd
}

// testRuleOptions are those of rules test.
type testRuleOptions struct {
	JSON bool   `name:"json" help:"print the answer as the API gives it"`
	Host string `name:"host" help:"as if it held on this host"`
	Site string `name:"site" help:"as if it held on this site"`
}

func testRuleCommand() command {
	var o testRuleOptions
	cmd := command{
		name: "rules test", args: "RULE", about: "what a rule would change about the URLs known now, without adding it",
		long: `
It looks at up to 500,000 known URLs in the rule's scope for up to 20 seconds, and says how many it
would treat in another way, with 20 examples. Rules are written as for millrace rules add.`,
		examples: `
millrace rules test 'exclude /tag/' --site example.com
millrace rules test 'rewrite ^http:// -> https://' --json`,
		settings: looking(), own: &o, section: settings.Section{Title: "What is tested", Names: []string{"host HOST", "site SITE", "json"}},
		least: 1, most: 1,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		q := url.Values{"rule": {c.args[0]}, "host": {o.Host}, "site": {o.Site}}
		return show(ctx, c, "/api/v1/rules/test", q, o.JSON, func(t web.RuleTest) error {
			c.printTest(t)
			return nil
		})
	}
	return cmd
}

func (c *output) printTest(t web.RuleTest) {
	all := "all that are known in its scope"
	if !t.Whole {
		all = "not all: it took too long, or there are too many"
	}
	c.printf("Looked at %s (%s): %s would change.\n", plural(t.Looked, "URL"), all, count(t.Changes))
	for _, e := range t.Effects {
		c.printf("  %9s  %s\n", count(e.N), printable(e.What))
	}
	if len(t.Examples) > 0 {
		c.printf("\nSuch as\n")
	}
	for _, e := range t.Examples {
		c.printf("  %s\n      %s → %s\n", printable(e.URL), printable(e.Before), printable(e.After))
	}
}

// proposeOptions are those of rules propose.
type proposeOptions struct {
	JSON bool   `name:"json" help:"print the answer as the API gives it"`
	Host string `name:"host" help:"only for this host"`
}

func proposeCommand() command {
	var o proposeOptions
	cmd := command{
		name: "rules propose", about: "rules that the outcomes of the crawl suggest, with their evidence",
		long: "Nothing is added: take what you want with millrace rules add, after millrace rules test.",
		examples: `
millrace rules propose
millrace rules propose --host www.example.com --json`,
		settings: looking(), own: &o, section: answerSection("json", "host HOST"),
	}
	cmd.run = func(ctx context.Context, c *call) error {
		q := url.Values{"host": {o.Host}}
		return show(ctx, c, "/api/v1/rules/proposals", q, o.JSON, func(out struct{ Proposals []web.Proposal }) error {
			c.printProposals(out.Proposals)
			return nil
		})
	}
	return cmd
}

func (c *output) printProposals(list []web.Proposal) {
	if len(list) == 0 {
		c.printf("Nothing is suggested: too little was fetched, or all of it is of use.\n")
	}
	for _, p := range list {
		line := "millrace rules add " + shellWord(p.Rule)
		switch {
		case p.Host != "":
			line += " --host " + shellWord(p.Host)
		case p.Site != "":
			line += " --site " + shellWord(p.Site)
		}
		c.printf("%s\n    %s (%.0f %% sure)\n", line, printable(p.Evidence), 100*p.Confidence)
	}
}

// shellWord returns a text as one word for a shell: what comes from the web could be a command.
func shellWord(s string) string {
	s = visible(s)
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789.-:") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
