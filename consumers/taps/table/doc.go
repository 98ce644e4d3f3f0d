// Package table writes documents and links as Parquet, and folds such files into what is true now:
// a snapshot of the documents, and the graph of the links.
//
// # Goals
//
// Who knows SQL, pandas or Spark reads the crawl without learning anything of ours.
//
// # How it works
//
// A table is a list of columns, each with the function that gives its values. The columns of
// documents are those of the log (log_partition, log_era, log_offset, logged_at), of deletions (op,
// reason, moved_to), and one for each field of Doc, made from its descriptor: a field that is added
// to the .proto file is a column at once. Times are timestamps in UTC, bytes hexadecimal texts,
// enums words in lower case, messages in messages JSON. NULL is what is not known.
//
// Snapshot and Graph read the files of one partition after the other, because a key always stands
// in the same one.
//
// # Promises
//
// The same records give the same rows. The greatest (log_era, log_offset) of a key is its newest
// row. Snapshot holds exactly the documents that the fold of the files holds.
//
// # On failure
//
// A fold that fails leaves no _SUCCESS file; delete what it left and repeat it. The files that are
// folded are not changed.
//
// # Limits
//
// Snapshot keeps about 60 bytes in memory for each key of a partition; Graph the row keys of all
// pages, with a bound that its caller sets. Columns that a newer millrace wrote and this one does
// not know are left out of a snapshot. Links of a page that has none any more stay in the graph:
// pages without links say nothing to urls.discovered.
package table
