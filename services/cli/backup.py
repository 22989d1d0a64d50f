"""`vta backup`, `vta restore`: all that the relational store holds, or one course, as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from services.backup.form import Manifest
from services.backup.last import note_backup
from services.backup.reading import open_backup
from services.backup.restoring import restore_course, restore_platform
from services.backup.writing import save_backup
from services.cli.output import Home, Json, platform, show, show_json
from services.clock import SystemClock
from services.settings import read_settings
from services.storage.engine import open_engine
from services.wiring import make_home
from vta.types import CourseId

BackupFile = Annotated[Path, typer.Argument(metavar="FILE", help="The backup, a zip.")]


def register(app: typer.Typer) -> None:
    app.command()(backup)
    app.command()(restore)


def backup(
    file: BackupFile,
    course: Annotated[
        str | None, typer.Option(help="Only this course, with its conversations and keys.")
    ] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Save everything in the store as one file, also while the platform is serving.

    It holds secrets and what students wrote: guard it like the store. Example: vta backup vta.zip
    """
    with platform(home) as vta:
        course_id = None if course is None else CourseId(course)
        manifest = save_backup(vta.stores.engine, file, clock=SystemClock(), course=course_id)
        if course_id is None:
            note_backup(vta.settings.home, SystemClock().now())
    _show(manifest, file, as_json=as_json)


def restore(
    file: BackupFile,
    check: Annotated[bool, typer.Option("--check", help="Only go through the file; change nothing.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Put a backup into an empty store of either kind, or the course of one into any store, and index it.

    Example: VTA_DATABASE_URL=postgresql://... vta restore vta.zip
    """
    with open_backup(file) as opened:
        if check:
            opened.check()
        elif opened.manifest.course is None:
            settings = read_settings(home)
            make_home(settings)
            engine = open_engine(settings.store_url, timeout_s=settings.database_timeout_s)
            try:
                restore_platform(engine, opened)
            finally:
                engine.dispose()
            with platform(home) as vta:
                vta.knowledge.reindex()
        else:
            with platform(home) as vta:
                restore_course(vta.stores.engine, opened)
                vta.knowledge.current()
        manifest = opened.manifest
    _show(manifest, file, as_json=as_json)


def _show(manifest: Manifest, file: Path, *, as_json: bool) -> None:
    rows = {name: member.rows for name, member in manifest.tables.items() if member.rows}
    if as_json:
        told = manifest.model_dump(mode="json", exclude={"tables"})
        show_json({**told, "file": str(file), "rows": rows})
        return
    what = "the platform" if manifest.course is None else f"the course {manifest.course}"
    show(f"{file}: {what} at {manifest.taken_at:%Y-%m-%d %H:%M:%S} UTC, {manifest.rows} rows")
    for name, count in rows.items():
        show(f"  {name.replace('_', ' ')}: {count}")
