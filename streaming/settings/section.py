"""What all sections of the configuration have in common."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from assignors import POLICIES


class Section(BaseModel):
    """One section: unknown keys are refused, and refused values are not shown, as maybe secret."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


def _known_policy(name: str) -> str:
    if name not in POLICIES:
        raise ValueError(f"write one of {', '.join(POLICIES)}")
    return name


def _flat(table: Any, prefix: str = "") -> Any:
    """Undo what TOML makes of a dotted key without quotes: `a.b = 1` is a table in a table."""
    if not isinstance(table, dict):
        return table
    flat: dict[str, Any] = {}
    for key, value in table.items():
        inner = _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else value
        flat |= inner if isinstance(value, dict) else {f"{prefix}{key}": _text(value)}
    return flat


def _text(value: Any) -> Any:
    """Write a number or truth value as a properties file would."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


PolicyName = Annotated[str, AfterValidator(_known_policy)]
"""Name of a policy of `assignors`."""

Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Port = Annotated[int, Field(ge=1, le=65535)]
Properties = Annotated[dict[str, str], BeforeValidator(_flat)]
SecretProperties = Annotated[dict[str, SecretStr], BeforeValidator(_flat)]
"""Dotted names to values, with or without quotes around the names."""
