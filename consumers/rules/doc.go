// Package rules holds the decisions of operators about URLs and tells which of them hold for a URL.
//
// # Goals
//
// One place for every decision: which URLs are crawled, how they are rewritten, which are wanted
// most, how many and how fast, what was removed for ever, what is paused, and how pages are read.
// An answer costs the same with rules for ten domains or for a million. When the log is replayed,
// each record gets the answer that it got the first time.
//
// # How it works
//
// A decision is a Rule, a pause or a block (a removed URL, prefix or site). A Rule is one line of
// text: an action, its values, and a pattern. Its scope is one host, one site or everything.
//
//	include PATTERN            in this scope only URLs that match an include are crawled
//	exclude PATTERN            not crawled
//	rewrite PATTERN -> TEXT    the match is replaced; $1 stands for what (…) matched
//	fit [SCORE] PATTERN        wanted: queued first, with this score
//	limit N [PATTERN]          at most N such URLs of a host; of a rule for a site: of all its hosts
//	delay DURATION             least time between two requests; it never shortens the configured one
//	recrawl DURATION [PATTERN] such pages are fetched again that often; never = not again
//	allow GROUP                switches off a group of the defaults: images, archives, styles, media
//	extract YAML               how pages are read (consumers/extract/rules)
//
// A pattern is an RE2 expression that may match anywhere in the URL, or "glob:" and a text in which
// * stands for any run of characters. A glob must match the whole URL or, if it begins with "/",
// the part after the host. Letters may be written as browsers show them (é, bücher.example) or as
// they are asked for (%C3%A9, xn--bcher-kva.example); a rewrite needs the second.
//
// A Set keeps decisions in maps by host and by site, and those for everything in a list. For
// include and exclude the nearest scope that decides wins: host, site, everything, then the
// defaults (suffixes of files that no crawl of pages wants). Within a scope rules are tried in
// order, and the first include or exclude that matches decides; if the scope has an include and
// nothing matches, the URL is left out. A regex-urlfilter.txt of Nutch works in the same way.
//
// The rewrites are applied again until none changes the result: what a rewrite makes is a URL like
// any other. Where that has no end after sixteen times (rewrite /a/(.*) -> /a/$1x), the URL stays
// as it is, and why and try name the rule.
//
// Every decision has an identity, which is a hash of its content, and spans of time by the broker's
// clock. It is in force from Grace after its record until Grace after the record that ended it. By
// then every process has read both, so for a given time of the log every process gets the same
// answer.
//
// # Promises
//
//   - Judge is a function of the decisions' records, the query and the time.
//   - A URL that an operator seeds is kept out only by an exclude that matches it or by a block.
//     The defaults and a missing include do not affect it. Feeds and sitemaps need no include
//     either.
//   - Matching takes linear time (RE2). Expressions are compiled when they are first needed, and at
//     most 65,536 are kept.
//
// # On failure
//
// Parse returns an error that says what is wrong and what would be right. A stored rule that does
// not compile keeps no URL out; the list of rules shows it with its error.
//
// # Limits
//
// A pattern has at most 2,000 bytes. At most 1,000 rules may hold for everything, because each of
// them is tried on each new URL. The last 64 spans of a decision are kept, so a replay of older
// records may get other answers.
package rules
