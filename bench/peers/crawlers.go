package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// agent is the User-Agent of all, so that all read the same rules.
const agent = "peer"

// task is one crawl.
type task struct {
	origin string // address of all hosts
	seeds  []string
	file   string // the seeds, one a line
	dir    string // where everything is written
	delay  time.Duration
}

// crawler is how one is called.
type crawler struct {
	name     string
	about    string // what it does with a page
	settings func(task) []string
	env      func(task) []string
}

// chosen are all crawlers, or those named.
func chosen(t tools, names []string) ([]crawler, error) {
	all := []crawler{colly(t), scrapy(t), millrace(t)}
	if len(names) == 0 {
		return all, nil
	}
	var list []crawler
	for _, n := range names {
		i := slices.IndexFunc(all, func(c crawler) bool { return c.name == n })
		if i < 0 {
			return nil, fmt.Errorf("no crawler %q; there are colly, scrapy, millrace", n)
		}
		list = append(list, all[i])
	}
	return list, nil
}

func colly(t tools) crawler {
	return crawler{
		name:  "colly",
		about: "goquery: title, text, links to JSON lines; what is queued and visited in memory; 32 requests at once, or one rule per host",
		settings: func(k task) []string {
			return []string{t.colly, "-origin", k.origin, "-seeds", k.file, "-out", filepath.Join(k.dir, "out.jsonl"),
				"-agent", agent, "-delay", k.delay.String()}
		},
	}
}

// assembled is the whole job by parts put together.
func assembled(t tools) crawler {
	return crawler{
		name:  "assembled",
		about: "colly, go-trafilatura with its fallbacks, bleve in batches of 1,000; what is queued and visited in memory",
		settings: func(k task) []string {
			return []string{t.assembled, "-origin", k.origin, "-seeds", k.file, "-index", filepath.Join(k.dir, "index"), "-agent", agent}
		},
	}
}

func scrapy(t tools) crawler {
	return crawler{
		name:  "scrapy",
		about: "lxml: title, text, links to JSON lines; what is queued and visited in memory; 100 requests at once, 16 per host, or 1 with a delay that is not randomised",
		settings: func(k task) []string {
			perHost := 16
			if k.delay > 0 {
				perHost = 1
			}
			args := []string{t.python, "-m", "scrapy", "runspider", t.spider, "-a", "seeds=" + k.file, "-o", filepath.Join(k.dir, "out.jsonl")}
			for _, s := range []string{
				"CONCURRENT_REQUESTS=100", fmt.Sprintf("CONCURRENT_REQUESTS_PER_DOMAIN=%d", perHost),
				fmt.Sprintf("DOWNLOAD_DELAY=%g", k.delay.Seconds()), "RANDOMIZE_DOWNLOAD_DELAY=False",
				"ROBOTSTXT_OBEY=True", "COOKIES_ENABLED=False", "RETRY_ENABLED=False", "USER_AGENT=" + agent,
				"LOG_LEVEL=ERROR", "TELNETCONSOLE_ENABLED=False",
			} {
				args = append(args, "-s", s)
			}
			return args
		},
		// Its robots.txt requests take the proxy from here alone.
		env: func(k task) []string { return []string{"http_proxy=http://" + k.origin, "no_proxy="} },
	}
}

func millrace(t tools) crawler {
	return crawler{
		name:  "millrace",
		about: "text, title, date, links; frontier, log and state on disk; duplicates removed; everything indexed and searchable",
		settings: func(k task) []string {
			args := []string{t.millrace, "run", "--data", filepath.Join(k.dir, "data"), "--listen", "127.0.0.1:0",
				"--delay", k.delay.String(), "--user-agent", agent, "--allow-private", "--resolve", "*.test=" + k.origin}
			if k.delay == 0 {
				args = append(args, "--until-idle", "--idle-wait", "0s")
			}
			return append(args, k.seeds...)
		},
	}
}

// shown is a command line without what is this run's alone.
func (c crawler) shown(k task, tools string) string {
	const seeds = "SEED…"
	k.seeds = []string{seeds}
	args := c.settings(k)
	args[0] = filepath.Base(args[0])
	line := strings.Join(args, " ")
	return strings.NewReplacer(tools+string(filepath.Separator), "", k.file, "SEEDS", k.dir, "DIR", k.origin, "ORIGIN").Replace(line)
}
