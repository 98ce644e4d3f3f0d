// Command millrace turns URLs into a search index that keeps itself up to date.
// This package turns command lines into calls of cmd/wire, and what comes back
// into text for people or JSON for programs: one file per subcommand.
//
// Promises: an exit code of 0, 1 for a failure, 2 for a command line that cannot be, and 130 or 143
// if Ctrl-C or SIGTERM ended it before it was done (a command that goes on until it is stopped is
// done then: 0); one line on standard error that says what to do; standard output holds the answer
// and nothing else. Commands that look (status, lag, why, search, topics cat, dead-letters) work
// while a crawl runs, by asking the process that runs, and when it is stopped, by opening its
// directory for a moment: both answer through the same HTTP API, so the answers are the same.
//
// On failure: what was in hand is finished or done again at the next start.
//
// Caveats: on a cluster, commands that look read Kafka and the store themselves;
// only search needs a process that has the index.
package main
