"""Read Java's `.properties` format (java.util.Properties.load)."""

import re
from collections.abc import Iterator

_COMMENT = ("#", "!")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_PAIR = re.compile(
    r"""(?P<key>(?:[^\\:=\s]|\\.)*)  # a key ends at white space, = or : without a backslash
        \s*[:=]?\s*
        (?P<value>.*)""",
    re.VERBOSE | re.DOTALL,
)


def parse_properties(text: str) -> dict[str, str]:
    """Return the properties of a file; of a key that comes twice the last one counts."""
    return dict(_pair(line) for line in _logical_lines(text))


def _logical_lines(text: str) -> Iterator[str]:
    """Yield lines with their continuations joined on, without comments and blank lines."""
    joined = ""
    for natural in re.split(r"\r\n|\r|\n", text):
        line = natural.lstrip(" \t\f")
        if not joined and (not line or line.startswith(_COMMENT)):
            continue
        joined += line
        if _continues(joined):
            joined = joined[:-1]
            continue
        yield joined
        joined = ""
    if joined:
        yield joined


def _continues(line: str) -> bool:
    """Whether the line ends in an odd number of backslashes."""
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _pair(line: str) -> tuple[str, str]:
    found = _PAIR.match(line)
    if found is None:
        raise AssertionError("the pattern matches every text")
    return _unescape(found["key"]), _unescape(found["value"])


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_meant, text)


def _meant(escape: re.Match[str]) -> str:
    code = escape[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _CONTROL.get(code, code)
