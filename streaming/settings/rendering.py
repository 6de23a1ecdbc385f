"""The configuration as text: the sample file, and the table of all keys for the documentation."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from streaming.settings.alerts import DEFAULTS, UNITS
from streaming.settings.model import ENVIRONMENT_PREFIX, sections

_WIDTH = 96


def sample_file() -> str:
    """Return a configuration file with every key, its default, and what it means."""
    head = _comment(
        "Every key with its default. Keys may be left out; unknown ones are refused. Environment "
        f"variables go over this file ({ENVIRONMENT_PREFIX}QUERY__SHARDS for [query] shards; lists "
        "and tables as JSON), flags over those."
    )
    tables = [_table(name, model, model()) for name, model in sections().items()]
    return head + "".join(f"\n{table}" for table in tables)


def key_tables() -> str:
    """Return one Markdown table per section: key, default, meaning."""
    return "\n".join(_markdown(name, model) for name, model in sections().items())


def _table(name: str, model: type[BaseModel], values: BaseModel) -> str:
    lines = _comment(_title(model)) + f"[{name}]\n"
    inner: list[str] = []
    for key, field in model.model_fields.items():
        value = getattr(values, key)
        if isinstance(value, BaseModel):
            inner.append(_table(f"{name}.{key}", type(value), value))
        else:
            lines += _comment(field.description or "") + _line(key, value) + _example(key, field)
    if name == "alerts":
        inner.insert(0, _rules())
    return lines + "".join(f"\n{table}" for table in inner)


def _rules() -> str:
    """Return the alert rules as comments: the file says what is changed in them."""
    lines = [_comment("The rules as they are; set what is to be different.")]
    for name, rule in DEFAULTS.items():
        lines.append(
            f"# [alerts.rules.{name}]  # {UNITS[name]}\n"
            f"# threshold = {toml(rule.threshold)}\n# for_seconds = {toml(rule.for_seconds)}\n"
            f"# severity = {toml(rule.severity)}\n# enabled = {toml(rule.enabled)}\n"
        )
    return "".join(lines)


def _line(key: str, value: Any) -> str:
    """Return the line of a key; an empty table in force would forbid `[section.key]` below."""
    if value is None:
        return f"# {key} =\n"
    return f"{'# ' if value in ((), {}) else ''}{key} = {toml(value)}\n"


def _example(key: str, field: FieldInfo) -> str:
    return "".join(f"# {key} = {toml(example)}\n" for example in field.examples or ())


def _title(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").partition("\n")[0]


def _comment(text: str) -> str:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > _WIDTH:
            lines.append("")
        lines[-1] += f" {word}"
    return "".join(f"#{line}\n" for line in lines if line)


def toml(value: Any) -> str:
    """Return a value as TOML writes it, on one line; a secret is never one of our defaults."""
    if isinstance(value, SecretStr):
        raise TypeError("a secret has no place in a file we write")
    if isinstance(value, BaseModel):
        return toml(value.model_dump(exclude_unset=True))
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_key(key)} = {toml(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml(item) for item in value)}]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


def _key(name: str) -> str:
    plain = name.replace("_", "").replace("-", "").isalnum()
    return name if plain else json.dumps(name)


def _markdown(name: str, model: type[BaseModel]) -> str:
    rows = "".join(_rows(name, model))
    head = "| key | default | meaning |\n| --- | --- | --- |\n"
    return f"### `[{name}]`\n\n{_title(model)}\n\n{head}{rows}"


def _rows(name: str, model: type[BaseModel]) -> Iterator[str]:
    for key, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from (row.replace("| `", f"| `{key}.", 1) for row in _rows(name, kind))
        else:
            yield f"| `{key}` | {_default(field)} | {field.description} |\n"


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    if value is PydanticUndefined:
        return "must be set"
    return "not set" if value is None else f"`{toml(value)}`"
