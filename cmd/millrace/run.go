package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"

	"millrace/cmd/wire"
	"millrace/consumers/schedule"
	"millrace/consumers/taps"
	"millrace/producers/seeds"
	"millrace/schema"
)

func runCommand() command {
	cmd := command{
		name: "run", args: "[URL…]", about: "crawl, index and serve search, all in one process",
		long: `
Begins with the URLs, follows their links, and keeps what it found up to date until Ctrl-C;
with --until-idle until nothing is left to do. Everything is kept in the data directory:
without URLs it continues what is there. Where the search page and the dashboard are is
printed at the start. robots.txt is obeyed, always.`,
		examples: `
millrace run https://example.com/ --contact you@example.com
millrace run --until-idle --max-pages 500 --max-depth 3 https://example.com/docs/ --contact you@example.com
millrace run --contact you@example.com    # go on with what is in ./millrace-data
millrace run --delay 0s --allow-private http://127.0.0.1:8000/`,
		settings: everything(), most: -1,
	}
	cmd.run = func(ctx context.Context, c *call) error {
		return (&crawl{c, "The same command without the URLs continues."}).begin(ctx)
	}
	return cmd
}

// crawl is a crawl of this process, of run or demo.
type crawl struct {
	*call
	goOn string // how it is continued when it was stopped, in a sentence
}

// begin is the command run.
func (c *crawl) begin(ctx context.Context) error {
	c.lasts = !c.cfg.UntilIdle
	list, err := parseSeeds(c.args)
	if err != nil {
		return err
	}
	if err := c.readyToCrawl(list); err != nil {
		return err
	}
	view := newView(c.stdout)
	sys, site, err := c.openBoth(ctx, c.cfg, view.beside(c.stderr))
	if err != nil {
		return c.inUse(err)
	}
	if err := sys.OpenTaps(ctx); err != nil {
		sys.Close()
		return errors.Join(err, site.close())
	}
	c.greet(site.server.Addr())
	c.greetReaders(sys.Door())
	return c.work(ctx, sys, site, view, list)
}

// readyToCrawl reports what is missing before anything is begun.
func (c *crawl) readyToCrawl(list []seeds.Seed) error {
	if len(list) == 0 && c.cfg.Embedded() && !hasData(c.cfg.Data) {
		return misuse("nothing to crawl: %s holds no crawl and no URL is given; begin with millrace run https://example.com/ --contact you@example.com", c.cfg.Data)
	}
	if err := c.cfg.ValidateFetch(); err != nil {
		return misuse("%w", err)
	}
	return nil
}

// inUse adds what to do about a directory that another process uses.
func (c *call) inUse(err error) error {
	var held *wire.InUseError
	if !errors.As(err, &held) {
		return err
	}
	return fmt.Errorf("%w: stop that one, or name another directory with --data", held)
}

func (c *call) greet(addr string) {
	c.printf("search     http://%s/\ndashboard  http://%s/dashboard\n", reachable(addr), reachable(addr))
	if host, _, err := net.SplitHostPort(addr); err == nil && !net.ParseIP(host).IsLoopback() {
		c.printf("password   in %s; any user name\n", filepath.Join(c.cfg.Data, "token"))
	}
}

// greetReaders says how other programs read the topics, ready to be copied.
func (c *call) greetReaders(d wire.Door) {
	if d.Address == "" {
		return
	}
	c.printf("kafka      %s, user %s, password in %s\n", d.Address, d.User, d.Secret)
	c.printf("           kcat -F %s -C -t docs.unique\n", d.Kcat)
	c.printf("           KafkaConsumer('docs.unique', bootstrap_servers='%s', security_protocol='%s', sasl_mechanism='SCRAM-SHA-512', "+
		"sasl_plain_username='%s', sasl_plain_password=open('%s').read().strip())\n", d.Address, d.Protocol(), d.User, d.Secret)
}

