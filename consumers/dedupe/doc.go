// Package dedupe is the consumer group that publishes each text once per site: of all pages of one
// site with the same text it publishes exactly one, and when that page goes, another page with the
// text replaces it.
//
//	Reads    docs.extracted (Doc, Gone)
//	Writes   docs.unique (Unique, tombstones), urls.discovered (Recheck), near.found (Sketch)
//	Keyed by site: all pages of a site meet in one partition
//	State    doc, cluster, cluster_member, alias, fold (with the journal)
//
// # Goals
//
// No text is published twice on a site. No text is missing while a page has it. No page loses its
// place because of what other pages publish or link to.
//
// # How it works
//
// A cluster is the set of live pages of one site with equal text hash. One page of it is published:
// the representative. It is the page that had the text first (DocRow.since, the stamp of the record
// that brought the text). Exception: if that first page names another page of the cluster as its
// canonical, and the other page does not name a third one, the other page is the representative. A
// copy that comes later changes nothing, whatever canonical it names and however short its URL is.
// Who was first is kept while a page is gone, so a page that was away gets its place back. If two
// pages name themselves, or each other, the first one is published. So the choice depends only on
// the pages that have a document and on which of them had the text first (members.go).
//
// A page is an alias, and not published, if it names another page of its site as canonical, and
// that page has a document with another text and does not name a third page itself: chains are not
// followed. If two pages name each other, the first in a fixed order of URLs is published. Only
// what the two pages say of themselves counts. When a page need not be an alias any more, it is
// asked for again (Recheck), because its text was not kept; it is published when its document comes
// (alias.go).
//
// A cluster has at most Options.MaxMembers pages. Further pages (soft 404s, invented parameters)
// are not published and counted as cluster_full; the members stay. A full cluster remembers up to
// 16 of the pages it turned away, and asks for one of them again when a member leaves.
//
// Rows become durable through a journal (journal.go), which names texts and does not copy them. The
// rows that a round needs are read at the same time (ahead.go). On the built-in broker, which does
// not compact topics, this group also cleans docs.unique (clean.go).
//
// # Promises
//
// In docs.unique, the new documents of a record are appended before its tombstones, and the page's
// own new text comes last of the documents: a reader who stops anywhere in the log may find a text
// twice, but never misses one (I12). A version (rev, edition) older than the last one of its page
// changes nothing; an equal one is a producer's repeat. A page fetched again with the same content
// is not published again (I2). A takedown is final: every later version of its page is dropped, and
// the text that it had is published under no page of the site any more.
//
// All rows are functions of the log, and the journal makes the rows of a round durable together:
// after a crash they are what the records up to fold.at lead to, no more and no less. If such a
// record comes again, it changes no row. Without transactions its output was acknowledged before;
// with transactions the output is appended again, byte for byte. A record is identified by the era
// of its log and its offset, so a record of a new log is never taken for one of an old log.
//
// # On failure
//
// The loop repeats what failed with an error of the store. A record becomes a dead letter if it can
// never be handled: it has no row key, site, text hash or known reason; its key is not text or too
// long; the store refuses its rows; its journal entry or its document is too large; or handling it
// panics. If its transaction is aborted, it becomes a dead letter again. If docs.unique was created
// anew, every page is published when its document comes again.
//
// With transactions a round's rows are written before its transaction is committed. If it is
// aborted, and a new era of docs.extracted begins then, the next owner compares docs.unique with
// the journal in the same way, and publishes what is missing when its records come again (lost.go).
//
// If docs.unique lost records at its end (a power loss, a cut), the next owner sees that the
// partition ends before what was acknowledged. It compares the partition with the pages in the
// journal. Lost tombstones are appended again. Pages of lost documents are asked for again and
// published when their documents come, even if they did not change. Until then no proof is written
// (lost.go).
//
// # Limits
//
// A page that replaces another is published with its own time and author, but with the text of the
// member that came second (equal by hash, up to white space). If more than MaxAliases pages name
// one canonical, the rest is published; which ones those are depends on the order in which they
// came. A page that was turned away and not asked for again is published when its document comes
// the next time. If a copy is seen before the page that wrote the text, the copy is the first.
// Without transactions a crash leaves a round's records twice in the log; while they repeat, a page
// of that round may have its previous text. A round must not span more than Window offsets. If
// docs.unique loses records of pages that the last Window offsets do not name, the pages are not
// asked for: a lost document is published when its page's document comes again, and a lost
// tombstone is not repaired.
package dedupe
