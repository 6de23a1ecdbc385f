"""Tables written once for all tests of the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.dashboard import sample

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def location(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    sample.write(folder, sample.rows_of(sample.EVENING))
    return folder
