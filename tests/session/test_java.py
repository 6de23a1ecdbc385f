from pathlib import Path

import pytest

from streaming.errors import JavaError
from streaming.session.java import OLDEST_JAVA, find_java


def pretend(folder: Path, *, answer: str, status: int = 0) -> Path:
    """Make a JAVA_HOME whose launcher gives this answer."""
    launcher = folder / "bin" / "java"
    launcher.parent.mkdir()
    launcher.write_text(f"#!/bin/sh\necho '{answer}' >&2\nexit {status}\n")
    launcher.chmod(0o755)
    return folder


def test_the_real_java_is_found() -> None:
    java = find_java()
    assert java.major >= OLDEST_JAVA
    assert java.version.startswith(str(java.major))


@pytest.mark.parametrize(
    ("answer", "major", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17, "17.0.15"),
        ('openjdk version "21" 2023-09-19 LTS', 21, "21"),
        ('java version "25-ea" 2025-09-16', 25, "25-ea"),
    ],
)
def test_versions_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, major: int, version: str
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(pretend(tmp_path, answer=answer)))
    java = find_java()
    assert (java.major, java.version) == (major, version)


def test_java_8_is_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = pretend(tmp_path, answer='java version "1.8.0_402"')
    monkeypatch.setenv("JAVA_HOME", str(old))
    with pytest.raises(JavaError, match=r"Java 8\.0_402 at .* is too old.*install a Java 17"):
        find_java()


def test_no_java_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(JavaError, match=r"Java was not found; install a Java 17 runtime"):
        find_java()


def test_a_java_home_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaError, match="holds no bin/java"):
        find_java()


@pytest.mark.parametrize(("answer", "status"), [("no idea", 0), ("broken", 1)])
def test_a_launcher_that_gives_no_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(pretend(tmp_path, answer=answer, status=status)))
    with pytest.raises(JavaError, match="-version"):
        find_java()


def test_errors_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaError) as caught:
        find_java()
    assert "\n" not in str(caught.value)
