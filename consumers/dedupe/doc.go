// Package dedupe is the consumer group that turns the documents of pages into
// the documents of a site: of all pages of one site with the same text exactly
// one is published, and when it goes, its twin takes its place.
//
//	Reads    docs.extracted (Doc, Gone)
//	Writes   docs.unique (Unique, tombstones), urls.discovered (Recheck)
//	Keyed by site: all pages of a site meet in one partition
//	State    doc, cluster, cluster_member, alias, fold
//
// # What is published
//
// A cluster is the set of live pages of one site with equal text hash. Its
// members have a total order: pages that another member names as canonical
// first, then https, then the shorter URL, then byte order of row keys. The
// first one is published under its own key. So what is published is a function
// of the set of live pages, not of the order in which they came.
//
// A page that names a live page of its site with another text as canonical is an
// alias of it and not published; if two name each other the first in order
// stands; the canonical of an alias counts for nothing. An alias whose target
// goes is asked for again (Recheck), since its text was not kept.
//
// A cluster of more than Options.MaxMembers pages is a soft 404: it is not
// published until it has shrunk by a tenth.
//
// # Promises
//
// On docs.unique a new representative is appended before the tombstone of the
// old one: at every prefix of the log a text may stand twice, never not at all
// (I12). A version (rev, edition) older than the last one of its page changes
// nothing; an equal one is a producer's repeat. A page fetched again with the
// same content is not published again.
//
// # Repeats safely because
//
// all rows are functions of the log. A record whose effects were written, in part
// or whole, before a crash is seen as such (doc.at, fold.at): its memberships are
// set again, which changes nothing, counts are taken from the rows, and what was
// sent because of it or later (doc.sent) is sent again as it stands now.
//
// # On failure
//
// store errors are retried by the loop; a record without a row key, site or
// known reason is parked.
//
// Caveats: a representative that is replaced keeps the time and author of its own
// page, but the text of the member that came second (it is equal by hash, up to
// white space). Members beyond MaxAliases of one canonical are published.
package dedupe
