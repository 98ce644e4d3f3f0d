// Package remote makes one index of the shards of many processes: a Handler answers the two rounds of a search
// for the shards of its process, and a Source joins the shards of this process with those of its peers.
//
// A search opens a view at every peer, which takes a snapshot there, asks it in both rounds, reads the pages it
// shows and closes it. A view that is not closed ends after Options.Keep. If two processes have a partition, because
// it moved and its old owner has not dropped it, the one that is further along answers.
//
// Failure: a peer that does not answer is a warning in the result, unless other processes have all its partitions.
//
// Caveats: the handler is for peers, not for the world: give it a token, and do not mount it beside public pages. Pages
// travel with their whole text, up to 1 MiB each.
package remote
