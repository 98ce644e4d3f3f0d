// Package patterns remembers what the URLs of a host brought, by their shape, and
// says from that what a new URL is worth and whether it may be asked for. It is pure:
// no store, no log, no clock.
//
// # Goals
//
// A trap (a calendar without end, session ids, filters in any combination, paths that
// grow, pages that say that nothing is there, invented pages, sitemaps of sitemaps)
// costs a bounded number of fetches, and the host goes on with its other shapes. An
// honest site loses nothing, however odd its URLs are.
//
// # How it works
//
// A shape is a path cut into tokens (Tokens): words stay, runs of digits become #, long
// titles ~, identifiers *; the last token is the names of the parameters. Shapes stand
// in a tree. Where a node gets too many children, those that have not proven anything
// become one, "*"; so the tree has at most maxNodes nodes.
//
// Tree puts the parts together and notes events in them: trie holds the shapes, budget
// writes down what they spend and earn, parameters learns what the parameters of URLs do,
// texts remembers the last texts, history knows which writes are in. All of it is kept in
// one row.
//
// Every first fetch below a node spends one of its budget, and every text that the host
// did not have earns nine: a shape of which one page in ten is new stays open for ever.
// A page that led to a useful page of another shape earns as well, so lists and
// redirects are kept that have no text of their own. A leaf begins with 40, the node
// above with 80; at most 150 are kept. A node whose budget is spent is closed: its URLs
// are put aside, but for those of leaves that have proven themselves and for the first
// five of a leaf. After a week, and each week again, three may be tried.
//
// Texts are compared by fingerprints of their words without dates and without the words
// of the URL (Digest.skeleton), with the last 512 of the host.
//
// Texts invented on demand are always new. A shape is endless (and closed) if its pages
// name hundreds of new pages of their own shape, each of them two or more, hardly one that
// is known beside the page that named it first, nobody else names any, and next to none of
// its pages leads to no new one. A site that someone made has an end: most pages of a tree
// are leaves. To come to the ends early, a few URLs go before the others (Scout): the first
// that a page names of a shape of which little is known, and those that such a page names.
//
// Lists without text are not judged by their own text alone: a useful page rewards the
// pages that led to it, up to four (days, months, years of an archive).
//
// A parameter that never changed the text, in eight pairs of URLs that differ in nothing
// else, two of them with a URL that does not have it, is left out of new URLs (Canonical).
//
// # Promises
//
//   - The same events in the same order give the same tree.
//   - Merging keeps the sums. A row takes at most MaxBytes.
//   - An event at or below the row's stamp changes nothing.
//
// # On failure
//
// A row that does not decode is an error. A tree that is lost begins anew: the host's
// URLs are known all the same, and a trap costs its budget once more.
//
// # Limits
//
// A host is judged by itself: the hosts of a site do not learn from each other. Invented
// pages that name one new page each (a chain), or some of which name none, are not told
// from a site that someone made. A site of a million pages whose every page names several
// others drawn from all of them, which no sitemap, feed or list names, looks invented until
// two of its links meet: rules add 'fit PATTERN' keeps its pages. A text that stood more
// than 512 texts ago counts as new.
package patterns
