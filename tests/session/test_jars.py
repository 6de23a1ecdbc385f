from pathlib import Path

import pytest

from streaming.embedded.ports import LOOPBACK, free_ports
from streaming.errors import JarsError
from streaming.session.jars import resolve_jars


@pytest.fixture
def unreachable_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point jgo to a repository nobody serves, with empty caches."""
    (port,) = free_ports(1)
    settings = tmp_path / ".config" / "jgo.conf"
    settings.parent.mkdir()
    settings.write_text(f"[repositories]\ncentral = http://{LOOPBACK}:{port}/maven2\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return tmp_path


@pytest.mark.usefixtures("unreachable_repository")
def test_an_unreachable_repository_says_what_to_do() -> None:
    with pytest.raises(JarsError, match=r"org\.example:thing:1.*repository can be reached"):
        resolve_jars("org.example:thing:1")


def test_a_damaged_jar_is_named(unreachable_repository: Path) -> None:
    place = unreachable_repository / ".m2" / "repository" / "org" / "example" / "thing" / "1"
    place.mkdir(parents=True)
    (place / "thing-1.pom").write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId>"
        "<artifactId>thing</artifactId><version>1</version></project>"
    )
    (place / "thing-1.jar").write_bytes(b"PK\x03\x04 half of a jar")
    with pytest.raises(JarsError, match=r"thing-1\.jar is damaged"):
        resolve_jars("org.example:thing:1")
