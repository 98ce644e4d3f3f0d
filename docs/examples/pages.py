"""Lists what stands in WARC files: a line for each answer, with its type and the length of its body.

    pip install warcio
    python docs/examples/pages.py ./pages/day=*/*.warc.gz
"""
import sys

from warcio.archiveiterator import ArchiveIterator

for name in sys.argv[1:]:
    with open(name, "rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            if record.rec_type in ("response", "revisit"):
                body = record.content_stream().read()
                print(record.rec_type, record.http_headers.get_statuscode(), record.rec_headers["WARC-Target-URI"],
                      record.http_headers.get_header("content-type"), len(body), sep="\t")
