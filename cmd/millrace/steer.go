package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"millrace/cmd/settings"
	"millrace/ops/web"
)

// pauseOptions are those of pause and resume.
type pauseOptions struct {
	JSON bool   `name:"json" help:"print the answer as the API gives it"`
	Host string `name:"host" help:"only this host"`
	Site string `name:"site" help:"only this site: a registrable domain and all its hosts"`
	Note string `name:"note" empty:"yes" help:"why, for those who read the list later"`
}

func pauseCommand() command {
	var o pauseOptions
	cmd := command{
		name: "pause", about: "stop fetching from a host, a site, or everywhere, until millrace resume",
		long: `
What was fetched is still read and indexed, and what is found waits. A pause is kept over restarts;
millrace status and millrace rules list show it. It holds within five seconds.`,
		examples: `
millrace pause
millrace pause --site example.com --note 'they asked us to wait'`,
		settings: looking(), own: &o, section: settings.Section{Title: "What is paused", Names: []string{"host HOST", "site SITE", "note TEXT", "json"}},
	}
	cmd.run = func(ctx context.Context, c *call) error {
		return c.pause(ctx, web.PauseCall{Host: o.Host, Site: o.Site, Note: o.Note}, o.JSON)
	}
	return cmd
}

// resumeOptions are those of resume.
type resumeOptions struct {
	JSON bool   `name:"json" help:"print the answer as the API gives it"`
	Host string `name:"host" help:"end the pause of this host"`
	Site string `name:"site" help:"end the pause of this site"`
}

func resumeCommand() command {
	var o resumeOptions
	cmd := command{
		name: "resume", about: "end a pause, as it was made",
		long: "A host that is paused by itself stays so when the pause of its site or of the crawl ends.",
		examples: `
millrace resume
millrace resume --site example.com`,
		settings: looking(), own: &o, section: settings.Section{Title: "What is resumed", Names: []string{"host HOST", "site SITE", "json"}},
	}
	cmd.run = func(ctx context.Context, c *call) error {
		return c.pause(ctx, web.PauseCall{Host: o.Host, Site: o.Site, Resume: true}, o.JSON)
	}
	return cmd
}

func (c *call) pause(ctx context.Context, in web.PauseCall, asJSON bool) error {
	return c.ask(ctx, func(a *client) error {
		var out web.Decided
		if err := a.post(ctx, "/api/v1/pause", in, &out); err != nil {
			return err
		}
		if asJSON {
			return c.printJSON(out)
		}
		word := "Paused"
		if in.Resume {
			word = "Resumed"
		}
		c.printf("%s %s, in every process within %.0f s.\n", word, printable(out.Text), out.InForce)
		if out.Note != "" {
			c.printf("%s\n", printable(out.Note))
		}
		return nil
	})
}

// forgetOptions are those of forget.
type forgetOptions struct {
	JSON    bool   `name:"json" help:"print the answer as the API gives it"`
	Prefix  bool   `name:"prefix" help:"everything below the URLs too: of /a, /a/b and /a?b, not /ab"`
	Site    string `name:"site" help:"a whole site instead of URLs"`
	Content bool   `name:"content" help:"the texts never come back: under no URL of their site, also after --lift"`
	Lift    bool   `name:"lift" help:"let come back what was removed so, and fetch again what is known of it"`
	Note    string `name:"note" empty:"yes" help:"why, for those who read the list later"`
}

func forgetCommand() command {
	var o forgetOptions
	cmd := command{
		name: "forget", args: "[URL…]", about: "take pages out of search for good, and keep them out",
		long: `
They are out of search within ten seconds of a crawl that runs, are not fetched any more, and do not come
back by themselves: not through links, seeds, sitemaps or rechecks, and not if they were unknown until
now. http and https count as one. millrace rules list shows what was removed.`,
		examples: `
millrace forget https://example.com/people/jane
millrace forget --prefix https://example.com/private/ --note 'ticket 4711'
millrace forget --lift --prefix https://example.com/private/`,
		settings: looking(), own: &o, most: -1,
		section: settings.Section{Title: "What is removed", Names: []string{"prefix", "site SITE", "content", "lift", "note TEXT", "json"}},
	}
	cmd.run = func(ctx context.Context, c *call) error {
		switch {
		case (len(c.args) == 0) == (o.Site == ""):
			return misuse("name URLs, or a site with --site")
		case o.Lift && o.Content:
			return misuse("--content is for what never comes back: it goes without --lift")
		case o.Prefix && o.Site != "":
			return misuse("--site is everything of a site already: it goes without --prefix")
		}
		if _, err := parseSeeds(c.args); err != nil {
			return err
		}
		return c.forget(ctx, web.ForgetCall{URLs: withScheme(c.args), Site: o.Site, Prefix: o.Prefix, Content: o.Content, Lift: o.Lift, Note: o.Note}, o.JSON)
	}
	return cmd
}

