"""How long the dashboard takes on a large cluster, in a real browser.

    python -m benchmarks.dashboard [--groups 10000] [--chromium /usr/bin/chromium]

Writes the tables into a temporary folder, serves them with `rebalance-monitor dashboard`, opens the
pages in Chromium and prints Markdown tables, warm ones the median of five: first paint as the
browser reports it, and for an interaction the time from the key or the click until the page shows
the answer.
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import httpx
from playwright.sync_api import Page, sync_playwright

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

from benchmarks.dashboard.big_tables import Scale, write_tables
from benchmarks.dashboard.browser import CHROMIUM_ARGUMENTS

ROOT = Path(__file__).parents[2]
RUNS = 5
_SERVE = "from streaming.cli.dashboard import command; command()"
# Waiting inside the page, by promises: the page's security policy forbids strings as code.
_PAINT = """new Promise(done => new PerformanceObserver(list => {
  const [first] = list.getEntriesByName('first-contentful-paint');
  if (first) done(first.startTime);
}).observe({type: 'paint', buffered: true}))"""
_UNTIL = """new Promise(done => {
  const look = () => (%s) ? done() : requestAnimationFrame(look);
  look();
})"""


@contextmanager
def serving(tables: Path) -> Iterator[str]:
    """A dashboard in a process of its own; ended with the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVE, "--tables", tables, "--port", str(port)],
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(address)
        yield address
    finally:
        process.terminate()
        process.wait()


def _wait_for(address: str) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            httpx.get(f"{address}/static/icon.svg")
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"nothing answers at {address}")


def paint(page: Page, address: str) -> tuple[float, float, int]:
    """First contentful paint and load in milliseconds, and the bytes of the page on the wire."""
    page.goto(address)
    painted = page.evaluate(_PAINT)
    loaded = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
    size = page.evaluate("performance.getEntriesByType('navigation')[0].transferSize")
    return painted, loaded, size


def interaction(page: Page, act: Callable[[], None], shown: str) -> float:
    """Milliseconds from an act until a JavaScript condition holds."""
    start = time.perf_counter()
    act()
    page.evaluate(_UNTIL % shown)
    return (time.perf_counter() - start) * 1000


def first_row_is(name: str) -> str:
    """Condition: this group is in the first row."""
    return f"document.querySelector('a[data-row]')?.textContent === {name!r}"


def _name(path: str) -> str:
    return path.partition("?")[0]


def measure_cold(chromium: str, tables: Path, path: str) -> None:
    """A page as the first that a fresh server is asked for, in a fresh browser."""
    with serving(tables) as address, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=list(CHROMIUM_ARGUMENTS))
        painted, loaded, size = paint(browser.new_page(), address + path)
        print(f"| {_name(path)} cold | {painted:.0f} | {loaded:.0f} | {size / 1000:.0f} |")
        browser.close()


def measure_warm(chromium: str, tables: Path) -> None:
    """Pages and interactions on a server that has answered before."""
    with serving(tables) as address, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=list(CHROMIUM_ARGUMENTS))
        for path in (
            "/",
            "/group?id=service-00042",
            "/rebalances",
            "/what-if?id=service-00042&policy=sticky",
        ):
            found = [paint(browser.new_page(), address + path) for _ in range(RUNS)]
            painted, loaded, size = (median(values) for values in zip(*found, strict=True))
            print(f"| {_name(path)} warm | {painted:.0f} | {loaded:.0f} | {size / 1000:.0f} |")
        _interactions(browser.new_page(), address)
        browser.close()


def _interactions(page: Page, address: str) -> None:
    print("\n| interaction on the overview | ms |\n| --- | --- |")
    times: dict[str, list[float]] = {}
    for run in range(RUNS):
        page.goto(address)
        name = f"service-0{run}123"
        times.setdefault("search, from the last key", []).append(
            interaction(page, partial(page.fill, "#q", name), first_row_is(name))
        )
        page.goto(address)
        times.setdefault("sort by lag", []).append(
            interaction(
                page,
                partial(page.click, "#sort-lag"),
                "document.querySelector('th[aria-sort] a')?.id === 'sort-lag'",
            )
        )
        times.setdefault("next page", []).append(
            interaction(
                page,
                partial(page.click, "a[rel=next]"),
                "document.querySelector('.pager span')?.textContent.startsWith('Page 2 ')",
            )
        )
    for what, found in times.items():
        print(f"| {what} | {median(found):.0f} |")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=int, default=10_000)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    asked = parser.parse_args()
    scale = Scale(groups=asked.groups, now=datetime.now(UTC))
    with tempfile.TemporaryDirectory() as folder:
        tables = Path(folder)
        write_tables(tables, scale)
        print(f"{scale.groups:,} groups, {scale.rebalances * 4:,} rows of drift\n")
        print("| page | first paint, ms | loaded, ms | kB |\n| --- | --- | --- | --- |")
        for path in ("/", "/group?id=service-00042"):
            measure_cold(asked.chromium, tables, path)
        measure_warm(asked.chromium, tables)


if __name__ == "__main__":
    main()
