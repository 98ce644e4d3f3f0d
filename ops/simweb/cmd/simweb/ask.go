package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// adminFlag is where a command asks. It is no parameter of the question.
const adminFlag = "admin"

// asking returns the flags of a command that asks a server.
func asking(command string) (f *flag.FlagSet, admin *string) {
	f = flag.NewFlagSet(command, flag.ContinueOnError)
	return f, f.String(adminFlag, "127.0.0.1:8081", "address of reports")
}

// ruleFlags are the rules of a crawl, by the names of the parameters.
func ruleFlags(f *flag.FlagSet, seeds string) {
	f.Int("seeds", 0, seeds)
	f.Int("depth", -1, "greatest number of links from a seed; -1: no limit")
	f.Int("hops", -1, "greatest number of redirects in a row; -1: no limit")
	f.String("agent", "millrace", "product token of the crawler")
	f.String("scope", "any", "what is within reach: the seeds' host, site, or any")
	f.Bool("feeds", false, "what the feeds of the seeds' hosts name is within reach")
	f.Bool("sitemaps", false, "what the sitemaps of the seeds' hosts name is within reach")
	f.Bool("alternates", false, "rel=alternate hreflang is followed like a link")
	f.Bool("robots", true, "robots.txt is obeyed")
}

// parameters are the values of all flags but some.
func parameters(f *flag.FlagSet, but ...string) url.Values {
	q := url.Values{}
	f.VisitAll(func(g *flag.Flag) { q.Set(g.Name, g.Value.String()) })
	for _, name := range but {
		q.Del(name)
	}
	return q
}

// tellTruth prints what a crawl must find as it arrives.
func tellTruth(ctx context.Context, args []string, out io.Writer) error {
	f, at := asking("truth")
	ruleFlags(f, "the crawl starts from the home pages of the first n hosts")
	if err := parse(f, args, 0); err != nil {
		return err
	}
	body, err := open(ctx, question(*at, "truth", parameters(f, adminFlag)))
	if err != nil {
		return err
	}
	defer body.Close()
	_, err = io.Copy(out, body)
	return err
}

// tellPage prints what stands at a URL.
func tellPage(ctx context.Context, args []string, out io.Writer) error {
	return tellOf(ctx, "page", "url", args, out)
}

// tellItems prints the items of a host.
func tellItems(ctx context.Context, args []string, out io.Writer) error {
	return tellOf(ctx, "items", "host", args, out)
}

// tellOf asks a command's route about its only argument.
func tellOf(ctx context.Context, command, parameter string, args []string, out io.Writer) error {
	f, at := asking(command)
	if err := parse(f, args, 1); err != nil {
		return err
	}
	body, err := ask(ctx, question(*at, command, url.Values{parameter: {f.Arg(0)}}))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, body, "", "  "); err != nil {
		return err
	}
	_, err = b.WriteTo(out)
	return err
}

// parse reads flags and counts the arguments behind them.
func parse(f *flag.FlagSet, args []string, n int) error {
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() != n {
		return fmt.Errorf("%s takes %d arguments behind its flags, not %q", f.Name(), n, f.Args())
	}
	return nil
}

// question is the URL of a route with its parameters.
func question(at, route string, q url.Values) string {
	return "http://" + at + "/" + route + "?" + q.Encode()
}

func ask(ctx context.Context, url string) ([]byte, error) {
	body, err := open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(body)
}

// open asks a server and returns its answer; another status than 200 is an error.
func open(ctx context.Context, url string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode == http.StatusOK {
		return res.Body, nil
	}
	defer res.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(res.Body, 10_000))
	return nil, fmt.Errorf("%s: %s", res.Status, strings.TrimSpace(string(said)))
}
