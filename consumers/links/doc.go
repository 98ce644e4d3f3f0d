// Package links is the consumer group that keeps who links to whom, and the texts of the links.
//
//	Reads    links.found (Found: the links of a page; or the links of a site to a page of another)
//	Writes   links (InLinks), graph (OutLinks), links.found (SiteLinks)
//	Keyed by site: a page's links are handled by the partition of its site, the links of other
//	         sites to a page by the partition of that page's site
//	State    link_page, link_target, link_site
//
// # Goals
//
// The index gets the texts of the links that lead to a page, so that the page is found by words
// that it does not contain. A site counts once, however many of its pages link. A page that changes
// or goes takes its old links back. A page costs one record and the rows of those targets whose
// links changed; a page fetched again without changes costs one read.
//
// # How it works
//
// extract sends all links of a page in one record; schedule sends that a page is gone. The record
// is compared with the links that the page had before (link_page), and only the difference is
// applied. A link inside the site changes the row of its target at once (link_target, entry own). A
// link to another site changes the row of this site about that page (link_site). When the number of
// linking pages in that row passes 1, 2, 4, 8, ... or its texts change, the whole row is sent to
// the target's partition (SiteLinks). There the page's row lists the 64 best sites: those with
// followed links first, then those with more pages.
//
// The texts that are shown of a page are chosen when the page is fetched, and again when the number
// of sites passes 1, 2, 4, 8, ..., the number of texts 1, 4, 16, ..., or a text that was shown is
// gone. Then a record goes to the topic links; the index takes the texts (Anchors), and indexes the
// page again if they differ. A text counts as often as sites use it for followed links. A text that
// most pages of its site have (a menu, a footer), or that only links with nofollow, ugc or
// sponsored have, counts once, and only if there are fewer than three others. Texts that say
// nothing about the target ("click here", "next") are left out.
//
// A page that moved has one link, to its new address. The graph for ranks has neither texts nor
// links that are not to be followed; a record of it is sent when a page's set of targets changes.
//
// # Promises
//
// The rows are functions of the log: every write has the stamp of its record, and a row with a
// record's stamp or a later one is left alone. link_page is written after all others, so a record
// that comes again after a crash finds the same difference as before. A version (rev, edition)
// older than the last one of its page changes nothing.
//
// # On failure
//
// Store errors are retried by the loop. A record without row key or site, or with one that is too
// long, becomes a dead letter.
//
// # Limits
//
// A site has at most 8 texts for a page of its own and 4 for another; further ones are not counted.
// Of more than 64 sites the others are only counted; one of these is counted again when it sends
// SiteLinks with one page once more (its text changed, or its pages fell to one), or after a crash.
// The site of a link's target follows from the Public Suffix List of the process, not from when the
// host was first seen. Texts that lead to a page that moved stay with that page.
package links
