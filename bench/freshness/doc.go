// Command freshness compares rules for looking at pages again, on made-up hosts, in
// simulated time:
//
//	go run ./bench/freshness            tables, as in RESULTS.md
//	go run ./bench/freshness -only dates    scenarios of millrace whose name has this word
//	go run ./bench/freshness -plot DIR  writes the curves as an SVG file, too
//
// The rule of millrace is the shipped code: package policy, answer by answer, on the rows
// of URLs and hosts. Each page changes as a Poisson process; 40 % never do, the rates of
// the others are log-normal, with another median on each host; each day 0.5 % of the
// pages are replaced. The budget is a multiple of a host's changes a day. Freshness is the
// part of the time for which pages are current, as a ratio to the best that is possible
// when all rates are known, in closed form.
//
// Limits: no real crawl data; no hours of the day, no failures, one host at a time.
package main
