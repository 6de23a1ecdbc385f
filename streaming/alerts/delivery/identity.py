"""Names and links of alerts, as every sink shows them."""

from hashlib import sha256
from urllib.parse import urlencode, urlsplit

from streaming.alerts.delivery.alerts import Alert


def sink_name(kind: str, address: str) -> str:
    """A stable name for a sink that gives away its host at most: ``apprise-slack-1f3a9c02``."""
    digest = sha256(address.encode()).hexdigest()[:8]
    return f"{kind}-{digest}"


def group_link(dashboard_url: str, alert: Alert) -> str:
    """Address of the group's page on the dashboard, of the overview for the monitor itself."""
    base = dashboard_url.rstrip("/")
    if not base or not alert.group_id:
        return base
    return f"{base}/group?{urlencode({'cluster': alert.cluster, 'id': alert.group_id})}"


def headline(alert: Alert) -> str:
    """The rule in words and the group: ``moves to fairest: orders (shop)``."""
    about = alert.group_id or "the monitor"
    return f"{alert.rule.replace('_', ' ')}: {about} ({alert.cluster})"


def scheme(address: str) -> str:
    """Scheme of an address, in lower case."""
    return urlsplit(address).scheme.lower()
