"""Tables written once, and a dashboard over them, for all tests of the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest

from streaming.tables.reader import TableReader
from streaming.tables.storage import Location
from tests.dashboard import sample
from tests.dashboard.serving import serving, site_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from streaming.dashboard.site import Site


@pytest.fixture(scope="session")
def location(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    sample.write(folder, sample.rows_of(sample.EVENING))
    return folder


@pytest.fixture(scope="session")
def reader(location: Path) -> TableReader:
    return TableReader(Location(str(location)))


@pytest.fixture(scope="session")
def site(location: Path) -> Site:
    return site_at(location, lambda: sample.EVENING)


@pytest.fixture(scope="session")
def client(site: Site) -> Iterator[httpx.Client]:
    with serving(site) as address, httpx.Client(base_url=address, timeout=60) as client:
        yield client
