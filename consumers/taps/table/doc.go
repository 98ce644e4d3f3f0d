// Package table writes documents and links as Parquet, and makes from such files what is current: a
// snapshot of the documents, and the graph of the links.
//
// # Goals
//
// Whoever knows SQL, pandas or Spark can read the crawl without learning anything about millrace.
//
// # How it works
//
// A table is a list of columns, each with the function that gives its values. The columns of
// documents are the position in the log (log_partition, log_era, log_offset, logged_at), those of
// deletions (op, reason, moved_to), and one for each field of Doc, made from its descriptor: a
// field that is added to the .proto file becomes a column. Times are timestamps in UTC, bytes are
// hexadecimal strings, enums are words in lower case, and messages are JSON. NULL means unknown.
//
// Snapshot and Graph read the files of one partition after the other, because all rows of a key are
// in the same partition.
//
// # Promises
//
// The same records give the same rows. The newest row of a key is the one with the greatest
// (log_era, log_offset). A snapshot has exactly the documents that are current in the files.
//
// # On failure
//
// If Snapshot or Graph fails or is killed there is no _SUCCESS file, but one named _UNFINISHED; the
// same call begins again in that place. The files that are read are not changed.
//
// # Limits
//
// Snapshot keeps about 60 bytes in memory for each key of a partition; Graph keeps the row keys of
// all pages, up to a bound that its caller sets. Columns that a newer millrace wrote and this one
// does not know are left out of a snapshot. When a page has no links any more, its old links stay
// in the graph, because urls.discovered has no record for a page without links.
package table
