from __future__ import annotations

import threading

from streaming.dashboard.cache import VersionCache


def test_a_value_is_made_again_only_for_a_new_basis() -> None:
    cache, made = VersionCache(), list[int]()

    def make() -> int:
        made.append(len(made))
        return made[-1]

    assert [cache.get("k", basis, make) for basis in (1, 1, 2, 2, 1)] == [0, 0, 1, 1, 2]


def test_the_least_used_values_go() -> None:
    cache = VersionCache()
    for number in range(1_000):
        cache.get(number, 0, lambda number=number: number)  # type: ignore[misc] # bound per turn
    assert cache.get(999, 0, lambda: -1) == 999
    assert cache.get(0, 0, lambda: -1) == -1


def test_a_crowd_makes_a_value_once() -> None:
    cache, together, made = VersionCache(), threading.Barrier(8), list[int]()

    def ask() -> None:
        together.wait()
        cache.get("k", 1, lambda: made.append(1))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]
