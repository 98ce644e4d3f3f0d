package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"millrace/cmd/settings"
	"millrace/consumers/rules"
	"millrace/ops/web"
	"millrace/schema"
)

// importOptions are those of rules import.
type importOptions struct {
	Nutch   string `name:"nutch" help:"regex-urlfilter.txt or regex-normalize.xml of Nutch"`
	Extract string `name:"extract" help:"YAML file of extraction rules, as for --rules of run"`
	Host    string `name:"host" help:"the rules hold on this host only"`
	Site    string `name:"site" help:"the rules hold on this site only"`
	DryRun  bool   `name:"dry-run" help:"print the rules and add none"`
	JSON    bool   `name:"json" help:"print the rules and what became of them as JSON"`
}

// maxImport bounds a file of rules, in bytes; importAtOnce is how many rules are added together.
const (
	maxImport    = 32 << 20
	importAtOnce = 1000
)

func importCommand() command {
	var o importOptions
	cmd := command{
		name: "rules import", about: "take over the rules of another crawler, or those of a --rules file",
		long: `
Of regex-urlfilter.txt each + becomes an include, each - an exclude, in their order; "> example.com"
gives the lines that follow a host or site. Of regex-normalize.xml each regex becomes a rewrite.
What RE2 cannot say, such as a reference back to a group, is reported by line and left out.`,
		examples: `
millrace rules import --nutch conf/regex-urlfilter.txt
millrace rules import --nutch conf/regex-normalize.xml --dry-run
millrace rules import --extract rules.yaml`,
		settings: looking(), own: &o,
		section: settings.Section{Title: "What is imported", Names: []string{"nutch FILE", "extract FILE", "host HOST", "site SITE", "dry-run", "json"}},
	}
	cmd.run = func(ctx context.Context, c *call) error { return c.importRules(ctx, &o) }
	return cmd
}

// imported holds the rules made from a file, and the lines that were left out.
type imported struct {
	Rules []web.NewRule `json:"rules"`
	Left  []leftOutLine `json:"left_out,omitempty"`
	Added []string      `json:"added,omitempty"`

	Contradictions []web.RuleConflict `json:"contradictions,omitempty"`
}

// leftOutLine is a line that no rule could be made of.
type leftOutLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Why  string `json:"why"`
}

func (c *call) importRules(ctx context.Context, o *importOptions) error {
	if (o.Nutch == "") == (o.Extract == "") {
		return misuse("name one file: --nutch regex-urlfilter.txt, --nutch regex-normalize.xml or --extract rules.yaml")
	}
	text, err := readRules(o.Nutch + o.Extract)
	if err != nil {
		return err
	}
	in := rules.Scope{Host: o.Host, Site: o.Site}
	var found imported
	switch {
	case o.Extract != "":
		found, err = extractRules(text)
	case bytes.HasPrefix(bytes.TrimSpace(text), []byte("<")):
		found, err = nutchNormalizers(text, in)
	default:
		found = nutchFilters(text, in)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.Nutch+o.Extract, err)
	}
	if !o.DryRun && len(found.Rules) > 0 {
		if err := c.addImported(ctx, &found); err != nil {
			return err
		}
	}
	return c.printImported(&found, o)
}

func readRules(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxImport+1))
	if err == nil && len(text) > maxImport {
		err = fmt.Errorf("%s: longer than %d bytes", name, maxImport)
	}
	return text, err
}

// addImported adds the rules, some at a time: a file may hold a million.
func (c *call) addImported(ctx context.Context, found *imported) error {
	return c.ask(ctx, func(a *client) error {
		for from := 0; from < len(found.Rules); from += importAtOnce {
			var out web.RuleChanged
			some := found.Rules[from:min(len(found.Rules), from+importAtOnce)]
			if err := a.post(ctx, "/api/v1/rules", web.RuleChange{Add: some}, &out); err != nil {
				return fmt.Errorf("after %d rules (run it again: what holds already is not added twice): %w", from, err)
			}
			found.Added = append(found.Added, out.Added...)
			found.Contradictions = append(found.Contradictions, out.Contradictions...)
		}
		return nil
	})
}

func (c *call) printImported(found *imported, o *importOptions) error {
	if o.JSON {
		return c.printJSON(found)
	}
	for _, l := range found.Left {
		fmt.Fprintf(c.stderr, "millrace: line %d is left out: %s: %s\n", l.Line, printable(l.Text), printable(l.Why))
	}
	if o.DryRun {
		for _, r := range found.Rules {
			c.printf("%s, %s\n", printable(r.Rule), printable(scopeWords(r.Host, r.Site)))
		}
		return nil
	}
	c.warnOf(found.Contradictions)
	c.printf("Added %s.\n", plural(int64(len(found.Added)), "rule"))
	if len(found.Rules) == 0 {
		return errors.New("the file holds no rule that could be taken")
	}
	return nil
}

// take adds a rule, or says why it cannot be one.
func (i *imported) take(line int, raw, text string, in rules.Scope) {
	if _, err := rules.Parse(text, in); err != nil {
		i.Left = append(i.Left, leftOutLine{line, raw, err.Error()})
		return
	}
	i.Rules = append(i.Rules, web.NewRule{Rule: text, Host: in.Host, Site: in.Site, Note: "from Nutch"})
}

// nutchFilters reads regex-urlfilter.txt: + or - and an expression on a line, the first that is
// found in a URL decides; "> HOST" says whose the lines up to "<" are.
func nutchFilters(text []byte, in rules.Scope) imported {
	var out imported
	scope := in
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 64<<10)
	n := 1
	for ; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		switch line[0] {
		case '#', ' ':
		case '+':
			out.take(n, line, "include "+line[1:], scope)
		case '-':
			out.take(n, line, "exclude "+line[1:], scope)
		case '>':
			scope = scopeNamed(strings.TrimSpace(line[1:]))
		case '<':
			scope = in
		default:
			out.Left = append(out.Left, leftOutLine{n, line, "a line begins with +, -, >, < or #"})
		}
	}
	if lines.Err() != nil {
		out.Left = append(out.Left, leftOutLine{n, "", lines.Err().Error()})
	}
	return out
}

// scopeNamed is a site, or a host of one.
func scopeNamed(name string) rules.Scope {
	name = strings.ToLower(name)
	if string(schema.SiteOf(name)) == name {
		return rules.Scope{Site: name}
	}
	return rules.Scope{Host: name}
}

// nutchNormalizers reads regex-normalize.xml.
func nutchNormalizers(text []byte, in rules.Scope) (imported, error) {
	var out imported
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		start, ok := t.(xml.StartElement)
		if !ok || start.Name.Local != "regex" {
			continue
		}
		line, _ := d.InputPos()
		var r struct {
			Pattern      string `xml:"pattern"`
			Substitution string `xml:"substitution"`
		}
		if err := d.DecodeElement(&r, &start); err != nil {
			return out, err
		}
		pattern := strings.TrimSpace(r.Pattern)
		out.take(line, pattern, "rewrite "+pattern+" -> "+strings.TrimSpace(r.Substitution), in)
	}
}
