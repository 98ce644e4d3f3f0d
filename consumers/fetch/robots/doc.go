// Package robots turns the bytes of a robots.txt into the rules that hold for one crawler, and
// answers whether a path may be fetched.
//
// It follows RFC 9309: the longest matching rule wins and allow wins a tie; * and $ are the only
// special characters; groups that name the same product token are merged; tokens are compared
// without regard to case; lines it does not know, Sitemap and Crawl-delay among them, never end a
// group. Paths and patterns are compared in one normal form, so that /%7ejoe, /%7Ejoe and /~joe are
// the same and /a%2Fb is not /a/b. Where the RFC is silent it does what most site owners test
// against, Google's parser: misspelt keys (disalow) and a missing colon are understood. Crawl-delay
// and Sitemap, which the RFC leaves to "other records", are read too.
//
// Promises: Parse never fails and never panics, whatever the bytes; it reads at most MaxBytes and
// drops a last line that this limit cut, because half of "Disallow: /private" is "Disallow: /".
// Rules are immutable and safe for concurrent use. Encode and Decode keep them: the decoded rules
// answer every path alike.
//
// What a missing or broken robots.txt means (404, 503, time-out) is not decided here: that is a
// matter of the fetch, not of the file.
//
// # Caveats
//
// A file that consists of 40,000 patterns beginning with * costs milliseconds a path; the cost is
// linear in rules and path, never exponential. The default file of Google's matcher (/index.html
// stands for its folder too) is not copied: the RFC knows no such rule.
package robots
