"""The policies as assignors of Kafka's Python clients: an optional extra.

Each module here imports one client library, and nothing else in `assignors` imports any:
:mod:`assignors.adapters.kafka_python` and :mod:`assignors.adapters.aiokafka`.
"""
