"""Jars from repositories of our own on loopback: one that serves, one that nobody serves."""

import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from streaming.embedded.ports import LOOPBACK, free_ports
from streaming.errors import JarsError
from streaming.session.jars import resolve_jars

POM = (
    "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>"
    "<artifactId>thing</artifactId><version>1</version></project>"
)
PLACE = Path("org") / "example" / "thing" / "1"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def use(port: int, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point jgo to a repository, with empty caches."""
    settings = home / ".config" / "jgo.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"[repositories]\ncentral = http://{LOOPBACK}:{port}\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)


@pytest.fixture
def unreachable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (port,) = free_ports(1)
    use(port, tmp_path, monkeypatch)
    return tmp_path


@pytest.fixture
def _served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "site" / PLACE
    folder.mkdir(parents=True)
    (folder / "thing-1.pom").write_text(POM)
    with zipfile.ZipFile(folder / "thing-1.jar", "w") as jar:
        jar.writestr("content", "x")
    handler = partial(Quiet, directory=str(tmp_path / "site"))
    with ThreadingHTTPServer((LOOPBACK, 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        use(server.server_port, tmp_path / "home", monkeypatch)
        yield
        server.shutdown()


@pytest.mark.usefixtures("unreachable")
def test_an_unreachable_repository_says_what_to_do() -> None:
    with pytest.raises(JarsError, match=r"org\.example:thing:1.*repository can be reached"):
        resolve_jars("org.example:thing:1")


def test_a_damaged_jar_is_named(unreachable: Path) -> None:
    place = unreachable / ".m2" / "repository" / PLACE
    place.mkdir(parents=True)
    (place / "thing-1.pom").write_text(POM)
    (place / "thing-1.jar").write_bytes(b"PK\x03\x04 half of a jar")
    with pytest.raises(JarsError, match=r"thing-1\.jar is damaged"):
        resolve_jars("org.example:thing:1")


@pytest.mark.usefixtures("_served")
def test_what_is_downloaded_is_said_and_is_there_the_second_time() -> None:
    said: list[str] = []
    (jar,) = resolve_jars("org.example:thing:1", say=said.append)
    assert zipfile.is_zipfile(jar)
    assert said == [
        "downloading org.example:thing:1; only the first time",
        "downloading thing-1.jar (jar 1, 0 MB so far)",
    ]
    said.clear()
    assert resolve_jars("org.example:thing:1", say=said.append) == (jar,)
    assert said == []
