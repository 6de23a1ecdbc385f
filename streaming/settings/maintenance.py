"""Section `[maintenance]`: compaction and retention of the tables."""

from typing import Annotated

from pydantic import Field

from streaming.settings.section import Section


class MaintenanceSettings(Section):
    """Compaction and retention, in the background of `run` and by `maintain`."""

    interval_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = Field(
        default=3600, description="how often `run` does it in the background; 0: never, in seconds"
    )
    history_days: Annotated[float, Field(gt=0, allow_inf_nan=False)] = Field(
        default=90, description="rows of histories older than this are deleted, in days"
    )
    vacuum_hours: Annotated[float, Field(ge=1, allow_inf_nan=False)] = Field(
        default=24,
        description="files that are not, or no longer, in a table are deleted once they are older "
        "than this; readers of old versions need them, in hours",
    )
    log_hours: Annotated[float, Field(ge=1, allow_inf_nan=False)] = Field(
        default=1,
        description="how long the tables' logs keep single commits: whoever streams from a table "
        "may be away for so long; on a local disk a long log makes every commit slower, in hours",
    )