func (c *call) forget(ctx context.Context, in web.ForgetCall, asJSON bool) error {
	return c.ask(ctx, func(a *client) error {
		var out web.Forgotten
		if err := a.post(ctx, "/api/v1/forget", in, &out); err != nil {
			return err
		}
		if asJSON {
			return c.printJSON(out)
		}
		word := "Removed, and kept out"
		if in.Lift {
			word = "May come back"
		}
		for _, d := range out.Decided {
			c.printf("%s: %s\n", word, printable(d.Text))
		}
		if len(out.SameText) > 0 {
			c.printf("Their texts are also found under other URLs; --content takes them out under every URL of the site:\n")
		}
		for _, url := range out.SameText {
			c.printf("  %s\n", printable(url))
		}
		if out.Note != "" {
			note := out.Note
			if !in.Lift {
				note = strings.Replace(note, "this will be fetched", "what is indexed goes", 1)
			}
			c.printf("%s\n", note)
		}
		return nil
	})
}

// urlsOptions are those of urls.
type urlsOptions struct {
	JSON   bool   `name:"json" help:"print the answer as the API gives it"`
	Number int    `name:"number" short:"n" help:"URLs at most"`
	After  string `name:"after" help:"go on after this row key, as the last answer names it"`
}

func urlsCommand() command {
	o := urlsOptions{Number: 100}
	cmd := command{
		name: "urls", args: "PREFIX", about: "the URLs known below a prefix, in order: status, when due, class, score, who links",
		long: `
PREFIX is the beginning of a URL, or a host, which stands for it and all hosts below it. Classes: 0
now, 1 retry, 2-3 looked for, 4-5 due again, 6-7 the rest. SITES and PAGES say how many link to it,
its own site among them; millrace why says which.`,
		examples: `
millrace urls https://example.com/news/
millrace urls example.com -n 1000 --json | jq -r '.urls[].url'`,
		settings: looking(), own: &o, section: answerSection("json", "number N", "after KEY"), least: 1, most: 1,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		if o.Number < 1 || o.Number > 10_000 {
			return misuse("--number must be from 1 to 10000")
		}
		q := url.Values{"prefix": {c.args[0]}, "after": {o.After}, "n": {strconv.Itoa(o.Number)}}
		return show(ctx, c, "/api/v1/urls", q, o.JSON, c.printURLs)
	}
	return cmd
}

func (c *output) printURLs(list web.URLList) error {
	if len(list.URLs) == 0 {
		c.printf("No URL is known there.\n")
		return nil
	}
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "STATUS\tDUE\tCLASS\tSCORE\tSITES\tPAGES\tURL\n")
	for _, u := range list.URLs {
		status, due := u.Status, "never"
		if u.Reason != "" {
			status += " (" + strings.ReplaceAll(u.Reason, "_", " ") + ")"
		}
		if !u.Due.IsZero() {
			due = moment(u.Due)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%.2g\t%d\t%d\t%s\n", printable(status), due, u.Class, u.Score, u.LinkingSites, u.LinkingPages,
			printable(u.URL))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if list.Next != "" {
		c.printf("There may be more: --after '%s'\n", printable(list.Next))
	}
	return nil
}

// hostsOptions are those of hosts.
type hostsOptions struct {
	JSON   bool   `name:"json" help:"print the answer as the API gives it"`
	Sort   string `name:"sort" help:"what there is most of comes first: waiting, urls, errors or useful"`
	Site   string `name:"site" help:"only hosts of this site"`
	Number int    `name:"number" short:"n" help:"hosts at most"`
}

func hostsCommand() command {
	o := hostsOptions{Number: 20, Sort: "waiting"}
	cmd := command{
		name: "hosts", about: "the hosts of the crawl, and what each of them waits for",
		examples: `
millrace hosts
millrace hosts --sort errors -n 50 --json`,
		settings: looking(), own: &o, section: answerSection("json", "sort ORDER", "site SITE", "number N"),
	}
	cmd.run = func(ctx context.Context, c *call) error {
		orders := []string{"waiting", "urls", "errors", "useful"}
		if !slices.Contains(orders, o.Sort) {
			near := ""
			if n := settings.Nearest(o.Sort, orders); n != "" {
				near = ": did you mean " + n + "?"
			}
			return misuse("--sort: %q is none of %s%s", o.Sort, strings.Join(orders, ", "), near)
		}
		if o.Number < 1 || o.Number > 10_000 {
			return misuse("--number must be from 1 to 10000")
		}
		q := url.Values{"sort": {o.Sort}, "site": {o.Site}, "n": {strconv.Itoa(o.Number)}}
		return show(ctx, c, "/api/v1/hosts", q, o.JSON, c.printHosts)
	}
	return cmd
}

// pagesBy lists how many pages of a host are fetched again at which intervals: "1 day: 30, more:
// 2".
func pagesBy(list []web.IntervalGroup) string {
	var words []string
	for _, g := range list {
		name := strings.TrimSuffix(strings.TrimPrefix(g.Name, "up to "), ", or never")
		words = append(words, name+": "+count(g.Pages))
	}
	return cmp.Or(strings.Join(words, ", "), "none")
}

func (c *output) printHosts(list web.HostList) error {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "HOST\tWAITING\tURLS\tFETCHED\tUSEFUL\tERRORS\tRE-CRAWL\tPAGES BY INTERVAL\tWAITS FOR\n")
	for _, h := range list.Hosts {
		every := "never"
		if h.Every > 0 {
			every = "every " + age(h.Every)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", printable(h.Host), count(h.Waiting), count(h.URLs), count(h.Fetched),
			count(h.Useful), count(h.Errors), every, pagesBy(h.Intervals), printable(h.Why))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if more := list.All - int64(len(list.Hosts)); more > 0 {
		c.printf("and %s more: see --number\n", count(more))
	}
	return nil
}
