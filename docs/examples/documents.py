"""Follows the documents of a crawl: a line of JSON for each that is published or taken away.

    pip install confluent-kafka grpcio-tools
    python -m grpc_tools.protoc -I . --python_out=. schema/messages.proto      # in the root of millrace's source
    millrace run --kafka-listen 127.0.0.1:9092 …                               # or any Kafka cluster
    PYTHONPATH=. python docs/examples/documents.py millrace-data/kcat.conf

The argument is a file of librdkafka settings, a line each: the one that millrace writes beside its data,
or your own with bootstrap.servers and how to log in. --until-end ends at what is the end now.
"""
import argparse
import json

from confluent_kafka import Consumer, KafkaError, KafkaException

from schema.messages_pb2 import Unique


def settings(path):
    with open(path) as lines:
        pairs = (line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
        return {name.strip(): value.strip() for name, value in pairs}


def refused(error):
    """Ends the program when the login is refused: librdkafka itself would try again for ever."""
    if error.code() in (KafkaError._AUTHENTICATION, KafkaError._SSL):
        raise KafkaException(error)


def records(config, until_end):
    """Yields the messages of docs.unique, from where the group was, else from the first."""
    consumer = Consumer(settings(config) | {
        "group.id": "example-documents", "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",   # dedupe appends in transactions, on a cluster
        "enable.partition.eof": until_end,
        "error_cb": refused, "log_level": 2,   # what is wrong is said once, at the end
    })
    assigned, ended = set(), set()
    consumer.subscribe(["docs.unique"], on_assign=lambda _, parts: assigned.update(p.partition for p in parts))
    try:
        while not until_end or not assigned or ended != assigned:
            message = consumer.poll(1)
            if message is None:
                continue
            if message.error():
                if message.error().code() != KafkaError._PARTITION_EOF:
                    raise SystemExit(message.error().str())
                ended.add(message.partition())
                continue
            yield message
    finally:
        consumer.close()


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("settings")
    args.add_argument("--until-end", action="store_true")
    args = args.parse_args()
    try:
        follow(args)
    except KafkaException as e:
        raise SystemExit(f"{args.settings}: {e.args[0].str()}")


def follow(args):
    for message in records(args.settings, args.until_end):
        line = {"key": message.key().decode()}
        if message.value() is None:
            line["op"] = "delete"
        else:
            doc = Unique.FromString(message.value()).doc
            line |= {"op": "put", "url": doc.url, "title": doc.title, "lang": doc.lang, "words": len(doc.text.split())}
        print(json.dumps(line, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
