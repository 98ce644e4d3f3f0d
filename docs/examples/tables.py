"""Asks SQL of the files that the taps parquet and links have written.

    pip install duckdb
    python docs/examples/tables.py ./documents ./links

Prints, as JSON, the documents that stand (per key the last row of the log), how many there are by
language, and the pages that most other pages link to.
"""
import json
import sys

import duckdb

documents, links = sys.argv[1], sys.argv[2]
con = duckdb.connect()
con.execute("""
    CREATE VIEW documents AS SELECT * EXCLUDE n FROM (
      SELECT *, row_number() OVER (PARTITION BY key ORDER BY log_era DESC, log_offset DESC) AS n
      FROM read_parquet($1 || '/day=*/**/*.parquet', hive_partitioning = true, union_by_name = true))
    WHERE n = 1 AND op = 'put'""".replace("$1", f"'{documents}'"))
con.execute("""
    CREATE VIEW links AS SELECT source, source_url, target_url FROM read_parquet($1 || '/day=*/**/*.parquet')
    QUALIFY source_rev = max(source_rev) OVER (PARTITION BY source)""".replace("$1", f"'{links}'"))
print(json.dumps({
    "documents": dict(con.sql("SELECT key, title FROM documents ORDER BY key").fetchall()),
    "languages": dict(con.sql("SELECT lang, count(*) FROM documents GROUP BY 1 ORDER BY 1").fetchall()),
    "linked": dict(con.sql("""
        SELECT target_url, count(DISTINCT source) AS pages FROM links
        GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10""").fetchall()),
}, ensure_ascii=False))
