from pathlib import Path

import pytest

from streaming.session.archive import ClassArchive
from streaming.session.caches import cache_folder, only_one
from streaming.session.java import Java


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_the_folder_is_made_and_can_be_moved(tmp_path: Path) -> None:
    assert cache_folder().is_dir()
    assert cache_folder().parent == tmp_path / "cache"


def test_one_at_a_time() -> None:
    with only_one("thing"):
        with only_one("another thing", wait=False):
            pass
        with pytest.raises(BlockingIOError), only_one("thing", wait=False):
            pass
    with only_one("thing", wait=False):
        pass


def test_an_archive_belongs_to_one_java_and_one_set_of_jars(tmp_path: Path) -> None:
    jar = tmp_path / "a.jar"
    jar.write_bytes(b"1")
    java = Java(command=Path("/usr/bin/java"), major=17, version="17.0.15")
    newer = Java(command=Path("/usr/bin/java"), major=17, version="17.0.16")
    archive = ClassArchive.matching(java, [jar])
    assert ClassArchive.matching(java, [jar]) == archive
    assert ClassArchive.matching(newer, [jar]) != archive
    jar.write_bytes(b"12")
    assert ClassArchive.matching(java, [jar]) != archive


def test_the_jvm_is_told_to_use_an_archive_only_if_there_is_one(tmp_path: Path) -> None:
    archive = ClassArchive(tmp_path / "spark.jsa")
    assert archive.jvm_options(make=False) == ()
    assert "-XX:+RecordDynamicDumpInfo" in archive.jvm_options(make=True)
    archive.path.touch()
    assert f"-XX:SharedArchiveFile={archive.path}" in archive.jvm_options(make=True)
