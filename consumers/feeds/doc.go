// Package feeds is the consumer group that turns fetched feeds into Add records.
//
// # Goals
//
// The items of a feed are fetched soon: schedule gives new URLs from a feed of their own site the
// first class.
//
// # How it works
//
// Reads the pages of kind feed in feeds.fetched. Writes urls.discovered: Add records for the items,
// and a Listed record with what schedule needs to plan the next poll. It keeps no state.
//
// RSS 0.9 to 2.0, RDF and Atom are parsed by gofeed, JSON Feed is parsed here. The address of an
// item is its link, or its guid if that is marked as a link; enclosures are not read. An item may
// be on any host, because many sites have their feed written by another host. An item on another
// site is only a hint (package listing), and the scope of schedule decides.
//
// What a feed says about itself (ttl, sy:updatePeriod, skipHours, skipDays, its WebSub hub) goes to
// schedule as a hint beside what is measured. A hub may also be named by a Link header of the
// answer, which counts before what the document says.
//
// # Promises
//
// The same Page gives the same records, byte for byte.
//
// # On failure
//
// A document that is not a feed is dropped with the reason not_listing. A feed that breaks off, or
// is longer or deeper than Options allow, is read up to its last complete item (cut). It is cut
// before gofeed sees it, because gofeed reads only well-formed documents and needs hundreds of
// times their size in memory.
//
// # Limits
//
// Of the links that Link headers name (RFC 8288) the first 64 are read, and of each header 4 KiB.
package feeds
