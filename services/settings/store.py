"""Where data lies: the data folder, the relational store, and the search index."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr

from services.settings.base import Seconds, ServerUrls, SettingsGroup
from services.store.engine import TIMEOUT_S, sqlite_url


class StoreSettings(SettingsGroup):
    """Where data lies."""

    home: Path = Path(".vta")
    """The data folder."""
    backup_folder: Path | None = None
    """A folder, on another disk, into which a server writes a checked backup each day; none when unset."""
    backups_kept: int = Field(default=7, ge=1, le=10_000)
    """How many of these are kept."""
    database_url: str | None = Field(default=None, repr=False)
    """Database URL of the relational store; a SQLite file in the data folder when unset."""
    database_timeout_s: Seconds = TIMEOUT_S
    """Timeout of PostgreSQL, in seconds."""
    elasticsearch_url: ServerUrls = None
    """Elasticsearch 9 nodes, separated by commas; a tantivy index in the data folder when unset."""
    elasticsearch_api_key: SecretStr | None = None
    """Elasticsearch API key, if any; user and password can also be part of the URL."""
    elasticsearch_index: str = Field(default="vta", pattern=r"^[a-z0-9][a-z0-9_-]{0,99}$")
    """Alias of this platform's index in Elasticsearch; must differ between platforms."""
    elasticsearch_timeout_s: Seconds = 3.0
    """Timeout of Elasticsearch, in seconds."""

    @property
    def store_url(self) -> str:
        return self.database_url or sqlite_url((self.home / "vta.db").resolve())
