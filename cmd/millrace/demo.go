package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"millrace/cmd/wire"
	"millrace/ops/simweb"
	"millrace/ops/simweb/world"
)

// demoOptions are those of demo.
type demoOptions struct {
	Profile string        `name:"profile" help:"the web to make up: news or university"`
	Data    string        `name:"data" empty:"yes" help:"keep everything in this directory; none: a temporary one, removed at the end"`
	Delay   time.Duration `name:"delay" help:"least time between the starts of two requests to a host"`
}

func demoCommand() command {
	o := demoOptions{Profile: "news", Delay: 200 * time.Millisecond}
	cmd := command{
		name: "demo", about: "crawl a small made-up web, in this process and without a network",
		long: `
Search page and dashboard are there at once, and it says what to try. The web has 12 host names in
English, Russian and Chinese, some 1,500 pages, with redirects, copies, slow hosts and new
articles; at the default delay a crawl of it takes a few minutes. Nothing leaves the machine.
With --data the demo is kept and goes on with the same web when it is started again.`,
		examples: `
millrace demo
millrace demo --profile university --listen 127.0.0.1:0
millrace demo --data ./demo-data`,
		settings: []string{"listen", "serve-name", "public-search", "log-level", "log-format"}, own: &o,
		section: answerSection("profile NAME", "data DIR", "delay DURATION"),
	}
	cmd.section.Title = "The demo"
	cmd.run = func(ctx context.Context, c *call) error { return (&crawl{call: c}).beginDemo(ctx, o) }
	return cmd
}

// beginDemo is the command demo.
func (c *crawl) beginDemo(ctx context.Context, o demoOptions) error {
	dir, discard, err := demoDir(o.Data)
	if err != nil {
		return err
	}
	defer discard()
	w, err := demoWeb(dir, o.Profile)
	if err != nil {
		return err
	}
	origin, err := simweb.Serve(w, simweb.DefaultServe())
	if err != nil {
		return err
	}
	c.cfg = demoConfig(c.cfg, dir, o.Delay, origin.Addr())
	c.goOn = "What the demo kept is removed now; with --data DIR it stays."
	if o.Data != "" {
		c.goOn = "The same command continues."
	}
	return errors.Join(c.tour(ctx, w), origin.Close())
}

