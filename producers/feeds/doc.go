// Package feeds is the consumer group that turns fetched feeds into Add records: their items are to be fetched now.
//
// Reads: feeds.fetched (pages of kind feed). Writes: urls.discovered (Add; schedule gives its new URLs class 0). Keyed by: host of the target.
// State: none.
//
// What it reads: RSS 0.9 to 2.0, RDF and Atom by gofeed, JSON Feed by itself. An item's address is its link, or the guid that says to
// be one; enclosures are not read. An item may stand on any host, since many sites have their feeds written elsewhere: schedule's scope decides.
//
// Repeats are safe: the same Page gives byte for byte the same records, and known URLs cost schedule one read a host.
//
// On failure: what is no feed is dropped with the reason not_listing. A feed that breaks off, or is longer or deeper than its limits, is
// read up to the last item that is whole (see cut): gofeed reads well formed documents only, and takes hundreds of times their size in memory.
//
// Caveats: what a feed says about itself (ttl, sy:updatePeriod) is not passed on: schedule measures how often it changes.
package feeds
