"""Webhook, Slack, e-mail and the rest, through Apprise: told once that an alert opened or ended."""

from collections.abc import Sequence
from typing import Any

import apprise

from streaming.alerts.delivery.identity import group_link, headline, scheme, sink_name
from streaming.alerts.delivery.outbox import Notice
from streaming.alerts.delivery.sinks import SinkError

_SINGLY = 5
_DIGEST = 50
_WORDS = {"firing": "FIRING", "resolved": "RESOLVED", "over": "OVER"}
_TYPES = {"info": "info", "warning": "warning", "critical": "failure"}


class AppriseSink:
    """One Apprise address.

    Apprise knows no acknowledgement but «sent»: after a kill between the channel's acceptance and
    the receipt, a fraction of a second, a message comes a second time. Its last line is the same.
    """

    repeating = None

    def __init__(self, url: str, *, dashboard_url: str = "") -> None:
        """Read the address.

        Args:
            url: Apprise address.
            dashboard_url: address of the dashboard, for links.

        Raises:
            ValueError: Apprise cannot read the address; the message does not repeat it.
        """
        self.name = sink_name(f"apprise-{scheme(url)}", url)
        self._dashboard_url = dashboard_url
        self._service = apprise.Apprise()
        if not self._service.add(url):
            raise ValueError(f"Apprise cannot read this {scheme(url) or 'empty'} address")

    def has_forgotten(self) -> bool:
        """Never: what was sent was read by people."""
        return False

    def lot(self, waiting: int) -> int:
        """One by one while they are few, then digests: a channel is not to be flooded."""
        return 1 if waiting <= _SINGLY else min(waiting, _DIGEST)

    def send(self, notices: Sequence[Notice]) -> None:
        """Send one message for the lot.

        Raises:
            SinkError: the channel did not take it.
        """
        title, body = self._message(notices)
        try:
            sent = self._service.notify(body=body, title=title, notify_type=_type(notices))
        except Exception as error:  # noqa: BLE001 - a hundred plug-ins, each with its own errors
            raise SinkError(f"not sent ({type(error).__name__})") from None
        if not sent:
            raise SinkError("not sent")

    def close(self) -> None:
        """Nothing is held open."""

    def _message(self, notices: Sequence[Notice]) -> tuple[str, str]:
        if len(notices) == 1:
            return _title(notices[0]), self._body(notices[0])
        firing = sum(notice.kind == "firing" for notice in notices)
        title = f"{len(notices)} alerts: {firing} firing, {len(notices) - firing} over"
        return title, "\n".join(f"{_title(n)} - {_sentence(n)} [{_id(n)}]" for n in notices)

    def _body(self, notice: Notice) -> str:
        lines = [_sentence(notice), group_link(self._dashboard_url, notice.alert), _id(notice)]
        return "\n".join(line for line in lines if line)


def _title(notice: Notice) -> str:
    return f"[{_WORDS[notice.kind]}] {headline(notice.alert)}"


def _sentence(notice: Notice) -> str:
    alert = notice.alert
    if notice.kind == "over":
        return (
            f"{alert.summary} {alert.outcome}" if alert.summary != alert.outcome else alert.outcome
        )
    return alert.outcome or alert.summary


def _id(notice: Notice) -> str:
    return f"{notice.alert.alert_id}.{notice.alert.sequence}"


def _type(notices: Sequence[Notice]) -> Any:
    """Apprise's type of the worst that fires; success if nothing does."""
    firing = {notice.alert.severity for notice in notices if notice.kind == "firing"}
    worst = next((name for name in ("critical", "warning", "info") if name in firing), None)
    return _TYPES[worst] if worst else "success"
