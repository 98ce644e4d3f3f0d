package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"millrace/ops/simweb"
)

// judgeIt prints the judge's verdict.
func judgeIt(ctx context.Context, args []string, out io.Writer) error {
	f, at := asking("judge")
	f.Duration("delay", time.Second, "least time between request starts of a host, site or address")
	f.Duration("repeat", 0, "a fetch so soon after the last of a URL is a repeat; 0: always")
	ruleFlags(f, "judge completeness of a crawl from the first n hosts' home pages")
	asJSON := f.Bool("json", false, "print JSON instead of a table")
	if err := parse(f, args, 0); err != nil {
		return err
	}
	body, err := ask(ctx, question(*at, "report", parameters(f, adminFlag, "json")))
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

func (a *admin) report(rw http.ResponseWriter, r *http.Request) {
	report, err := a.judge(r)
	a.reply(rw, report, err)
}

// judge reads the query of a report: delay, repeat, and the rules of a crawl,
// with seeds if completeness is asked for.
func (a *admin) judge(r *http.Request) (*simweb.Report, error) {
	q, opts := queryOf(r), simweb.DefaultJudge()
	opts.Delay = read(q, "delay", opts.Delay, time.ParseDuration)
	opts.RepeatWithin = read(q, "repeat", opts.RepeatWithin, time.ParseDuration)
	opts.Agent = read(q, "agent", opts.Agent, asIs)
	rules := a.rules(q, 0)
	if err := q.done(); err != nil {
		return nil, err
	}
	if len(rules.Seeds) > 0 {
		var err error
		if opts.Truth, err = a.srv.Truth(rules); err != nil {
			return nil, err
		}
	}
	return a.srv.Judge().Report(opts)
}
