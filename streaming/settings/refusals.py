"""Say what is wrong with a configuration, key by key, in the operator's words."""

import difflib
from collections.abc import Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from streaming.errors import ConfigurationError
from streaming.settings.model import Settings

Place = Sequence[str | int]


def refusal(error: ValidationError) -> ConfigurationError:
    """Return what pydantic found as one error that names every key; values are not repeated."""
    found = [(dotted(each["loc"]), _message(each)) for each in error.errors(include_input=False)]
    (key, message), *others = found
    rest = "".join(f"; {key}: {message}" for key, message in others)
    return ConfigurationError(key, message + rest)


def dotted(place: Place) -> str:
    """Return a place as it is written in the file: `policies.reference[0].policy`."""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def _message(error: ErrorDetails) -> str:
    *parents, key = error["loc"]
    if error["type"] == "extra_forbidden":
        return _unknown(str(key), _keys_at(parents))
    message = error["msg"].removeprefix("Value error, ")
    field = _field_at(error["loc"])
    return f"{message} ({field.description})" if field and field.description else message


def _unknown(key: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(key, known, n=1)
    advice = f"did you mean {close[0]}?" if close else f"known keys are {', '.join(known)}"
    return f"unknown key; {advice}"


def _keys_at(place: Place) -> list[str]:
    model = _model_at(place)
    return [] if model is None else list(model.model_fields)


def _field_at(place: Place) -> FieldInfo | None:
    *parents, key = place
    model = _model_at(parents)
    return None if model is None else model.model_fields.get(str(key))


def _model_at(place: Place) -> type[BaseModel] | None:
    """Return the model that a place of the configuration is described by."""
    kind: Any = Settings
    for part in place:
        kind = _inner(kind, part)
    return kind if _is_model(kind) else None


def _inner(kind: Any, part: str | int) -> Any:
    """Return what a field of a model, an item of a list, or a value of a table is made of."""
    if _is_model(kind):
        field = kind.model_fields.get(str(part))
        return None if field is None else field.annotation
    kinds = get_args(kind)
    if not kinds:
        return None
    return kinds[0] if isinstance(part, int) else kinds[-1]


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
