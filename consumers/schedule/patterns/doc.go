// Package patterns remembers what the URLs of a host brought, by the shape of the URL. From that it
// says what a new URL is worth and whether it may be fetched. It is pure: no store, no log, no
// clock.
//
// # Goals
//
// A trap costs a bounded number of fetches, and the host goes on with its other shapes. Traps are
// calendars without end, session ids, filters in any combination, paths that grow, pages that say
// that nothing is there, invented pages, sitemaps of sitemaps. An honest site loses nothing,
// however odd its URLs are.
//
// # How it works
//
// A shape is a path cut into tokens (Tokens): words stay, runs of digits become #, long titles ~,
// identifiers *; the last token is the names of the parameters. Shapes form a tree, with one token
// for each node; a leaf is a whole shape. If a node gets too many children, those that are not
// proven are merged into one, "*". So the tree has about maxNodes nodes at most.
//
// Tree notes events in its parts: trie holds the shapes, budget counts what they spend and earn,
// parameters learns what the parameters of URLs do, texts remembers the last texts, history knows
// which records are noted. All of it is stored in one row.
//
// Budgets: every first fetch of a URL spends one from each node above it, and a text that the host
// did not have earns nine. So a shape of which one page in ten is new stays open for ever. A page
// that led to a useful page of another shape earns three, so lists and redirects without text of
// their own stay open. A leaf begins with 40, other nodes with 80; a node keeps at most 150. A node
// without budget is closed: its URLs are put aside (dropped with reason trap), except those of
// proven leaves (eight new texts or more) and the first five of a leaf below it (fewer, down to
// none, the more such trials brought nothing). For each week
// since it was closed, three more may be tried.
//
// A URL counts against the budget from when it is sent to fetch until its text is judged (Gate,
// PatternNode.awaited): below a node at most as many URLs are on their way as its budget has left,
// and at most a window, which begins with 8 for a leaf and grows with every second useful page. So
// what a shape costs does not depend on how soon its pages are judged. If nothing of a node was
// fetched or judged for ten minutes, what it awaits is lost and does not count any more.
//
// Texts are compared by fingerprints of their words, without dates and without the words of the URL
// (Digest.skeleton), with the last 512 of the host.
//
// Drained shapes: texts that come again and again have an end. If fewer than one in twelve of a
// node's next pages will bring a new text (by the share of texts that came once only among all
// pages of the node, which estimates what was not seen yet), at most two of the last 32 did, and
// its pages do not lead to other shapes, the node is closed, and a new text opens it only if there
// are more than that again.
//
// Invented pages: texts that a server invents on demand are always new, so the budget does not
// catch them. If at least half of a shape's URLs are named by its own pages, a URL that nobody
// named is fetched (Guess): that of a judged page with a far number, another identifier, or another
// year, such as 5312 (dates are known without signs too: 20260512). A real site has no such page,
// and is asked once more when ten times as many of the shape are judged. If three in a row have a
// new text and name new URLs as far away, the shape is taken for endless, and closed. What such a
// page names is not followed, and one that is not there is asked again every MaxInterval only. If
// one has no answer, or a crash loses it, the next is made when twice as many pages are judged.
//
// Endless shapes: also without such a URL a shape is taken for endless, and closed, if at least 100
// of its URLs were fetched and all of this is true:
//   - Its pages name 300 new pages of the same shape or more, at least two each on average.
//   - Other pages, feeds or sitemaps name at most 5 % of the shape's URLs.
//   - Its pages have at most two links to known pages of the shape, not counting links to the page
//     that named them first.
//   - At most 1 % of its pages name no new page of the shape. A site that people made has many such
//     ends: most pages of a tree are leaves.
//
// A chain is a shape of pages each of which names one new page, and which nobody else names. It is
// taken for endless from 150 pages on if the addresses come in no order: of the numbers or
// identifiers at least one in four is higher than that of the page that named it, and one in four
// lower. A serial counts its chapters, or its identifiers rise, so it is fetched whole however long
// it is.
//
// Until that is decided, of a shape that looks so at most 16 URLs are on their way. Once closed, it
// stays so however few URLs its pages still name, since these are not let in and not counted.
//
// To see the ends early, some URLs are fetched before others (Scout): the first one of a shape of
// which little is known, and those that a scout names.
//
// Lists without text: a useful page rewards the pages that led to it, up to four of them (days,
// months and years of an archive).
//
// Parameters: a parameter is left out of new URLs (Canonical) if it never changed the text in
// twelve pairs of URLs that differ in nothing else, at least three of them with a URL without it,
// from at least three different pages. Pages that named new pages of another shape are no evidence:
// they are lists, and are worth what they name. One URL of 64 keeps its parameters, so that one
// that begins to matter is noticed.
//
// Copies: pages that repeat the text of another page are known by their address, after twelve pages
// with that text and at most one in twenty with another: those with a segment that the page that
// named them has not (/print/7), and those with one segment in place of another (/v1/a, /stable/a).
// A page whose text the host has already is also compared with its URL in small letters, and with
// that without one of its first three segments (/en/de/7 and /de/7). And pages that differ in one
// identifier of their path only (/s/6f2a9c41/7), of the last 256, are compared with each other.
// Such a URL is put aside if the other page has a document, and waits if that is yet to be fetched.
// One URL of 64 is fetched all the same, so that a change is noticed.
//
// # Promises
//
//   - The same events in the same order give the same tree.
//   - Merging nodes keeps the sums. A row takes at most MaxBytes.
//   - An event at or below the row's stamp changes nothing (Begin).
//
// # On failure
//
// A row that does not decode is an error. If a tree is lost it begins anew: the host's URLs are
// still known, and a trap costs its budget once more.
//
// # Limits
//
// Each host is judged alone: the hosts of a site do not learn from each other (but see
// schedule.sites for hosts that repeat each other).
//
// Invented pages that name one new page each (a chain) and are counted or named by words, of which
// some name none, or that also name many known ones, are not told from a real site if the server
// refuses URLs that none of its pages named: a real shop looks the same until all its products are
// known. A limit rule or --max-pages-site bounds them. A server that has a page for any identifier,
// with a new text and new links, is taken for one that invents, also where its pages have a use, as
// an almanac: the rule 'fit PATTERN' keeps them. A real site of a million pages, each of which
// names several random others, and which no sitemap, feed or list names, looks endless until its
// links meet; the rule 'fit PATTERN' keeps its pages.
//
// An honest chain of more than 150 pages with identifiers in no order, which no list, feed, sitemap
// or other page names, is fetched three pages a week from there on; the rule 'fit PATTERN' keeps
// them.
//
// A text that is more than 512 texts old counts as new.
package patterns
