package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"millrace/bench/simweb"
)

func judgeIt(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("judge", flag.ContinueOnError)
	at := f.String("admin", "127.0.0.1:8081", "address of reports")
	delay := f.Duration("delay", time.Second, "least time between request starts of a host, site or address")
	repeat := f.Duration("repeat", 0, "a fetch so soon after the last of a URL is a repeat; 0: always")
	agent := f.String("agent", "millrace", "product token of the crawler")
	seeds := f.Int("seeds", 0, "judge completeness of a crawl from the first n hosts' home pages")
	depth := f.Int("depth", -1, "greatest number of links from a seed; -1: no limit")
	asJSON := f.Bool("json", false, "print JSON instead of a table")
	if err := f.Parse(args); err != nil {
		return err
	}
	q := url.Values{
		"delay": {delay.String()}, "repeat": {repeat.String()}, "agent": {*agent},
		"seeds": {strconv.Itoa(*seeds)}, "depth": {strconv.Itoa(*depth)},
	}
	body, err := ask(ctx, "http://"+*at+"/report?"+q.Encode())
	if err != nil {
		return err
	}
	var r simweb.Report
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	if *asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return r.Print(out)
}

func ask(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", res.Status, strings.TrimSpace(string(body)))
	}
	return body, err
}
