package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"millrace/cmd/settings"
	"millrace/cmd/wire"
	"millrace/consumers/extract/page"
	"millrace/ops/web"
)

// tryOptions are those of try.
type tryOptions struct {
	JSON  bool   `name:"json" help:"print what was found as JSON"`
	URL   string `name:"url" help:"with a file: the address it is read as, for its links and its rules"`
	Type  string `name:"type" help:"with a file: its media type, such as text/plain; otherwise by its name"`
	Learn bool   `name:"learn" help:"propose a rule of extraction from 2 to 20 pages of one site, beside what the models find"`
}

// maxTried is how much of a file is read: what is read of a page from the web.
const maxTried = 10 << 20

// nowhere is the address of a file whose own is not given.
const nowhere = "http://file.invalid/"

func tryCommand() command {
	var o tryOptions
	cmd := command{
		name: "try", args: "URL|FILE...", about: "show what would become of one page, and write nothing",
		long: `
Asks for the URL as the crawl would (robots.txt first, then the delay, then the page; no redirect
is followed; nothing while its host is paused), or reads a file, - for standard input. Says first what
the rules of the crawl in --data hold for the URL, and by which rule; then what each stage makes of
it: what robots.txt says and by which line; the answer and its headers; charset, language, title, author,
dates and text, and where each of them was found; directives, links, feeds; which rule held, and
whether the page counts as useful. It keeps the delay between its own requests, and does not wait for the
turn that a crawl beside it gives the host. Rules of extraction are tried this way:

  - domain: example.com          # it and its subdomains; the first rule that fits holds
    url: /article/[0-9]+         # regular expression over the URL; none: every page
    content: main .story         # CSS selectors; what is left out is found as on any page
    without: .share, .related    # taken out of the content
    title: h1.headline
    date: time.published
    author: .byline a
    article: true                # counts as useful; "refuse: true" makes no document of it

After a change of rules raise --edition, and a replay gives every document its new form.

--learn takes a handful of pages of one kind, and prints such a rule: selectors that find on most of
them what the models find, and beside each page how far the rule and the models agree. It is a
proposal: look at it before you use it.`,
		examples: `
millrace try https://example.com/story --contact you@example.com
millrace try --rules rules.yaml --url https://example.com/article/1 saved.html
millrace try --learn --contact you@example.com https://example.com/news/1 https://example.com/news/2
millrace try --json https://example.com/ --contact you@example.com | jq .extract.links`,
		settings: []string{"rules", "delay", "user-agent", "contact", "allow-private", "resolve", "data", "brokers", "store", "config", "log-level"},
		own:      &o, section: settings.Section{Title: "What is shown", Names: []string{"json", "url URL", "type TYPE", "learn"}},
		least: 1, most: page.MostProposed,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		if o.Learn {
			return c.learn(ctx, &o)
		}
		if len(c.args) > 1 {
			return misuse("one page at a time; --learn takes several and proposes a rule")
		}
		t, err := c.try(ctx, &o)
		if err != nil {
			return err
		}
		return c.printTrial(t, o.JSON)
	}
	return cmd
}

// try looks at what the argument names: a file, if there is one, else a URL.
func (c *call) try(ctx context.Context, o *tryOptions) (*wire.Trial, error) {
	log, err := c.logger(c.stderr)
	if err != nil {
		return nil, err
	}
	name, address := c.args[0], c.args[0]
	body, err := c.fileBytes(name)
	isFile := !errors.Is(err, os.ErrNotExist)
	if isFile && err != nil {
		return nil, err
	}
	if isFile {
		address = cmp.Or(o.URL, nowhere)
	} else if o.URL != "" || o.Type != "" {
		return nil, misuse("--url and --type are for a file, and %s is none", name)
	}
	list, err := parseSeeds([]string{address})
	if err != nil {
		return nil, err
	}
	target := list[0].URL.String()
	if isFile {
		return wire.TryPage(ctx, c.cfg, log, target, cmp.Or(o.Type, typeOf(name)), body)
	}
	if err := c.cfg.ValidateFetch(); err != nil {
		return nil, misuse("%w", err)
	}
	v, err := c.mayAsk(ctx, target)
	if err != nil {
		return nil, err
	}
	t, err := wire.TryURL(ctx, c.cfg, log, target, c.waits)
	if err == nil {
		t.Rules = v
	}
	return t, err
}

