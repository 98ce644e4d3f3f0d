// Package links is the consumer group that keeps who links to whom, and the texts of the links.
//
//	Reads    links.found (Found: the links of a page; what a site says of a page of another one)
//	Writes   links (InLinks), graph (OutLinks), links.found (SiteLinks)
//	Keyed by site: a page's links are handled by the partition of its site, what is said of
//	         a page by the partition of that page's site
//	State    link_page, link_target, link_site
//
// # Goals
//
// Every page knows the texts of the links that lead to it, so that it is found by words that stand
// nowhere else. A site counts once, however many of its pages link. A page that changes or goes
// takes its old links back. A page costs one record and the rows of those targets whose links
// changed; a page fetched again without changes costs one read.
//
// # How it works
//
// extract tells all links of a page in one record, schedule tells that a page is gone. The record
// is compared with what the page said before (link_page), and only the difference is applied. A
// link inside the site changes the row of its target at once (link_target, entry own). A link to
// another site changes what this site says of that page (link_site); when its number of pages
// passes 1, 2, 4, 8, ... or its texts change, the whole of it is sent to the target's partition
// (SiteLinks), which keeps the 64 best sites: those with followed links first, then those with more
// pages.
//
// What is shown of a page's in-links is chosen when the page is fetched, and again when the number
// of sites passes 1, 2, 4, 8, ..., the number of texts 1, 4, 16, ..., or a text that was shown is
// gone. Then a record goes to the topic links, and the index takes the texts over (Anchors) and
// indexes the page again if they differ. A text counts as often as sites use it for followed links.
// One that most pages of its site have (a menu, a footer), or that only links with nofollow, ugc or
// sponsored have, counts once, and only where there are not three others. Words that say nothing
// of a target ("click here", "next") are left out.
//
// A page that moved links to where it moved. The graph for ranks has neither texts nor links that
// are not to be followed; a record of it is sent when a page's set of targets changes.
//
// # Promises
//
// The rows are functions of the log: every write has the stamp of its record, and a row with a
// record's stamp or a later one is left alone. link_page is written after all others, so a record
// that comes again after a crash finds the difference that it found before. A version (rev,
// edition) older than the last one of its page changes nothing.
//
// # On failure
//
// Store errors are retried by the loop. A record without row key or site, or with one that is too
// long, becomes a dead letter.
//
// # Limits
//
// A site has at most 8 texts for a page of its own and 4 for another; further ones are not counted.
// Of more than 64 sites the others are only counted; after a crash one of these may be counted
// twice. The site of a link's target follows from the Public Suffix List of the process, not from
// when the host was first seen. Texts that lead to a page that moved stay with that page.
package links
