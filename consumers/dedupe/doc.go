// Package dedupe is the consumer group that turns the documents of pages into
// the documents of a site: of all pages of one site with the same text exactly
// one is published, and when it goes, its twin takes its place.
//
//	Reads    docs.extracted (Doc, Gone)
//	Writes   docs.unique (Unique, tombstones), urls.discovered (Recheck)
//	Keyed by site: all pages of a site meet in one partition
//	State    doc, cluster, cluster_member, alias, fold (with the journal)
//
// # What is published
//
// A cluster is the set of live pages of one site with equal text hash. Its
// members have a total order: pages that a member, be it themselves, names as canonical
// first, then https, then the shorter URL, then byte order of row keys. The
// first one is published under its own key.
//
// A page gives way to the page of its site that it names as canonical, and is an
// alias then and not published, if that page has a document with another text and
// names no third page itself. If two name each other the first in order stands.
// This asks what two pages say of themselves and nothing else. So what is
// published is a function of the set of pages that have a document, not of the
// order in which they came. An alias that need not give way any more is asked for
// again (Recheck), since its text was not kept: it stands when its document comes.
//
// A cluster of more than Options.MaxMembers pages is a soft 404: it is not
// published until it has shrunk by a tenth.
//
// # Promises
//
// On docs.unique what stands now is appended before the tombstones of what does
// not, and a page's own new text last: at every prefix of the log a text may stand
// twice, never not at all (I12). A version (rev, edition) older than the last one
// of its page changes nothing; an equal one is a producer's repeat. A page fetched
// again with the same content is not published again (I2). A takedown is the last
// word on its page.
//
// # Repeats safely because
//
// all rows are functions of the log, and the journal (journal.go) makes a round's
// rows durable as one: after a crash they hold what the records up to fold.at come
// to, no more and no less. Such a record that comes again changes nothing. Without
// transactions what it led to was acknowledged before; with them it is appended
// again, byte for byte, from the journal.
//
// # On failure
//
// store errors are retried by the loop; a record without a row key, site, text
// hash or known reason is parked.
//
// Caveats: a page that replaces another keeps the time and author of its own, but
// the text of the member that came second (it is equal by hash, up to white space).
// Whether a cluster of MaxMembers x 0.9 to MaxMembers pages is published depends on
// where it came from. Pages beyond MaxAliases of one canonical are published, and
// which those are depends on who came first. Without transactions a crash makes a
// round's records stand twice on the log; while they repeat, a page of that round
// may stand with its last text but one. A record parked for what it led to (a
// panic, a journal entry of 8 MiB), not for what it is, is not parked again if its
// transaction was aborted. A round must not span more than Window offsets.
package dedupe
