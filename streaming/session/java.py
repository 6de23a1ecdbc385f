"""Find the Java that Spark and the embedded broker run on."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from streaming.errors import JavaError

OLDEST_JAVA = 17
"""Spark 4 and Kafka 4 brokers both ask for Java 17 or newer."""

_WHAT_TO_INSTALL = (
    f"install a Java {OLDEST_JAVA} runtime (Debian and Ubuntu: apt-get install "
    f"openjdk-{OLDEST_JAVA}-jre-headless; macOS: brew install openjdk@{OLDEST_JAVA}) or point "
    "JAVA_HOME to one"
)
_VERSION = re.compile(r'version "(?:1\.)?(\d+)([^"]*)"')
_ANSWER_WITHIN_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Java:
    """A Java launcher that answered.

    Attributes:
        command: Path of the launcher.
        major: Feature release, e.g. 17.
        version: Whole version text, e.g. `17.0.15`; archives of loaded classes depend on it.
    """

    command: Path
    major: int
    version: str


def find_java() -> Java:
    """Return the Java of `JAVA_HOME`, else the one on the path.

    Raises:
        JavaError: There is none, it does not run, or it is older than `OLDEST_JAVA`.
    """
    command = _launcher()
    java = _parse(command, _ask_version(command))
    if java.major < OLDEST_JAVA:
        raise JavaError(
            f"Java {java.version} at {command} is too old: "
            f"Java {OLDEST_JAVA} or newer is needed; {_WHAT_TO_INSTALL}"
        )
    return java


def _launcher() -> Path:
    home = os.environ.get("JAVA_HOME")
    if home:
        command = Path(home) / "bin" / "java"
        if not command.is_file():
            raise JavaError(f"JAVA_HOME is {home}, which holds no bin/java; {_WHAT_TO_INSTALL}")
        return command
    found = shutil.which("java")
    if found is None:
        raise JavaError(f"Java was not found; {_WHAT_TO_INSTALL}")
    return Path(found)


def _ask_version(command: Path) -> str:
    try:
        answer = subprocess.run(
            [command, "-version"],
            capture_output=True,
            text=True,
            timeout=_ANSWER_WITHIN_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise JavaError(f"{command} -version failed ({error}); {_WHAT_TO_INSTALL}") from error
    return answer.stderr + answer.stdout


def _parse(command: Path, answer: str) -> Java:
    found = _VERSION.search(answer)
    if found is None:
        raise JavaError(f"{command} -version gave no version; {_WHAT_TO_INSTALL}")
    major, rest = found.groups()
    return Java(command=command, major=int(major), version=f"{major}{rest}")


if __name__ == "__main__":
    try:
        print(find_java().version)  # noqa: T201 - run by itself, it answers on standard output
    except JavaError as error:
        sys.exit(f"Error: {error}")
