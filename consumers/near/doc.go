// Package near is the consumer group that finds the documents whose texts are nearly the same, on
// any sites.
//
//	Reads    near.found (Sketch: a document of docs.unique; Bands, Match: what near tells itself)
//	Writes   near (NearPages), near.found (Bands, Match)
//	Keyed by site for what is of a document, so that it is in the partition of docs.unique; by the
//	         band itself for bands, so that documents of all sites meet
//	State    near_page, near_band
//
// # Goals
//
// Of each published document all near-duplicates are known while the crawl goes on, as a table that
// others read. A document costs a bounded number of records and rows, however many there are.
//
// # How it works
//
// dedupe tells of each document that it publishes or withdraws, with its sketch (package sketch). A
// sketch has six bands; documents that are near each other share one, most likely. A document's
// partition tells the partitions of its bands that it joins or leaves them (Bands). There a row a
// band lists its documents with their sketches; one that joins is compared with these, and where
// the sketches are near (sketch.Near), both are told (Match); only the first of the bands that two
// documents share does that. When a document leaves, the others are told.
//
// A document's row keeps the first 16 of its near-duplicates: those that were published earliest.
// When they change, a record goes to the topic near. Its cluster is the first of these and the
// document itself: documents that are all near each other have the same one, and it stays while
// others come.
//
// # Promises
//
// The rows are functions of the log. A document's version is the stamp of the record that brought
// its sketch. All that is told names the versions that it is about, and is ignored if another one
// is there now, so it does not matter in which order partitions hear of a change. A record that
// comes again changes nothing more.
//
// # On failure
//
// Store errors are retried by the loop. A record without row key, site or band, or with one that is
// too long, becomes a dead letter. A band that has a version of a document that is not there any
// more is told to drop it when that shows.
//
// # Limits
//
// A band lists the first 32 documents. One that comes behind them learns of the first 16, and they
// do not learn of it: all members of a large cluster have its name, and not all are listed. If the
// first document of such a cluster is withdrawn, those that no band lists are not told. Texts that
// are near each other in a chain (A to B, B to C) but not from end to end have records that name
// each other and different clusters. What dedupe told and the log lost comes with the document's
// next version.
package near
