"""The check against mosaicml-streaming, in environments made for it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import streaming
from streaming.session.ours import ensure_ours

CHECK = "from streaming.session.ours import ensure_ours; ensure_ours()"
PARTS = ("__init__.py", "errors.py", "session/__init__.py", "session/ours.py")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of packages with the parts of ours that the check needs."""
    for part in PARTS:
        target = tmp_path / "streaming" / part
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(streaming.__path__[0]) / part, target)
    return tmp_path


def add_mosaicml(site: Path) -> None:
    about = site / "mosaicml_streaming-0.13.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: mosaicml-streaming\nVersion: 0.13.0\n"
    )


def check(*sites: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {[*map(str, sites)]!r}; {CHECK}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=sites[0],
    )


def test_here_it_is_ours() -> None:
    ensure_ours()


def test_ours_alone_is_fine(site: Path) -> None:
    assert check(site).returncode == 0


def test_theirs_elsewhere_is_fine(site: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    add_mosaicml(elsewhere)
    assert check(site, elsewhere).returncode == 0


def test_theirs_written_over_ours_is_refused(site: Path) -> None:
    (site / "streaming" / "__init__.py").write_text("class StreamingDataset: ...\n")
    answer = check(site)
    assert answer.returncode == 1
    assert "PackageClashError" in answer.stderr
    assert "mosaicml-streaming has a package of that name" in answer.stderr


def test_both_in_one_folder_is_refused(site: Path) -> None:
    add_mosaicml(site)
    assert "pip uninstall mosaicml-streaming" in check(site).stderr
