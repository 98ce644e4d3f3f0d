// Package world turns (seed, host, page, time) into what a web server answers: status, headers,
// links, text.
//
// # Goals
//
// 10^6 hosts of 10^7 pages cost the same memory as one.
//
// # How it works
//
// How a host is built. Pages 0..n-1 form a tree: the children of page p are fanout*p+1 …
// fanout*p+fanout. Pages with children are inner pages: plain HTML that lives as long as the web.
// Every other page is a leaf and may play a role (see Role): a copy, a redirect, an error, a PDF.
// So every page can be reached from the home page, whatever goes wrong. Random links, and the links
// of items and archives, come on top. Each link may name its target by another URL (see Form) that
// leads to the same page.
//
// Languages. A plain tree page may exist in every language of the web: its translations have texts
// of their own, live as long as it does and never change. All versions name each other by
// rel=alternate hreflang; no anchor, feed or sitemap names a translation.
//
// Time. Leaves are born and die at drawn times. Changes and new items are Poisson processes: time
// is cut into windows of the mean interval, each window draws a Poisson(1) number of uniform times,
// so "the last change before t" is found by looking back 1.6 windows on average.
//
// # Promises
//
// It is a pure function: nothing is stored for a host or a page.
//
// # On failure
//
// New refuses a profile or options that are not valid. What stands at no page's place is answered
// 404.
//
// # Limits
//
// Texts have an identity of 64 bits (TextID), so two could be taken for one with probability 2^-64
// a pair. Navigation and link lists do not count as text.
package world
