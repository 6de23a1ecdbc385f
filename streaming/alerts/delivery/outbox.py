"""What a sink is still to be told: pure bookkeeping over alerts, receipts and silences.

There are two kinds of sink. A *channel* (webhook, Slack, e-mail) is told once that an alert opened
and once that it resolved. Alertmanager is told again and again while an alert fires, forgets what
it is not told, and knows by itself what it has heard before.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from streaming.alerts.delivery.alerts import Alert
from streaming.alerts.delivery.receipts import Receipt, Receipts
from streaming.settings.alerts import Silence

Kind = Literal["firing", "resolved", "over", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to tell a sink.

    Attributes:
        kind: ``firing``; ``resolved``; ``over``, it resolved before a channel could be told of it;
            ``withdrawn``, it fires but has been silenced.
        alert: the alert.
    """

    kind: Kind
    alert: Alert


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeating:
    """How Alertmanager is told.

    Attributes:
        every: how often it is told again of what fires.
        at_least: a resolution waits until it has known the alert for so long; it would group and
            forget a shorter one without a word to anybody.
    """

    every: timedelta
    at_least: timedelta


class Outbox:
    """What one sink is still to be told."""

    def __init__(
        self,
        receipts: Receipts,
        *,
        repeating: Repeating | None = None,
        silences: Sequence[Silence] = (),
    ) -> None:
        """Begin with no alert.

        `changed` says whether the receipts differ from what was last kept.

        Args:
            receipts: what the sink has taken; kept up to date in place.
            repeating: for Alertmanager; None for a channel.
            silences: of the configuration.
        """
        self.receipts = receipts
        self.changed = True
        self._repeating = repeating
        self._silences = silences
        self._alerts: dict[str, Alert] = {}
        self._posted: dict[str, datetime] = {}
        self._forgotten: set[str] = set()
        self._settled = receipts.baseline

    def take(self, alerts: Mapping[str, Alert]) -> None:
        """Take note of new alerts, and of new rows of known ones."""
        for name, alert in alerts.items():
            known = self._alerts.get(name)
            told = self.receipts.by_alert.get(name)
            if told is None or told.told != "resolved":
                self._alerts[name] = known.after(alert) if known else alert

    def due(self, now: datetime) -> list[Notice]:
        """What the sink should be told now, the oldest alert first."""
        for alert in [*self._alerts.values()]:
            if self._is_done(alert, now):
                self._finish(alert)
        waiting = (Notice(kind, alert) for alert, kind in self._judged(now))
        return sorted(waiting, key=lambda notice: (notice.alert.opened, notice.alert.alert_id))

    def acknowledge(self, notices: Iterable[Notice], now: datetime) -> None:
        """The sink has taken these."""
        for notice in notices:
            name = notice.alert.alert_id
            if notice.kind == "firing":
                self._posted[name] = now
                if name not in self.receipts.by_alert or name in self._forgotten:
                    self._write(name, Receipt("firing", now))
                    self._forgotten.discard(name)
            elif notice.kind == "withdrawn":
                self._posted.pop(name, None)
                del self.receipts.by_alert[name]
                self.changed = True
            else:
                self._write(name, Receipt("resolved", now))
                self._finish(notice.alert)

    def repeat(self) -> None:
        """The sink may have forgotten everything: tell it again of what it knew as firing.

        That holds for what has resolved by now as well. It would not pass on the end of an alert of
        which it has never heard.
        """
        self._posted.clear()
        receipts = self.receipts.by_alert.items()
        self._forgotten = {name for name, receipt in receipts if receipt.told == "firing"}

    def rest(self, now: datetime) -> datetime | None:
        """When there may be something due though nothing new happens; None if never."""
        times = [silence.until for silence in self._silences if silence.until > now]
        if self._repeating is not None:
            times += [posted + self._repeating.every for posted in self._posted.values()]
            times += [
                receipt.at + self._repeating.at_least
                for name, receipt in self.receipts.by_alert.items()
                if name in self._alerts and self._alerts[name].resolved is not None
            ]
        return min((time for time in times if time > now), default=None)

    def tidy(self) -> None:
        """Once nothing that resolved waits, move the baseline up and drop the receipts below it."""
        if any(alert.resolved is not None for alert in self._alerts.values()):
            return
        if self._settled > self.receipts.baseline:
            self.receipts.baseline = self._settled
            self.receipts.by_alert = {
                name: receipt
                for name, receipt in self.receipts.by_alert.items()
                if receipt.told == "firing"
            }
            self.changed = True

    def _judged(self, now: datetime) -> Iterator[tuple[Alert, Kind]]:
        for alert in self._alerts.values():
            kind = self._kind(alert, now)
            if kind is not None:
                yield alert, kind

    def _kind(self, alert: Alert, now: datetime) -> Kind | None:
        receipt = self.receipts.by_alert.get(alert.alert_id)
        if alert.resolved is not None:
            return self._kind_of_resolved(alert, receipt, now)
        if self._silenced(alert, now):
            return "withdrawn" if receipt and self._repeating else None
        if receipt is None:
            return "firing"
        return "firing" if self._repeats(alert, now) else None

    def _kind_of_resolved(
        self, alert: Alert, receipt: Receipt | None, now: datetime
    ) -> Kind | None:
        if self._repeating is None:
            return "resolved" if receipt else "over"
        if receipt is None or alert.alert_id in self._forgotten:
            return "firing"
        return "resolved" if now >= receipt.at + self._repeating.at_least else None

    def _repeats(self, alert: Alert, now: datetime) -> bool:
        if self._repeating is None:
            return False
        posted = self._posted.get(alert.alert_id)
        return posted is None or now >= posted + self._repeating.every

    def _is_done(self, alert: Alert, now: datetime) -> bool:
        """Whether nobody need be told: it resolved under a silence, or before the sink's time."""
        if alert.resolved is None or alert.alert_id in self.receipts.by_alert:
            return False
        return alert.resolved <= self.receipts.baseline or self._silenced(alert, now)

    def _silenced(self, alert: Alert, now: datetime) -> bool:
        return any(
            silence.covers(group_id=alert.group_id, rule=alert.rule, now=now)
            for silence in self._silences
        )

    def _write(self, name: str, receipt: Receipt) -> None:
        self.receipts.by_alert[name] = receipt
        self.changed = True

    def _finish(self, alert: Alert) -> None:
        self._alerts.pop(alert.alert_id, None)
        self._posted.pop(alert.alert_id, None)
        if alert.resolved is not None:
            self._settled = max(self._settled, alert.resolved)
