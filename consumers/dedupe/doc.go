// Package dedupe is the consumer group that turns the documents of pages into the
// documents of a site: of all pages of one site with the same text exactly one is
// published, and when it goes, another one of them takes its place.
//
//	Reads    docs.extracted (Doc, Gone)
//	Writes   docs.unique (Unique, tombstones), urls.discovered (Recheck)
//	Keyed by site: all pages of a site meet in one partition
//	State    doc, cluster, cluster_member, alias, fold (with the journal)
//
// # Goals
//
// No text twice on a site, no text missing while a page has it, and no page that
// loses its place because of what others publish or link to.
//
// # How it works
//
// A cluster is the set of live pages of one site with equal text hash. The page that
// had the text first stands for it (DocRow.since, the stamp of a record of the log),
// or the page of the cluster that this one names as its canonical, if that names no
// other page. A copy that comes later changes nothing, whatever it says of itself,
// however short its URL is. Who was first is kept while a page is gone, so a page
// that was away gets its place back. Of two that name themselves, or each other, the
// first one stands. So what is published is a function of the pages that have a
// document and of who had which text first (members.go).
//
// A page gives way to the page of its site that it names as canonical, and is an alias
// then and not published, if that page has a document with another text and names no
// third page itself: chains are not followed. If two name each other, the first in a
// fixed order of URLs stands. This asks what two pages say of themselves and nothing
// else. An alias that need not give way any more is asked for again (Recheck), since
// its text was not kept: it stands when its document comes (alias.go).
//
// A cluster has at most Options.MaxMembers pages. More are turned away (soft 404s,
// invented parameters): they are counted as cluster_full and not published; those that
// are there stay. Some of them are asked for again when there is room.
//
// A record's rows become durable through a journal (journal.go), which names texts and
// does not copy them. A round's rows are read at the same time (ahead.go). On the
// built-in broker this group also cleans docs.unique (clean.go).
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
// All rows are functions of the log, and the journal makes a round's rows durable as
// one: after a crash they hold what the records up to fold.at come to, no more and no
// less. Such a record that comes again changes nothing. Without transactions what it
// led to was acknowledged before; with them it is appended again, byte for byte. A
// record is named by the era of its log and its offset, so one of a new log is never
// taken for an old one.
//
// # On failure
//
// Store errors are retried by the loop. A record that can never be handled becomes a
// dead letter: without row key, site, text hash or known reason, with a key that is no
// text or too long, or one whose rows the store refuses or whose journal entry is too
// large; and it becomes one again if its transaction was aborted. If docs.unique was
// made anew, every page is published when its document comes again.
//
// If docs.unique lost its end (a power loss, a cut), the next owner sees that it ends
// before what was acknowledged there. It compares it with the pages of the journal:
// lost tombstones are appended again, and pages of lost documents asked for again and
// published when their documents come, also if nothing of them changed. Until then
// nothing is proved (lost.go).
//
// # Limits
//
// A page that replaces another keeps the time and author of its own, but the text of
// the member that came second (it is equal by hash, up to white space). Pages beyond
// MaxAliases of one canonical are published, and which those are depends on who came
// first. A page that was turned away and not asked for again stands when its document
// comes the next time. Who copies a page's new text and is seen before the page itself
// is first. Without transactions a crash makes a round's records stand twice on the
// log; while they repeat, a page of that round may stand with its last text but one.
// A round must not span more than Window offsets. What docs.unique lost of pages that
// the last Window offsets do not name is not asked for: it is published when its
// document comes, and a tombstone so lost stays lost.
package dedupe
