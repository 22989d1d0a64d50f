"""The form of a backup: a zip with a member of JSON lines for each table, and a manifest, written last."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints
from sqlalchemy import DateTime, LargeBinary
from sqlalchemy.types import TypeEngine

FORMAT = "vta-backup"
VERSION = 1
MANIFEST = "manifest.json"

Count = Annotated[int, Field(ge=0)]


class Member(BaseModel):
    """A table: the columns as each line has them, the rows, the bytes unpacked, and their hash."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    columns: list[str]
    rows: Count
    size: Count
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """`manifest.json`. `schema_version` is the migration that the tables stand at."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str = FORMAT
    version: int = VERSION
    software: str
    schema_version: str
    taken_at: AwareDatetime
    course: str | None
    """The course that this is a backup of; None for the whole platform."""
    tables: dict[str, Member]

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return sum(member.rows for member in self.tables.values())


def member_name(table: str) -> str:
    """The name of a table's member."""
    return f"{table}.jsonl"


def to_json(value: Any) -> Any:
    """A value of a row as JSON has it: moments in UTC as ISO 8601, bytes in base64."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value


def from_json(kind: TypeEngine[Any], value: Any) -> Any:
    """What `to_json` made of a value of a column of this kind. `ValueError` and `TypeError` for others."""
    if value is None:
        return None
    if isinstance(kind, DateTime):
        return datetime.fromisoformat(value).astimezone(UTC)
    if isinstance(kind, LargeBinary):
        return base64.b64decode(value, validate=True)
    return value
