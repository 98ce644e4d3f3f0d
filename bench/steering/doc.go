// Command steering measures how much of what a crawl asks for is useful, and what the order brings.
//
//	go run ./bench/steering                                  the profiles news and docs of bench/traps
//	go run ./bench/steering -list HOSTS.json python.en.test  real manuals (bench/miniweb)
//
// # How it works
//
// Each web is crawled three times by a whole millrace in this process, with delay 0: in breadth
// without learning, in breadth with it, best first with it. No rule is written. What was asked for,
// in its order, stands in the outcomes of urls.discovered: all of pages, whatever they came to, but
// not robots.txt.
//
// Useful is a fetch that brings, for the first time, a text that one comes for: of the profiles the
// texts of their articles and chapters, of real manuals those of all documents that the crawl in
// breadth without learning published. Found is the share of these texts that a crawl has.
//
// # Limits
//
// With delay 0 hundreds of requests are on their way before the first answer counts: the figures of
// a polite crawl are better. Lists count as not useful where they have no text of their own.
package main
