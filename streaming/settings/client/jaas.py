"""Read `sasl.jaas.config`: one login module with its options.

The class name is only looked at from its end, because some platforms move Kafka's classes to
packages of their own.
"""

import re
from dataclasses import dataclass, field

_ENTRY = re.compile(
    r"\s*(?P<module>[\w.$]+)\s+(?P<flag>required|requisite|sufficient|optional)\b(?P<options>.*);\s*",
    re.DOTALL | re.IGNORECASE,
)
_OPTION = re.compile(
    r"""\s*([\w.\-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s;]+))"""
)


class JaasError(ValueError):
    """The text is not one login module with options; it is not repeated, it holds passwords."""


@dataclass(frozen=True, slots=True)
class LoginModule:
    """A login module.

    Attributes:
        kind: Class name without its package, e.g. `PlainLoginModule`.
        options: Options by name, unquoted.
    """

    kind: str
    options: dict[str, str] = field(repr=False)


def parse_jaas(text: str) -> LoginModule:
    """Return the login module that a `sasl.jaas.config` describes.

    Raises:
        JaasError: It cannot be read.
    """
    entry = _ENTRY.fullmatch(text)
    if entry is None:
        raise JaasError('write: <login module class> required name="value" ...;')
    return LoginModule(
        kind=entry["module"].rpartition(".")[2], options=_options(entry["options"].rstrip())
    )


def _options(text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    position = 0
    while position < len(text):
        found = _OPTION.match(text, position)
        if found is None:
            raise JaasError('options are written name="value", separated by spaces')
        name, double, single, bare = found.groups()
        quoted = double if double is not None else single
        options[name] = bare if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        position = found.end()
    return options