// work runs the groups until ctx ends or, if so wanted, nothing is left to do, and
// says at the end where every URL is.
func (c *crawl) work(ctx context.Context, sys *wire.System, site *site, view *view, list []seeds.Seed) error {
	// The groups end when the frontier was asked how it stands, not with ctx.
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	asked := ctx
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	ended := make(chan error, 1)
	go func() {
		err := sys.Run(running, sys.Config.Groups()...)
		if err != nil {
			giveUp() // nothing is crawled any more
		}
		ended <- err
	}()
	shown := make(chan struct{})
	go func() { view.show(running, site.server.Report); close(shown) }()
	fates, followed := newFates(sys, list), make(chan struct{})
	go func() { fates.follow(running, view.beside(c.stderr)); close(followed) }()

	var err error
	if len(list) > 0 { // else the scope stays as it is
		err = sys.Seed(ctx, list)
	}
	if err == nil {
		err = c.wait(ctx, sys)
	}
	last := sys.Status()
	stop()
	<-shown
	<-followed
	if asked.Err() != nil {
		c.printf("finishing what is in hand; Ctrl-C again ends at once\n")
	}
	err = errors.Join(quiet(ctx, err), finish(site, ended, sys.Close, func() error {
		late := context.WithoutCancel(ctx)
		err := c.farewell(late, sys, last, ctx.Err() != nil)
		if fates.look(late, c.stderr); c.cfg.UntilIdle && ctx.Err() == nil {
			err = errors.Join(err, fates.verdict())
		}
		return err
	}))
	if err == nil && c.cfg.UntilIdle {
		err = stopped(asked, nil, "") // how to go on was said
	}
	return err
}

// wait returns when it is time to end.
func (c *crawl) wait(ctx context.Context, sys *wire.System) error {
	if c.cfg.UntilIdle {
		if err := sys.Idle(ctx); err != nil {
			return err
		}
		var stuck *taps.StuckError
		err := sys.DrainTaps(ctx, c.tapWaits(c.tapsGoOn()))
		if errors.As(err, &stuck) {
			err = fmt.Errorf("%w; %s", err, c.tapsGoOn())
		}
		return err
	}
	<-ctx.Done()
	return nil
}

// tapsGoOn says what writes the records that a tap could not write.
func (c *crawl) tapsGoOn() string {
	return fmt.Sprintf("what is missing stays in the log: millrace consume FORMAT --out DIR --data %s --until-end writes it when the place is back", c.cfg.Data)
}

// quiet takes the error away that only says that we were asked to stop.
func quiet(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// farewell accounts for every URL, when nothing changes any more. last is how the
// frontier stood when it was stopped.
func (c *crawl) farewell(ctx context.Context, sys *wire.System, last schedule.Status, interrupted bool) error {
	w, err := sys.Watch()
	if err != nil {
		return err
	}
	account, err := sys.Account(ctx)
	if err != nil {
		return err
	}
	r := w.Report(ctx)
	r.Frontier = account
	c.printf("\n")
	c.printAccount(&r)
	switch {
	case last.Full:
		c.printf("\nThe limit of pages is reached (--max-pages).\n")
	case interrupted:
		c.printf("\nStopped. %s\n", c.goOn)
	case !last.Next.IsZero():
		c.printf("\nThe next fetch is due %s. %s\n", moment(last.Next), c.goOn)
	}
	return nil
}

// parseSeeds reads URLs as people write them.
func parseSeeds(args []string) ([]seeds.Seed, error) {
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		return nil, err
	}
	var out []seeds.Seed
	for _, arg := range args {
		s, err := seeds.Parse(canon, arg)
		if err != nil {
			return nil, misuse("%s cannot be crawled: %s", printable(arg), inWords(err))
		}
		out = append(out, s)
	}
	return out, nil
}

// inWords is why a text is no URL.
func inWords(err error) string {
	var refused *schema.URLError
	if !errors.As(err, &refused) {
		return err.Error()
	}
	words := map[string]string{
		schema.ErrEmpty:    "it is empty",
		schema.ErrRelative: "not a URL",
		schema.ErrScheme:   "it begins with neither http nor https",
		schema.ErrHost:     "its host cannot exist",
		schema.ErrPort:     "its port is not a number from 1 to 65535",
		schema.ErrTooLong:  fmt.Sprintf("it is longer than %d bytes", schema.MaxURLBytes),
	}
	if w, ok := words[refused.Reason]; ok {
		return w
	}
	return "it is not written as a URL"
}
