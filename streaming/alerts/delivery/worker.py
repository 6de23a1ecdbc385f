"""One sink and its thread: tries, backs off, keeps the receipts."""

import random
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import structlog

from streaming.alerts.delivery.alerts import Alert
from streaming.alerts.delivery.outbox import Notice, Outbox
from streaming.alerts.delivery.receipts import ReceiptFile, Receipts
from streaming.alerts.delivery.sinks import RefusedError, Sink, SinkError
from streaming.settings.alerts import Silence

log = structlog.get_logger(__name__)

_FIRST_RETRY_SECONDS = 1.0
_LONGEST_RETRY_SECONDS = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkStatus:
    """How delivery to one sink goes.

    Attributes:
        sink: its name.
        waiting: notices due that it has not taken.
        sent: notices it has taken since the start.
        failures: attempts since the last that succeeded.
        error: what went wrong at the last attempt, '' if nothing did.
    """

    sink: str
    waiting: int = 0
    sent: int = 0
    failures: int = 0
    error: str = ""


def retry_delay(failures: int, *, jitter: float) -> timedelta:
    """How long to wait after so many failures in a row: doubling, bounded, half of it by chance.

    Args:
        failures: 1 or more.
        jitter: chance, 0 to 1.
    """
    doubled = _FIRST_RETRY_SECONDS * 2.0 ** min(failures - 1, 30)
    return timedelta(seconds=min(doubled, _LONGEST_RETRY_SECONDS) * (0.5 + 0.5 * jitter))


def wall_clock() -> datetime:
    """Now, in UTC."""
    return datetime.now(UTC)


class SinkWorker:
    """Delivery to one sink. `step` does whatever can be done now; its thread calls nothing else."""

    def __init__(
        self, sink: Sink, file: ReceiptFile, *, silences: Sequence[Silence], started: datetime
    ) -> None:
        """Take up the receipts.

        Args:
            sink: the sink.
            file: its receipts.
            silences: of the configuration.
            started: a sink that is new is not told of what resolved before.

        Raises:
            OSError: the receipts cannot be read.
        """
        self._sink = sink
        self._file = file
        self._outbox = Outbox(_load(file, started), repeating=sink.repeating, silences=silences)
        self._inbox: dict[str, Alert] = {}
        self._wake = threading.Condition()
        self._stopped = False
        self._retry_at = started
        self._doubtful = True
        self.status = SinkStatus(sink=sink.name)
        self._thread = threading.Thread(target=self._run, name=f"alerts-{sink.name}", daemon=True)

    @property
    def baseline(self) -> datetime:
        """Alerts that resolved by then are done."""
        return self._outbox.receipts.baseline

    def start(self) -> None:
        """Deliver from a thread of its own."""
        self._thread.start()

    def offer(self, alerts: Mapping[str, Alert]) -> None:
        """Hand over new alerts, and new rows of known ones; returns at once."""
        with self._wake:
            for name, alert in alerts.items():
                known = self._inbox.get(name)
                self._inbox[name] = known.after(alert) if known else alert
            self._wake.notify()

    def close(self, *, wait_seconds: float) -> None:
        """Stop; what is not delivered is delivered after the next start."""
        with self._wake:
            self._stopped = True
            self._wake.notify()
        if self._thread.ident is not None:
            self._thread.join(wait_seconds)
        self._sink.close()

    def step(self, now: datetime) -> datetime | None:
        """Tell the sink what is due, unless it is to be left alone for a while after a failure.

        Returns:
            When to step again if nothing is offered before; None if there is no need.
        """
        self._absorb()
        if now < self._retry_at:
            return self._retry_at
        try:
            self._keep()
            self._recall()
            self._send_due(now)
        except (SinkError, OSError) as error:
            self._fail(str(error), now)
            return self._retry_at
        except Exception as error:
            # A defect, but one that must not end delivery without a word.
            log.exception("alerts not delivered", sink=self._sink.name)
            self._fail(type(error).__name__, now)
            return self._retry_at
        return self._outbox.rest(now)

    def _absorb(self) -> None:
        with self._wake:
            offered, self._inbox = self._inbox, {}
        self._outbox.take(offered)

    def _keep(self) -> None:
        """Keep the receipts before anything more is sent: one lot at most can be repeated."""
        if self._outbox.changed:
            self._file.save(self._outbox.receipts)
            self._outbox.changed = False

    def _recall(self) -> None:
        """At first and after a failure, see whether the sink still knows what it was told."""
        if self._doubtful:
            if self._sink.has_forgotten():
                self._outbox.repeat()
            self._doubtful = False

    def _send_due(self, now: datetime) -> None:
        while due := self._outbox.due(now):
            self.status = replace(self.status, waiting=len(due))
            lot = due[: self._sink.lot(len(due))]
            self._send(lot)
            self._outbox.acknowledge(lot, now)
            self._keep()
            self._succeed(sent=len(lot), waiting=len(due) - len(lot))
        self._outbox.tidy()
        self._keep()

    def _send(self, lot: Sequence[Notice]) -> None:
        try:
            self._sink.send(lot)
        except RefusedError as error:
            self._refused(lot, str(error))

    def _refused(self, lot: Sequence[Notice], error: str) -> None:
        """Find the one that is refused; tried again, it would hold up all that wait behind it."""
        if len(lot) > 1:
            for notice in lot:
                self._send([notice])
            return
        alert_id = lot[0].alert.alert_id
        log.error("alert refused", sink=self._sink.name, alert=alert_id, error=error)

    def _succeed(self, *, sent: int, waiting: int) -> None:
        if self.status.failures:
            log.info("alert sink is back", sink=self._sink.name, failures=self.status.failures)
        self.status = SinkStatus(
            sink=self._sink.name, waiting=waiting, sent=self.status.sent + sent
        )

    def _fail(self, error: str, now: datetime) -> None:
        self._doubtful = True
        failures = self.status.failures + 1
        delay = retry_delay(failures, jitter=random.random())  # noqa: S311 - spreads retries only
        self._retry_at = now + delay
        self.status = replace(self.status, failures=failures, error=error)
        log.warning(
            "alerts not delivered, will be tried again",
            sink=self._sink.name,
            error=error,
            failures=failures,
            retry_seconds=round(delay.total_seconds(), 1),
        )

    def _run(self) -> None:
        while not self._stopped:
            again = self.step(wall_clock())
            with self._wake:
                if not self._inbox and not self._stopped:
                    self._wake.wait(_seconds_until(again))


def _load(file: ReceiptFile, started: datetime) -> Receipts:
    try:
        return file.load() or Receipts(baseline=started)
    except ValueError as error:
        log.warning("receipts of an alert sink cannot be understood, begun anew", error=str(error))
        return Receipts(baseline=started)


def _seconds_until(time: datetime | None) -> float | None:
    return None if time is None else max(0.0, (time - wall_clock()).total_seconds())
