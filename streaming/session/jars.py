"""Resolve Maven coordinates to jars on this machine, once; afterwards they come from the cache."""

import contextlib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import jgo
from jgo.config import GlobalSettings
from jgo.maven import PythonResolver

from streaming.errors import JarsError
from streaming.session.caches import only_one

Say = Callable[[str], None]
"""Told, in one short line, what is being done; a command shows it, a test drops it."""

_MEGABYTE = 1_000_000


def quiet(_message: str) -> None:
    """Say nothing."""


def resolve_jars(*coordinates: str, say: Say = quiet) -> tuple[Path, ...]:
    """Return the jars of these coordinates and of all they depend on.

    jgo keeps the answer in its own cache; `~/.config/jgo.conf` can name repositories (one called
    `central` takes the place of Maven Central) and folders.

    Args:
        coordinates: `group:artifact:version`, each.
        say: Told of every jar that is downloaded, after the many small files that lead to it.

    Raises:
        JarsError: A coordinate cannot be resolved, or the repository cannot be reached.
    """
    fetching = _Fetching(", ".join(coordinates), say)
    with only_one("jars"):
        try:
            environment = jgo.build(
                "+".join(coordinates),
                repositories=GlobalSettings.load().repositories,
                resolver=PythonResolver(progress_callback=fetching.file),
            )
        except Exception as error:  # jgo raises what its HTTP and XML layers raise
            raise JarsError(
                f"could not resolve {', '.join(coordinates)} ({error}); check that the Maven "
                "repository can be reached, or name a mirror in ~/.config/jgo.conf"
            ) from error
    return tuple(_whole(jar) for jar in environment.all_jars)


def _whole(jar: Path) -> Path:
    if not zipfile.is_zipfile(jar):
        raise JarsError(
            f"{jar} is damaged, as an interrupted download leaves it: delete the folder it is in, "
            f"and {jar.name} in the Maven repository (~/.m2/repository), and start again"
        )
    return jar


class _Fetching:
    """Counts what jgo downloads and says so."""

    def __init__(self, what: str, say: Say) -> None:
        self._what = what
        self._say = say
        self._begun = False
        self._jar_count = 0
        self._byte_count = 0

    @contextlib.contextmanager
    def file(self, name: str, _size: int) -> Iterator[Callable[[int], None]]:
        """Follow one download; jgo calls this and then the yielded function per chunk."""
        if not self._begun:
            self._begun = True
            self._say(f"downloading {self._what}; only the first time")
        if name.endswith(".jar"):
            self._jar_count += 1
            self._say(f"downloading {name} (jar {self._jar_count}, {self._megabytes()} MB so far)")
        yield self._add

    def _add(self, byte_count: int) -> None:
        self._byte_count += byte_count

    def _megabytes(self) -> int:
        return self._byte_count // _MEGABYTE
