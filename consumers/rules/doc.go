// Package rules holds what operators decide about URLs, and answers what holds for one.
//
// # Goals
//
// One roof for every decision: which URLs are taken, how they are rewritten, which are looked for,
// how many and how fast, what must never come back, what is paused, and how pages are read. An
// answer costs the same whether ten domains have rules or a million. A replay of the log gets the
// answers that the first reading got.
//
// # How it works
//
// A Rule is one line of text: an action, its values, and a pattern, with a scope: one host, one
// site or all.
//
//	include PATTERN            in this scope only what an include matches is taken
//	exclude PATTERN            not taken
//	rewrite PATTERN -> TEXT    the match is replaced; $1 stands for what (…) matched
//	fit [SCORE] PATTERN        what is looked for: goes first, with this score
//	limit N [PATTERN]          at most N such URLs of a host
//	delay DURATION             least time between two requests; never below the set one
//	allow GROUP                a group of the defaults does not hold: images, archives, styles, media
//	extract YAML               how pages are read (consumers/extract/rules)
//
// A pattern is an RE2 expression that may match anywhere in the URL, or "glob:" and a text in which
// * stands for any run of characters: for the whole URL, or, if it begins with "/", for what
// follows the
// host.
//
// A Set keeps them in maps by host and by site (Go's maps are the hash), and those for all in a
// list. The nearest scope that says something decides: host, site, all, then the defaults. In a
// scope rules are asked in their order, and the first include or exclude that matches decides;
// where there is an include, what matches nothing is left out. That is how a regex-urlfilter.txt of
// Nutch reads, too.
//
// Every decision has an identity, a hash of what it says, and spans of the broker's time. It is in
// force from Grace after its record to Grace after the record that ended it, so that every process
// has read both by then: what is asked for a time of the log has one answer, whoever asks,
// whenever.
//
// # Promises
//
//   - Judge is a function of the decisions' records, the query and the time.
//   - What an operator seeds is kept out only by an exclude that matches it or by a block; the
//     defaults and the lack of an include do not touch it. Feeds and sitemaps need no include
//     either.
//   - Matching takes linear time (RE2). Expressions are compiled when they are first needed, and at
//     most 65,536 are kept.
//
// # On failure
//
// Parse says what is wrong and what would be right. A record with a rule that does not compile
// keeps no URL out; the list shows it with its error.
//
// # Limits
//
// Patterns have at most 2,000 bytes, and 1,000 rules can hold for everything: each of them is asked
// for each new URL. The last 64 spans of a decision are kept, so a replay of older records may
// differ.
package rules
