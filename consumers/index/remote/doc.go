// Package remote makes one index of the shards of several processes: a Handler answers both rounds
// of a search for the shards of its process, and a Source joins the shards of this process with
// those of its peers.
//
// # Goals
//
// A search over several processes gives the same pages with the same scores as a search over one,
// or says which part is missing.
//
// # How it works
//
// A search opens a view at every peer, which takes a snapshot there, asks it in both rounds, reads
// the pages that it shows, and closes the view. A view that is not closed ends after Options.Keep.
// If several processes have a partition, the one answers that has read furthest in the latest log.
// The owner of the partition says how far it should be; if the answering shard is behind that, the
// search says that it is partial.
//
// Peers use HTTP over TLS 1.3 with certificates on both sides. The key that issues the certificates
// is derived from the secret that all processes of a cluster share (Identity).
//
// # Promises
//
// A process that does not know the secret can neither ask nor answer. Everything from another
// process is bounded in size before it is decoded, and checked before it is used.
//
// # On failure
//
// A peer that does not answer, or answers wrongly, is a gap in the result, unless other processes
// have all its partitions.
//
// # Limits
//
// Pages are sent with their whole text, up to 1 MiB each. All who know the secret have the same
// rights.
package remote
