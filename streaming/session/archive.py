"""An archive of loaded classes (AppCDS): Spark's JVM starts some seconds faster with it.

The JVM can archive the classes it has loaded only while it is about to end or when it is asked to;
it is asked, at the end of the first run, so that the file can be put in place whole.
"""

import atexit
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from streaming.session.caches import cache_folder, only_one
from streaming.session.java import Java

_DIAGNOSTICS = "com.sun.management:type=DiagnosticCommand"
_QUIET = "-Xlog:cds*=off,class+path=off"
_KEPT_COUNT = 3
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ClassArchive:
    """One archive: good for exactly one Java and one class path.

    Attributes:
        path: Where the archive is, or will be.
    """

    path: Path

    @classmethod
    def matching(cls, java: Java, jars: Sequence[Path]) -> "ClassArchive":
        """Return the archive for this Java and these jars; a changed jar makes it another."""
        digest = hashlib.sha256(f"{java.command} {java.version}".encode())
        for jar in jars:
            status = jar.stat()
            digest.update(f"{jar} {status.st_size} {status.st_mtime_ns}".encode())
        return cls(cache_folder() / f"spark-{digest.hexdigest()[:16]}.jsa")

    @property
    def there(self) -> bool:
        """Whether the archive has been made."""
        return self.path.is_file()

    def jvm_options(self, *, make: bool) -> tuple[str, ...]:
        """Return options that use the archive, or that allow it to be made if it is not there."""
        if self.there:
            return (f"-XX:SharedArchiveFile={self.path}", "-Xshare:auto", _QUIET)
        return ("-XX:+RecordDynamicDumpInfo", _QUIET) if make else ()

    def make_at_exit(self, session: SparkSession) -> None:
        """Have the archive made when this process ends in order, if it is not there by then."""
        if not self.there:
            atexit.register(self._make, session)

    def _make(self, session: SparkSession) -> None:
        unfinished = self.path.with_suffix(".part")
        try:
            with only_one("class-archive", wait=False):
                if not self.there:
                    _dump(session, unfinished)
                    unfinished.replace(self.path)
                    _forget_old(self.path.parent)
        except (Py4JError, OSError) as error:  # it is only a matter of speed
            _log.debug("class archive not made", error=str(error))


def _forget_old(folder: Path) -> None:
    """Remove the archives of Javas and jars that are long gone; each takes some 150 MB."""
    newest_first = sorted(
        folder.glob("spark-*.jsa"), key=lambda path: path.stat().st_mtime_ns, reverse=True
    )
    for path in newest_first[_KEPT_COUNT:]:
        path.unlink(missing_ok=True)


def _dump(session: SparkSession, path: Path) -> None:
    """Ask the JVM to archive what it has loaded: its diagnostic command `VM.cds dynamic_dump`.

    That prints where it went, to standard output, which has no more to say when we end. The MBean
    server's class is hidden from reflection, so the call goes through the interface.
    """
    jvm: Any = session._jvm  # noqa: SLF001 - PySpark's only way to Java
    jvm.System.setOut(jvm.java.io.PrintStream(jvm.java.io.OutputStream.nullOutputStream()))
    text, thing = jvm.java.lang.String, jvm.java.lang.Object
    array = _Arrays(session.sparkContext._gateway)  # noqa: SLF001 - as above
    command = array.of(text, "dynamic_dump", str(path))
    arguments = array.of(
        thing,
        jvm.javax.management.ObjectName(_DIAGNOSTICS),
        "vmCds",
        array.of(thing, command),
        array.of(text, "[Ljava.lang.String;"),
    )
    server = jvm.java.lang.management.ManagementFactory.getPlatformMBeanServer()
    methods = jvm.java.lang.Class.forName("javax.management.MBeanServer").getMethods()
    (invoke,) = (method for method in methods if method.getName() == "invoke")
    invoke.invoke(server, arguments)


@dataclass(frozen=True, slots=True)
class _Arrays:
    gateway: Any

    def of(self, kind: Any, *items: Any) -> Any:
        """Return a Java array of this class with these items."""
        array = self.gateway.new_array(kind, len(items))
        for position, item in enumerate(items):
            array[position] = item
        return array
