// Package feeds is the consumer group that turns fetched feeds into Add records.
//
// # Goals
//
// The items of a feed are fetched soon: schedule puts new URLs from a feed of their own site first.
//
// # How it works
//
// Reads the pages of kind feed in feeds.fetched. Writes urls.discovered. It keeps no state. RSS 0.9
// to 2.0, RDF and Atom are read by gofeed, JSON Feed is read here. The address of an item is its
// link, or its guid if that says it is a link; enclosures are not read. An item may be on any host,
// because many sites let another host write their feed. For a host of another site the item is a
// hint (see package listing), and schedule's scope decides.
//
// # Promises
//
// The same Page gives the same records, byte for byte.
//
// # On failure
//
// A document that is not a feed is dropped with the reason not_listing. A feed that breaks off, or
// is longer or deeper than Options allow, is read up to its last whole item (see cut): gofeed reads
// well-formed documents only, and needs hundreds of times their size in memory.
//
// # Limits
//
// What a feed says about itself (ttl, sy:updatePeriod, skipHours, skipDays, its hub) goes to
// schedule as a hint beside what is measured. The WebSub hub of a JSON Feed is read too; Link
// headers are not.
package feeds
