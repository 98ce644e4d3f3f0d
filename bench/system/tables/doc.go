// Package tables runs what others build on the documents of a crawl as a table that changes: a
// query of Flink SQL and a sink of Kafka Connect over docs.json, with the files of docs/examples as
// they stand there. It has tests only.
//
// Limits: it needs a real Kafka (clustertest.KafkaAlone), Java 17, and mvn for the jars of Flink
// 2.0 and Kafka Connect 4.3 (200 MB, once a machine). Documents are appended as dedupe appends
// them; no crawl runs. It takes about 30 s and 25 s of CPU time.
package tables