// mayAsk returns what the operators decided about a URL; an error while its host is paused.
func (c *call) mayAsk(ctx context.Context, address string) (*web.RuleVerdict, error) {
	v, err := c.decided(ctx, address)
	if err == nil && v.Paused != "" {
		err = fmt.Errorf("nothing is asked of %s while it is paused (%s): millrace resume ends that", hostOf(address), v.Paused)
	}
	return &v, err
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}

// decided returns the decision of the operators about a URL, from the crawl in the data directory
// or on the cluster; where there is no crawl, the verdict of the defaults.
func (c *call) decided(ctx context.Context, address string) (v web.RuleVerdict, err error) {
	if c.cfg.Embedded() && !hasData(c.cfg.Data) {
		return wire.DefaultVerdict(address)
	}
	err = c.ask(ctx, func(a *client) error { return a.get(ctx, "/api/v1/rules/judge", url.Values{"url": {address}}, &v) })
	return v, err
}

// printVerdict says what rules hold for a URL.
func printVerdict(b *bytes.Buffer, v *web.RuleVerdict) {
	said := "taken"
	if !v.Taken {
		said = "left out: " + strings.ReplaceAll(v.Reason, "_", " ")
	}
	if v.Fit {
		said += fmt.Sprintf(", looked for (score %g)", v.Score)
	}
	if v.Rule != "" {
		said += ", by " + v.Rule
	}
	fmt.Fprintf(b, "--- rules\n%-11s %s\n", "a link", said)
	for _, x := range [][2]string{{"rewritten", v.Rewritten}, {"by", v.RewrittenBy},
		{"not rewritten, without end", v.Endless}, {"fetched again by", v.EveryBy}, {"paused", v.Paused}} {
		if x[1] != "" {
			fmt.Fprintf(b, "%-11s %s\n", x[0], x[1])
		}
	}
	if v.Delay > 0 {
		fmt.Fprintf(b, "%-11s at least %g s\n", "delay", v.Delay)
	}
}

// typeOf is the media type that a file's name speaks of; HTML if it is silent. What
// the system adds about the charset is a guess.
func typeOf(name string) string {
	t, _, err := mime.ParseMediaType(mime.TypeByExtension(filepath.Ext(name)))
	if err != nil {
		return "text/html"
	}
	return t
}

func (c *call) fileBytes(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(c.stdin, maxTried))
	}
	if strings.Contains(name, "://") {
		return nil, os.ErrNotExist
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxTried))
}

// waits says why nothing happens for a while.
func (c *output) waits(d time.Duration) {
	if d >= 2*time.Second {
		fmt.Fprintf(c.stderr, "millrace: waiting %s: the delay between two requests to this host\n", d.Round(time.Second))
	}
}

func (c *output) printTrial(t *wire.Trial, asJSON bool) error {
	if asJSON {
		return c.printWebJSON(t)
	}
	var b bytes.Buffer
	if t.Rules != nil {
		printVerdict(&b, t.Rules)
	}
	if t.Fetch != nil {
		b.WriteString("--- fetch\n")
		if err := t.Fetch.Print(&b); err != nil {
			return err
		}
	}
	if t.Extract != nil {
		b.WriteString("--- extract\n")
		if err := t.Extract.Print(&b); err != nil {
			return err
		}
	}
	for line := range strings.Lines(b.String()) {
		c.printf("%s\n", visible(strings.TrimSuffix(line, "\n")))
	}
	return nil
}

// printWebJSON prints a value with texts from the web as JSON that cannot steer a terminal.
func (c *output) printWebJSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := c.stdout.Write(escaped(b.Bytes()))
	return err
}
