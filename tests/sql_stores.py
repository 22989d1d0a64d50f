"""The stores of a test's own SQLite file, whose tables are made once for each process and copied."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from services.clock import SystemClock
from services.lti.platform_store import LtiPlatform
from services.store.engine import sqlite_url
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
        "token_url": "https://lms.example/token",
        "jwks_url": "https://lms.example/jwks",
        "origins": (),
        "deployments": ("1",),
    }
    return stores.lti_platforms.add(**given | changes)
