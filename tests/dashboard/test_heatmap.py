from __future__ import annotations

from typing import TYPE_CHECKING

from streaming.dashboard.heatmap import heatmap
from streaming.whatif.live import read_group
from tests.dashboard.sample import CLUSTER

if TYPE_CHECKING:
    from streaming.tables.reader import TableReader


def test_every_partition_is_counted_once(reader: TableReader) -> None:
    group = read_group(reader, cluster=CLUSTER, group_id="orders-fulfilment", generation=4)
    found = heatmap(group, group.ideal)
    for column, partitions in enumerate(found.partitions):
        assert sum(line.cells[column].count for line in found.lines) == partitions
        assert sum(line.cells[column].target for line in found.lines) == partitions
    assert all(sum(cell.count for cell in line.cells) == line.load for line in found.lines)
    assert all(
        sum(cell.change for cell in line.cells) == line.target - line.load for line in found.lines
    )
    assert found.most == 12


def test_shades_run_from_nothing_to_the_largest_holding(reader: TableReader) -> None:
    group = read_group(reader, cluster=CLUSTER, group_id="cdc-sync", generation=1)
    cells = [cell for line in heatmap(group, group.ideal).lines for cell in line.cells]
    assert sorted((cell.count, cell.shade) for cell in cells) == [(0, 0), (0, 0), (10, 7), (10, 7)]


def test_of_a_large_group_the_part_that_would_change_is_shown(reader: TableReader) -> None:
    group = read_group(reader, cluster=CLUSTER, group_id="orders-fulfilment", generation=4)
    target = dict(group.live)
    target["paid", 6] = "fulfilment-2-00003dde"
    found = heatmap(group, target, members=2, topics=1)
    assert found.topics == ["paid"]
    assert [line.member_id for line in found.lines] == [
        "fulfilment-2-00003dde",
        "fulfilment-6-0000b99a",
    ]
    assert (found.hidden_members, found.hidden_topics) == (4, 5)


def test_a_member_that_does_not_subscribe_is_told_apart(reader: TableReader) -> None:
    group = read_group(reader, cluster=CLUSTER, group_id="cdc-sync", generation=1)
    assert all(cell.subscribed for line in heatmap(group, {}).lines for cell in line.cells)
