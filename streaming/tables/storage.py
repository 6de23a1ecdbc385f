"""Where the tables lie: a local path, or a URI of an object store with its options."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlparse

import pyarrow.fs as pafs
from deltalake import DeltaTable
from deltalake.fs import DeltaStorageHandler

from streaming.settings.query import QuerySettings


@dataclass(frozen=True, slots=True)
class Location:
    """The place of all tables.

    Attributes:
        root: local path, ``file:`` URI, or URI of an object store (``s3://``, ``abfss://``, ``gs://``).
        options: storage options of delta-rs (credentials, region, endpoint); never logged.
    """

    root: str
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, settings: QuerySettings) -> Self:
        """Where the configuration says that the tables lie."""
        options = settings.storage_options
        return cls(
            settings.tables, {name: value.get_secret_value() for name, value in options.items()}
        )

    def table(self, name: str) -> str:
        """URI or path of one table."""
        return f"{self.root.rstrip('/')}/{name}"

    def open(self, name: str) -> DeltaTable:
        """One table as it is now.

        Raises:
            deltalake.exceptions.TableNotFoundError: it has not been made.
        """
        return DeltaTable(self.table(name), storage_options=dict(self.options) or None)

    @property
    def local_path(self) -> Path | None:
        """The root as a local path; None for an object store."""
        parsed = urlparse(self.root)
        if parsed.scheme in ("", "file"):
            return Path(unquote(parsed.path) if parsed.scheme else self.root)
        return None

    def filesystem(self, name: str) -> pafs.FileSystem:
        """A file system whose root is the folder of one table."""
        path = self.local_path
        if path is None:
            return pafs.PyFileSystem(DeltaStorageHandler(self.table(name), dict(self.options)))
        folder = path / name
        folder.mkdir(parents=True, exist_ok=True)
        return pafs.SubTreeFileSystem(str(folder), pafs.LocalFileSystem())