// demoDir is where the demo lives, and what to do about it at the end.
func demoDir(kept string) (dir string, discard func(), err error) {
	if kept != "" {
		return kept, func() {}, os.MkdirAll(kept, 0o700)
	}
	if dir, err = os.MkdirTemp("", "millrace-demo-"); err != nil {
		return "", nil, err
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// demoConfig takes of the user's settings only those the command has: a variable
// or file made for a real crawl must not lead this one to a cluster.
func demoConfig(user wire.Config, dir string, delay time.Duration, origin string) wire.Config {
	cfg := wire.DefaultConfig()
	cfg.Listen, cfg.LogLevel, cfg.LogFormat = user.Listen, user.LogLevel, user.LogFormat
	cfg.ServeNames, cfg.Public = user.ServeNames, user.Public
	cfg.Data, cfg.Delay = dir, delay
	cfg.AllowPrivate, cfg.Resolve = true, []string{"*.test=" + origin}
	return cfg
}

// demoSeed makes a web whose hosts have all three languages and very different
// sizes.
const demoSeed = 8

// demoWeb is the web of a directory, made up at its first use. It is a function
// of profile, seed and the time it began: these are kept, so that a crawl that
// is continued finds the web it knows.
func demoWeb(dir, name string) (*simweb.World, error) {
	name, began, err := demoBegan(dir, name)
	if err != nil {
		return nil, err
	}
	p, err := simweb.Load(name)
	if err != nil {
		return nil, err
	}
	opts := simweb.DefaultOptions()
	opts.Start = began
	return simweb.Build(small(p), demoSeed, opts)
}

// demoBegan reads what was kept of a demo, or keeps it.
func demoBegan(dir, name string) (profile string, began time.Time, err error) {
	path := filepath.Join(dir, "demo")
	kept, err := os.ReadFile(path)
	switch {
	case err == nil:
		var at int64
		if _, err := fmt.Sscan(string(kept), &name, &at); err != nil {
			return "", began, fmt.Errorf("%s is not what a demo keeps: %w", path, err)
		}
		return name, time.Unix(at, 0).UTC(), nil
	case !errors.Is(err, os.ErrNotExist):
		return "", began, err
	case hasData(dir):
		return "", began, fmt.Errorf("%s holds a crawl that is no demo: name another directory with --data", dir)
	case name != "news" && name != "university":
		return "", began, misuse("no demo of %q: there are news and university", name)
	}
	began = time.Now().UTC().Truncate(time.Second)
	return name, began, os.WriteFile(path, fmt.Appendf(nil, "%s %d\n", name, began.Unix()), 0o600)
}

// small is a profile cut down to what is crawled while somebody looks on: some
// 1,500 pages, of which the greatest host, at five a second, takes two minutes.
func small(p simweb.Profile) simweb.Profile {
	p.Hosts, p.HostsPerSite = 12, 2
	p.Pages.Min, p.Pages.Max = 25, 300
	p.Size.Median, p.Size.Max = 12_000, 60_000
	p.History, p.Items.Every = time.Hour, 3*time.Minute
	return p
}

// tour crawls the web and says what there is to see.
func (c *crawl) tour(ctx context.Context, w *simweb.World) error {
	list, err := parseSeeds(w.Seeds(w.HostCount(), ""))
	if err != nil {
		return err
	}
	view := newView(c.stdout)
	sys, site, err := c.openBoth(ctx, c.cfg, view.beside(c.stderr))
	if err != nil {
		return c.inUse(err)
	}
	c.printf("A web of %d host names, made up in this process; nothing leaves the machine.\n", w.HostCount())
	c.printf("Status counts http and https of a name as two hosts.\n\n")
	c.suggest(w)
	c.greet(site.server.Addr())
	return c.work(ctx, sys, site, view, list)
}

// suggest says what to try.
func (c *crawl) suggest(w *simweb.World) {
	me, at, words := started(os.Args[0]), "--data "+c.cfg.Data, samples(w)
	c.printf("Open the search page or the dashboard (below), or try in another terminal:\n")
	for _, word := range words {
		c.printf("  %s search %s %s\n", me, at, word)
	}
	c.printf("  %s why %s %s\n", me, at, w.Seeds(1, "")[0])
	c.printf("  %s topics cat docs.unique -n 3 %s\n", me, at)
	c.printf("  %s lag %s\n", me, at)
	c.printf("  kill -9 %d; %s demo %s    # goes on where it was\n", os.Getpid(), me, at)
	c.printf("Ctrl-C ends.\n\n")
}

// started is how this program is started again. go run puts it into a directory of the build, which
// is no place to name to people.
func started(path string) string {
	for dir := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.HasPrefix(dir, "go-build") {
			return "go run ./cmd/millrace"
		}
	}
	return path
}

// samples are words to search for, one of every language: the longest of the
// title of the first home page in it, which the crawl sees first.
func samples(w *simweb.World) []string {
	var out []string
	seen := map[string]bool{}
	for i, url := range w.Seeds(w.HostCount(), "") {
		lang := w.Lang(world.Host(i)).Code()
		if seen[lang] {
			continue
		}
		if word := longest(homeTitle(w, url)); word != "" {
			seen[lang] = true
			out = append(out, word)
		}
	}
	return out
}

// homeTitle returns the text between the title tags of a page when the web begins.
func homeTitle(w *simweb.World, url string) string {
	req, ok := w.ParseURL(url)
	if !ok {
		return ""
	}
	a := w.Answer(req, w.Start())
	_, rest, _ := bytes.Cut(w.Body(nil, &a), []byte("<title>"))
	title, _, _ := bytes.Cut(rest, []byte("</title>"))
	return string(title)
}

func longest(text string) string {
	word := ""
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if utf8.RuneCountInString(f) > utf8.RuneCountInString(word) {
			word = f
		}
	}
	return word
}
