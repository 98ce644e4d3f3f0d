// Package traps is a web of seven traps and of fifteen honest sites that look like them.
//
// Goals: what a crawler spends on pages without end, and what it loses of honest sites
// with odd URLs, can be counted.
//
// How it works: a Web answers by host name and counts every request. A trap host has 40
// pages that all link to each other and one trap: a calendar, session ids, filters, paths
// that grow, soft 404s, invented pages, sitemaps of sitemaps. The honest ones: a calendar
// with events on some days, a forum with drawn ids, a shop whose products are linked from
// filters only, a wiki that only its own pages name, and a serial whose pages name nothing
// but the one before and the one after; and ten more (honest.go): trees, an archive by date whose
// lists have no text, pages that name any others, or the next one only, a wiki and a forum with
// everything in parameters, a reference and pages of figures of one template, pages that only a
// sitemap names.
//
// Hostile are ten more traps that hide what gives those away, and three honest sites like them:
// months as words, filters and session ids in the path, languages before it, capitals, a text for
// every visit, links without their first slash, redirects, sets of tags, a sitemap of dead URLs.
//
// Promises: a page is a function of its address, but for session ids, which are new in
// every link. Texts are of sentences, so that extraction takes them for text.
//
// On failure: what it does not know is a 404.
//
// Limits: no delays, no errors, plain HTTP.
package traps
