"""Reads the topic docs through a door with two clients, and tries to append with one.

Usage: readers.py HOST:PORT USER, with the password on standard input.
"""
import sys

import confluent_kafka
import kafka

address, user, password = sys.argv[1], sys.argv[2], sys.stdin.read().strip()
login = {
    "bootstrap.servers": address, "security.protocol": "SASL_PLAINTEXT",
    "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": user, "sasl.password": password,
}


def confluent_read():
    consumer = confluent_kafka.Consumer(login | {"group.id": "confluent", "auto.offset.reset": "earliest"})
    consumer.subscribe(["docs"])
    values = []
    while len(values) < 3:
        message = consumer.poll(30)
        if message is None or message.error():
            sys.exit(f"confluent: {message and message.error()}")
        values.append(message.value().decode())
    consumer.commit(asynchronous=False)
    consumer.close()
    print("confluent", ",".join(sorted(values)))


def confluent_append():
    said = []
    producer = confluent_kafka.Producer(login)
    producer.produce("docs", b"forged", on_delivery=lambda error, _: said.append(error))
    producer.flush(30)
    print("confluent append:", said[0].name() if said and said[0] else "done")


def python_read():
    consumer = kafka.KafkaConsumer(
        "docs", bootstrap_servers=address, security_protocol="SASL_PLAINTEXT", sasl_mechanism="SCRAM-SHA-512",
        sasl_plain_username=user, sasl_plain_password=password, group_id="kafka-python",
        auto_offset_reset="earliest", consumer_timeout_ms=30000)
    values = []
    for message in consumer:
        values.append(message.value.decode())
        if len(values) == 3:
            break
    consumer.close()
    print("kafka-python", ",".join(sorted(values)))


confluent_read()
confluent_append()
python_read()
