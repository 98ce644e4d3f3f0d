// Package remote makes one index of the shards of many processes: a Handler answers the two rounds
// of a search for the shards of its process, and a Source joins the shards of this process with
// those of its peers.
//
// # Goals
//
// A search over many processes gives what a search over one would give, page by page and score by
// score, or says which part is missing.
//
// # How it works
//
// A search opens a view at every peer, which takes a snapshot there, asks it in both rounds, reads
// the pages it shows, and closes it. A view that is not closed ends after Options.Keep. If several
// processes have a partition, the one that is furthest along in the latest log answers. Its owner
// tells what it should have: if that is more, the search says that it is partial.
//
// Peers talk HTTP inside TLS 1.3, with certificates on both sides that follow from the secret which
// all processes of a cluster share (Identity).
//
// # Promises
//
// Who does not know the secret learns nothing, is told nothing and is not believed. What comes from
// another process is bounded in size before it is decoded, and checked before it is used.
//
// # On failure
//
// A peer that does not answer, or not rightly, is a gap in the result, unless other processes have
// all its partitions.
//
// # Limits
//
// Pages travel with their whole text, up to 1 MiB each. All who know the secret are equal.
package remote
