"""One sink over its ups and downs, and the monitor's restarts: nothing lost, nothing twice."""

from collections import Counter
from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.alerts.delivery.alerts import Alert
from streaming.alerts.delivery.outbox import Repeating
from streaming.alerts.delivery.receipts import ReceiptFile, Receipts
from streaming.alerts.delivery.worker import SinkWorker, retry_delay
from tests.alerts.parts import EVERY_MINUTE, START, NotingSink, alert


class MemoryFile(ReceiptFile):
    """Receipts that survive the worker, without a disk."""

    def __init__(self) -> None:
        self.text = b""
        self.writable = True

    def load(self) -> Receipts | None:
        return Receipts.from_json(self.text) if self.text else None

    def save(self, receipts: Receipts) -> None:
        if not self.writable:
            raise OSError("read only")
        self.text = receipts.to_json()


def worker(sink: NotingSink, file: MemoryFile, now: datetime = START) -> SinkWorker:
    return SinkWorker(sink, file, silences=(), started=now)


ACTIONS = st.sampled_from(["open", "resolve", "down", "up", "forget", "restart", "wait", "wait"])


class Story:
    """A table of alerts, a sink, and a monitor that is started again now and then."""

    def __init__(self, repeating: Repeating | None) -> None:
        self.now = START
        self.table: dict[str, Alert] = {}
        self.sink = NotingSink(repeating)
        self.file = MemoryFile()
        self.worker = worker(self.sink, self.file)
        self.worker.step(self.now)

    def act(self, action: str) -> None:
        self.now += timedelta(seconds=7)
        firing = [a for a in self.table.values() if a.resolved is None]
        if action == "open":
            self.write(alert(len(self.table), opened=self.now))
        elif action == "resolve" and firing:
            number = int(firing[0].alert_id.removeprefix("unfair-"))
            self.write(alert(number, opened=firing[0].opened, resolved=self.now))
        elif action in ("up", "down"):
            self.sink.up = action == "up"
        elif action == "forget":
            self.sink.up = False
            self.sink.restarted = True
        elif action == "restart":
            self.worker = worker(self.sink, self.file, self.now)
            self.worker.offer(self.table)
        elif action == "wait":
            self.now += timedelta(minutes=2)
        self.worker.step(self.now)

    def write(self, row: Alert) -> None:
        self.table[row.alert_id] = row
        self.worker.offer({row.alert_id: row})

    def end(self) -> None:
        """The sink comes back, and time passes."""
        self.sink.up = True
        for _ in range(4):
            self.now += timedelta(minutes=6)
            self.worker.step(self.now)


@settings(derandomize=True, max_examples=300)
@given(st.lists(ACTIONS, max_size=40))
def test_a_channel_hears_everything_and_nothing_twice(actions: list[str]) -> None:
    story = Story(None)
    for action in actions:
        story.act(action)
    story.end()
    assert max(Counter(story.sink.got).values(), default=1) == 1
    for name, row in story.table.items():
        told = [kind for kind, told_of in story.sink.got if told_of == name]
        if row.resolved is None:
            assert told == ["firing"]
        else:
            assert told in (["firing", "resolved"], ["over"])


@settings(derandomize=True, max_examples=300)
@given(st.lists(ACTIONS, max_size=40))
def test_alertmanager_hears_everything_and_of_every_end_once(actions: list[str]) -> None:
    story = Story(EVERY_MINUTE)
    for action in actions:
        story.act(action)
    story.end()
    for name, row in story.table.items():
        told = [kind for kind, told_of in story.sink.got if told_of == name]
        ends = [] if row.resolved is None else ["resolved"]
        assert told[0] == "firing"
        assert told == ["firing"] * (len(told) - len(ends)) + ends


def test_a_sink_that_is_down_is_left_alone_for_longer_and_longer() -> None:
    sink = NotingSink()
    tried = worker(sink, MemoryFile())
    sink.up = False
    tried.offer({"unfair-1": alert(1)})
    now, waits = START, []
    for _ in range(12):
        again = tried.step(now)
        assert again is not None
        assert tried.step(now) == again
        waits.append((again - now).total_seconds())
        now = again
    assert tried.status.failures == 12
    assert tried.status.error == "down"
    assert 0.5 <= waits[0] <= 1.0
    assert 150 <= waits[-1] <= 300
    sink.up = True
    assert tried.step(now) is None
    assert sink.got == [("firing", "unfair-1")]
    assert (tried.status.failures, tried.status.sent, tried.status.waiting) == (0, 1, 0)


def test_the_delay_doubles_and_is_bounded() -> None:
    assert [retry_delay(n, jitter=1.0).total_seconds() for n in (1, 2, 3, 9, 10, 999)] == [
        1, 2, 4, 256, 300, 300,
    ]  # fmt: skip
    assert retry_delay(3, jitter=0.0).total_seconds() == 2


def test_nothing_more_is_sent_while_the_receipts_cannot_be_kept() -> None:
    sink, file = NotingSink(), MemoryFile()
    tried = worker(sink, file)
    tried.step(START)
    file.writable = False
    tried.offer({a.alert_id: a for a in map(alert, range(7))})
    again = tried.step(START)
    assert len(sink.got) == 3
    assert again is not None
    assert tried.step(again) is not None
    assert len(sink.got) == 3
    file.writable = True
    tried.step(again + timedelta(minutes=1))
    assert len(sink.got) == len(set(sink.got)) == 7


def test_receipts_that_cannot_be_understood_are_begun_anew() -> None:
    sink, file = NotingSink(), MemoryFile()
    file.text = b"{"
    tried = worker(sink, file)
    tried.offer({"unfair-1": alert(1)})
    tried.step(START)
    assert sink.got == [("firing", "unfair-1")]
