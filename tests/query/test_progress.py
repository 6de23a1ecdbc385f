from streaming.query.progress import BatchInfo


def test_the_records_of_a_batch_are_counted_by_its_offsets() -> None:
    info = BatchInfo(
        batch_id=1, now_ms=0, start_offsets={0: 5, 1: 7}, end_offsets={0: 9, 1: 7, 2: 3}
    )
    assert info.record_count == 7
