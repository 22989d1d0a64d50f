"""The stores of a test's own SQLite file, whose tables are made once for each process and copied."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Engine, inspect

from services.clock import SystemClock
from services.lti.platform_store import LtiPlatform
from services.store.engine import sqlite_url
from services.store.schema import VERSION_TABLE
from services.stores import Stores, open_stores
from vta.ports import Clock
from vta.types.courses import Course


def new_stores(folder: Path, *courses: Course, clock: Clock | None = None) -> Stores:
    """Stores over a new file in the folder, which is made, with these courses and nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vta.db").write_bytes(_migrated())
    stores = open_stores(sqlite_url(folder / "vta.db"), clock or SystemClock())
    for course in courses:
        stores.courses.add(course)
    return stores


@cache
def _migrated() -> bytes:
    """A database file with all tables and no rows."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "vta.db")
        open_stores(sqlite_url(file), SystemClock()).close()
        return file.read_bytes()


def lti_platform(stores: Stores, **changes: Any) -> LtiPlatform:
    """A registered LTI platform of one deployment."""
    given: dict[str, Any] = {
        "issuer": "https://lms.example",
        "client_id": "c",
        "login_url": "https://lms.example/auth",
        "jwks_url": "https://lms.example/jwks",
        "origins": (),
        "deployments": ("1",),
    }
    return stores.lti_platforms.add(**given | changes)


def drawing(engine: Engine) -> dict[str, object]:
    """All that the database says about its tables, the table of the version left out."""
    found = inspect(engine)
    names = [name for name in found.get_table_names() if name != VERSION_TABLE]
    return {
        name: (
            [(column["name"], str(column["type"]), column["nullable"]) for column in found.get_columns(name)],
            found.get_pk_constraint(name),
            sorted(map(str, found.get_foreign_keys(name))),
            sorted(map(str, found.get_unique_constraints(name))),
            sorted(map(str, found.get_check_constraints(name))),
            sorted(map(str, found.get_indexes(name))),
        )
        for name in names
    }
