"""A program that is one member of a group, so that it can be killed.

Arguments: its `ConsumerPlan` as JSON. Standard input: one JSON list of topics a line, each a new
subscription; at its end the program leaves the group in order. Standard output: one JSON line
whenever its member id or its assignment has changed.
"""

import json
import os
import select
import sys

from confluent_kafka import Consumer

from streaming.embedded.consumer import ConsumerPlan, Owned
from streaming.embedded.threads import state_of

_POLL_SECONDS = 0.1


def main() -> None:
    """Run until standard input ends, or who started it is gone."""
    plan = ConsumerPlan(**json.loads(sys.argv[1]))
    asker = os.getppid()
    consumer = Consumer(plan.settings())
    consumer.subscribe(list(plan.topics))
    said: tuple[str, Owned] | None = None
    while os.getppid() == asker and _obey(consumer):
        consumer.poll(_POLL_SECONDS)
        now = state_of(consumer)
        if now != said:
            print(json.dumps(now), flush=True)  # noqa: T201 - this is how it answers
            said = now
    consumer.close()


def _obey(consumer: Consumer) -> bool:
    """Take one order if there is one; False if there will be none any more."""
    readable, _, _ = select.select([sys.stdin], [], [], 0)
    if not readable:
        return True
    order = sys.stdin.readline()
    if order:
        consumer.subscribe(json.loads(order))
    return bool(order)


if __name__ == "__main__":
    main()
