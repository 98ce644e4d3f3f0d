// Package readers runs what docs/examples shows to people who do not write Go: a Python that
// follows the documents of a running crawl over Kafka, SQL over the Parquet files of the taps, and
// WARC files read by a library of others. The examples are run as they stand there.
//
// Limits: it needs a Python with the packages of docs/examples/requirements.txt
// (clustertest.PythonVar).
package readers
