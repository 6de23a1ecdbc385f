"""Section `[logging]`, and the set-up of structlog from it."""

import logging
import sys
from collections.abc import Collection
from typing import Any, Literal, TextIO

import structlog
from pydantic import Field
from structlog.typing import EventDict, Processor

from streaming.settings.redaction import redact
from streaming.settings.section import Section

LOGGER = "streaming"
"""Our own loggers; what libraries log comes through from warnings on."""


class LoggingSettings(Section):
    """Our own log, on standard error."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="least level that is logged"
    )
    format: Literal["console", "json"] = Field(
        default="console", description="console for people, json (one object a line) for machines"
    )


def configure_logging(
    settings: LoggingSettings, *, secrets: Collection[str] = (), stream: TextIO | None = None
) -> None:
    """Send structlog's and the standard library's records to one place in one form.

    Args:
        settings: Level and form.
        secrets: Texts that are blotted out wherever they occur, in our records and in others'.
        stream: Where to write; standard error if not given.
    """
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    output = stream or sys.stderr
    handler = logging.StreamHandler(output)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                _Blotter(secrets),
                _renderer(settings, output),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger(LOGGER).setLevel(settings.level.upper())


def _renderer(settings: LoggingSettings, output: TextIO) -> Processor:
    if settings.format == "json":
        return structlog.processors.JSONRenderer()
    return structlog.dev.ConsoleRenderer(colors=output.isatty())


class _Blotter:
    """A structlog processor that takes secrets out of everything in a record."""

    def __init__(self, secrets: Collection[str]) -> None:
        self._secrets = tuple(secrets)

    def __call__(self, _logger: Any, _method: str, event: EventDict) -> EventDict:
        return {key: self._clean(value) for key, value in event.items()}

    def _clean(self, value: Any) -> Any:
        if isinstance(value, bool | int | float) or value is None:
            return value
        return redact(str(value), self._secrets)
