"""What a sink is told, and when, on alerts that come and go."""

from datetime import datetime, timedelta

from streaming.alerts.delivery.alerts import Alert
from streaming.alerts.delivery.outbox import Outbox
from streaming.alerts.delivery.receipts import Receipts
from streaming.settings.alerts import Silence
from tests.alerts.parts import EVERY_MINUTE, START, alert

LATER = START + timedelta(minutes=3)


def channel(*silences: Silence, baseline: datetime = START - timedelta(hours=1)) -> Outbox:
    return Outbox(Receipts(baseline=baseline), silences=silences)


def alertmanager(*silences: Silence) -> Outbox:
    receipts = Receipts(baseline=START - timedelta(hours=1))
    return Outbox(receipts, repeating=EVERY_MINUTE, silences=silences)


def told(outbox: Outbox, now: datetime) -> list[str]:
    """Tell the sink what is due; the kinds."""
    due = outbox.due(now)
    outbox.acknowledge(due, now)
    return [notice.kind for notice in due]


def offer(outbox: Outbox, *alerts: Alert) -> None:
    outbox.take({offered.alert_id: offered for offered in alerts})


def silence(*, until: datetime, groups: str = "*") -> Silence:
    return Silence(groups=groups, until=until)


def test_a_channel_is_told_once_of_the_opening_and_once_of_the_end() -> None:
    outbox = channel()
    offer(outbox, alert(1))
    assert told(outbox, START) == ["firing"]
    offer(outbox, alert(1, sequence=1, value=9.0))
    assert told(outbox, LATER) == []
    offer(outbox, alert(1, resolved=LATER, sequence=2))
    assert told(outbox, LATER) == ["resolved"]
    offer(outbox, alert(1, resolved=LATER, sequence=2))
    assert told(outbox, LATER) == []


def test_a_channel_is_told_of_what_came_and_went_while_it_was_down() -> None:
    outbox = channel()
    offer(outbox, alert(1, summary="Bad."))
    offer(outbox, alert(1, resolved=LATER, summary="Over."))
    (notice,) = outbox.due(LATER)
    assert notice.kind == "over"
    assert notice.alert.summary == "Bad."


def test_a_new_sink_hears_of_what_fires_and_not_of_what_is_long_over() -> None:
    outbox = channel(baseline=LATER)
    offer(outbox, alert(1, resolved=LATER), alert(2))
    assert [notice.alert.alert_id for notice in outbox.due(LATER)] == ["unfair-2"]


def test_alertmanager_is_told_again_while_an_alert_fires() -> None:
    outbox = alertmanager()
    offer(outbox, alert(1))
    assert told(outbox, START) == ["firing"]
    assert outbox.rest(START) == START + timedelta(seconds=60)
    assert told(outbox, START + timedelta(seconds=59)) == []
    assert told(outbox, START + timedelta(seconds=60)) == ["firing"]


def test_alertmanager_knows_an_alert_long_enough_before_it_hears_that_it_is_over() -> None:
    outbox = alertmanager()
    offer(outbox, alert(1, resolved=START))
    assert told(outbox, LATER) == ["firing"]
    assert told(outbox, LATER + timedelta(seconds=44)) == []
    assert outbox.rest(LATER) == LATER + timedelta(seconds=45)
    assert told(outbox, LATER + timedelta(seconds=45)) == ["resolved"]
    assert outbox.rest(LATER + timedelta(seconds=45)) is None


def test_an_alertmanager_that_was_started_anew_is_told_again_of_what_it_knew() -> None:
    outbox = alertmanager()
    offer(outbox, alert(1), alert(2))
    assert told(outbox, START) == ["firing", "firing"]
    offer(outbox, alert(1, resolved=START))
    outbox.repeat()
    assert told(outbox, LATER) == ["firing", "firing"]
    assert told(outbox, LATER) == []
    assert told(outbox, LATER + timedelta(seconds=45)) == ["resolved"]


def test_a_silence_holds_an_alert_back_until_it_ends() -> None:
    for outbox in (channel(silence(until=LATER)), alertmanager(silence(until=LATER))):
        offer(outbox, alert(1))
        assert told(outbox, START) == []
        assert outbox.rest(START) == LATER
        assert told(outbox, LATER) == ["firing"]


def test_an_alert_that_ends_under_a_silence_is_never_told() -> None:
    outbox = channel(silence(until=LATER))
    offer(outbox, alert(1, resolved=START))
    assert told(outbox, START) == []
    assert told(outbox, LATER + timedelta(seconds=1)) == []


def test_a_silence_that_begins_late_withdraws_at_alertmanager_and_leaves_a_channel_in_peace() -> (
    None
):
    receipts = []
    for outbox in (channel(), alertmanager()):
        offer(outbox, alert(1))
        told(outbox, START)
        receipts.append(outbox.receipts)
    silenced = Outbox(receipts[0], silences=[silence(until=LATER)])
    offer(silenced, alert(1))
    assert told(silenced, START) == []
    offer(silenced, alert(1, resolved=START))
    assert told(silenced, START) == ["resolved"]
    withdrawn = Outbox(receipts[1], repeating=EVERY_MINUTE, silences=[silence(until=LATER)])
    offer(withdrawn, alert(1))
    assert told(withdrawn, START) == ["withdrawn"]
    assert told(withdrawn, START) == []
    assert told(withdrawn, LATER) == ["firing"]


def test_a_silence_concerns_the_groups_and_rules_it_names() -> None:
    outbox = channel(silence(until=LATER, groups="group-1"))
    offer(outbox, alert(1), alert(2))
    assert [notice.alert.alert_id for notice in outbox.due(START)] == ["unfair-2"]


def test_receipts_do_not_grow_with_the_alerts_that_are_over() -> None:
    outbox = channel()
    for number in range(100):
        offer(outbox, alert(number, resolved=START + timedelta(seconds=number)))
    offer(outbox, alert(100))
    told(outbox, LATER)
    outbox.tidy()
    assert [*outbox.receipts.by_alert] == ["unfair-100"]
    assert outbox.receipts.baseline == START + timedelta(seconds=99)
    offer(outbox, alert(7, resolved=START + timedelta(seconds=7)))
    assert told(outbox, LATER) == []


def test_the_baseline_stays_below_what_still_waits() -> None:
    outbox = channel()
    offer(outbox, alert(1, resolved=START), alert(2, resolved=LATER))
    due = outbox.due(LATER)
    outbox.acknowledge(due[1:], LATER)
    outbox.tidy()
    assert outbox.receipts.baseline < START
    assert Receipts.from_json(outbox.receipts.to_json()) == outbox.receipts
