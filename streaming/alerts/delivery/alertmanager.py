"""Alertmanager, through its v2 API.

Identity is in the labels, so they hold only what stays the same while an alert fires; values and
sentences are annotations. An alert that is not posted again expires, so one that fires is posted
with an end in the near future, and a resolved one with the end that it had.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any

import httpx

from streaming.alerts.delivery.alerts import Alert
from streaming.alerts.delivery.identity import group_link, sink_name
from streaming.alerts.delivery.outbox import Notice, Repeating
from streaming.alerts.delivery.sinks import RefusedError, SinkError

_LOT = 200
_SUBJECT_LABELS = {"topic_skew": "topic", "flapping": "member", "lag_skew": "member"}
_LEAST_VALID = timedelta(minutes=5)
_MISSED_POSTS = 4
_REFUSALS = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY)


class AlertmanagerSink:
    """One Alertmanager."""

    def __init__(
        self,
        url: str,
        *,
        repeating: Repeating,
        dashboard_url: str = "",
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Connect to nothing yet.

        Args:
            url: base address; a user and password in it are sent as basic authentication.
            repeating: how it is told again of what fires.
            dashboard_url: address of the dashboard, for links.
            transport: for tests.
        """
        self.name = sink_name("alertmanager", url)
        self.repeating = repeating
        self._valid = max(_LEAST_VALID, _MISSED_POSTS * repeating.every)
        self._dashboard_url = dashboard_url
        self._started: str | None = None
        self._client = httpx.Client(
            base_url=url.rstrip("/") + "/", timeout=10.0, transport=transport
        )

    def has_forgotten(self) -> bool:
        """Whether it was started anew since it was asked last: it keeps no alerts over a restart.

        Raises:
            SinkError: no connection, or an error of the server.
        """
        before, self._started = self._started, self._ask_start()
        return before is not None and self._started not in (None, before)

    def lot(self, waiting: int) -> int:
        """Some hundred at once."""
        return min(waiting, _LOT)

    def send(self, notices: Sequence[Notice]) -> None:
        """Post one lot.

        Raises:
            RefusedError: an alert in it is not acceptable.
            SinkError: no connection, or an error of the server.
        """
        now = datetime.now(UTC)
        response = self._call("POST", "alerts", [self._posted(notice, now) for notice in notices])
        if response.status_code in _REFUSALS:
            raise RefusedError(f"HTTP {response.status_code}: {response.text[:200]}")
        if not response.is_success:
            raise SinkError(f"HTTP {response.status_code}")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _call(self, method: str, name: str, body: Any = None) -> httpx.Response:
        try:
            return self._client.request(method, f"api/v2/{name}", json=body)
        except httpx.HTTPError as error:
            # The text of an httpx error may hold the address, password included.
            raise SinkError(f"no answer ({type(error).__name__})") from None

    def _ask_start(self) -> str | None:
        """When it was started; None where something else speaks its API and does not say."""
        response = self._call("GET", "status")
        if response.is_server_error:
            raise SinkError(f"HTTP {response.status_code}")
        try:
            return str(response.json()["uptime"])
        except (ValueError, KeyError, TypeError):
            return None

    def _posted(self, notice: Notice, now: datetime) -> dict[str, Any]:
        alert = notice.alert
        return {
            "labels": labels(alert),
            "annotations": annotations(alert),
            "startsAt": alert.opened.isoformat(),
            "endsAt": self._end(notice, now).isoformat(),
            "generatorURL": group_link(self._dashboard_url, alert),
        }

    def _end(self, notice: Notice, now: datetime) -> datetime:
        if notice.kind == "firing":
            return now + self._valid
        # A withdrawn alert has no end of its own, and an end must not be before the beginning.
        return max(notice.alert.resolved or now, notice.alert.opened)


def labels(alert: Alert) -> dict[str, str]:
    """What an alert is, which does not change while it fires; empty labels are left out."""
    found = {
        "alertname": "KafkaGroup" + "".join(word.title() for word in alert.rule.split("_")),
        "rule": alert.rule,
        "severity": alert.severity,
        "cluster": alert.cluster,
        "group": alert.group_id,
        _SUBJECT_LABELS.get(alert.rule, "subject"): alert.subject,
    }
    if not alert.group_id:
        found["alertname"] = "RebalanceMonitorBehind"
    return {name: value for name, value in found.items() if value}


def annotations(alert: Alert) -> dict[str, str]:
    """What an alert says."""
    return {
        "summary": alert.summary,
        "value": f"{alert.value:g}",
        "threshold": f"{alert.threshold:g}",
        "alert_id": alert.alert_id,
    }
