from streaming.query.catching_up import CatchingUp, Progress
from streaming.query.progress import BatchInfo


def batch(start: dict[int, int], end: dict[int, int], *, behind: int | None) -> BatchInfo:
    return BatchInfo(
        batch_id=0, now_ms=0, start_offsets=start, end_offsets=end, behind_records=behind
    )


def told(*batches: BatchInfo) -> list[Progress]:
    found: list[Progress] = []
    catching_up = CatchingUp(found.append)
    for each in batches:
        catching_up.note(each)
    return found


def test_it_tells_how_far_it_is_until_nothing_is_left() -> None:
    first = batch({}, {0: 50, 1: 50}, behind=100)
    second = batch({0: 50, 1: 50}, {0: 100, 1: 100}, behind=0)
    later = batch({0: 100, 1: 100}, {0: 101, 1: 100}, behind=7)
    assert told(first, second, later) == [
        Progress(read=100, there=200),
        Progress(read=200, there=200),
    ]


def test_a_run_that_goes_on_counts_from_where_it_began() -> None:
    assert told(batch({0: 1000}, {0: 1010}, behind=5)) == [Progress(read=10, there=15)]


def test_nothing_is_told_where_the_first_batch_reads_everything() -> None:
    assert told(batch({}, {0: 5}, behind=0), batch({0: 5}, {0: 6}, behind=3)) == []


def test_as_long_as_the_end_is_not_known_nothing_is_said() -> None:
    assert told(batch({}, {0: 5}, behind=None)) == []
