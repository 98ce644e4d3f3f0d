-- How many documents stand in each language, and how long they are: Flink SQL over docs.json, the
-- topic of `millrace consume json`. A changed document replaces its row, a deleted one takes it away.
--
--     sql-client.sh -f languages.sql        (Flink 2.0, with flink-connector-kafka 4.0.1-2.0)

CREATE TABLE documents (
  row_key STRING,
  url STRING,
  site STRING,
  title STRING,
  lang STRING,
  `text` STRING,
  fetched_at BIGINT,
  PRIMARY KEY (row_key) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'docs.json',
  'properties.bootstrap.servers' = 'kafka:9092',
  'properties.group.id' = 'flink-languages',
  'properties.isolation.level' = 'read_committed',
  'key.format' = 'raw',
  'value.format' = 'json',
  'value.fields-include' = 'EXCEPT_KEY'
);

CREATE TABLE languages (
  lang STRING,
  documents BIGINT,
  characters BIGINT,
  PRIMARY KEY (lang) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'docs.languages',
  'properties.bootstrap.servers' = 'kafka:9092',
  'key.format' = 'raw',
  'value.format' = 'json'
);

-- The query stands until it is stopped.
SET 'table.dml-sync' = 'true';

INSERT INTO languages
  SELECT COALESCE(lang, 'und'), COUNT(*), SUM(CHAR_LENGTH(`text`))
  FROM documents
  GROUP BY COALESCE(lang, 'und');
