"""The whole configuration."""

from pydantic import BaseModel, Field
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from streaming.settings.alerts import AlertsSettings
from streaming.settings.cluster import ClusterSettings
from streaming.settings.logs import LoggingSettings
from streaming.settings.maintenance import MaintenanceSettings
from streaming.settings.policies import PoliciesSettings
from streaming.settings.query import QuerySettings
from streaming.settings.serving import DashboardSettings, MetricsSettings
from streaming.settings.source import OFFSETS_TOPIC, CollectSettings, SourceSettings

ENVIRONMENT_PREFIX = "REBALANCE_MONITOR__"


class Settings(BaseSettings):
    """All sections.

    Made in code it takes nothing from its surroundings; `load_settings` is what looks at the file,
    the environment and the flags.
    """

    model_config = SettingsConfigDict(
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        env_prefix=ENVIRONMENT_PREFIX,
        env_nested_delimiter="__",
    )

    cluster: ClusterSettings = Field(default=ClusterSettings())
    source: SourceSettings = Field(default=SourceSettings())
    collect: CollectSettings = Field(default=CollectSettings())
    query: QuerySettings = Field(default=QuerySettings())
    policies: PoliciesSettings = Field(default=PoliciesSettings())
    alerts: AlertsSettings = Field(default=AlertsSettings())
    metrics: MetricsSettings = Field(default=MetricsSettings())
    dashboard: DashboardSettings = Field(default=DashboardSettings())
    maintenance: MaintenanceSettings = Field(default=MaintenanceSettings())
    logging: LoggingSettings = Field(default=LoggingSettings())

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - pydantic-settings gives it by name
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - as above
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - as above
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - as above
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Leave only what is given in code."""
        return (init_settings,)

    @property
    def source_topic(self) -> str:
        """The topic that the stream reads."""
        default = OFFSETS_TOPIC if self.source.kind == "consumer_offsets" else self.collect.topic
        return self.source.topic or default


def sections() -> dict[str, type[BaseModel]]:
    """Return the model of each section, in the order of the file."""
    return {
        name: field.annotation
        for name, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
    }
