"""`vta backup`, `vta restore`, `vta usage`, `vta audit`, `vta privacy`: the records of the store."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.output import CourseArgument, Home, Json, group, platform, show, show_json, stores
from vta.types.courses import CourseId

if TYPE_CHECKING:
    from services.archive.zipped import Manifest
    from services.learners.service import LearnerService
    from services.settings import Settings
    from services.stores import Stores

privacy_app = group("Learner data: export and erase. Example: vta privacy export ds student-17")

BackupFile = Annotated[str, typer.Argument(metavar="FILE", help="The backup, a zip, or s3://BUCKET/KEY.")]
Learner = Annotated[str, typer.Argument(metavar="LEARNER", help="The platform's id of the learner.")]


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
    from services.archive.backups import note_backup, save_backup
    from services.archive.targets import backup_to
    from services.clock import SystemClock
    from services.store.audit_log import Event

    with stores(home) as (store, settings):
        course_id = None if course is None else CourseId(course)
        with backup_to(file, settings.home) as path:
            manifest = save_backup(store.engine, path, clock=SystemClock(), course=course_id)
        store.audit_log.note(Event.BACKUP_MADE, course_id=course_id)
        if course_id is None:
            note_backup(settings.home, SystemClock().now())
    _show_backup(manifest, file, as_json=as_json)


def restore(
    file: BackupFile,
    check: Annotated[bool, typer.Option("--check", help="Only go through the file; change nothing.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Put a backup into an empty store of either kind, or the course of one into any store, and index it.

    Example: VTA_DATABASE_URL=postgresql://... vta restore vta.zip
    """
    from services.archive.backups import restore_course, restore_platform
    from services.archive.targets import backup_from
    from services.archive.zipped import open_backup
    from services.settings import make_home, read_settings
    from services.store.audit_log import Event
    from services.store.engine import open_engine

    settings = read_settings(home)
    with backup_from(file, settings.home) as path, open_backup(path) as opened:
        if check:
            opened.check()
        elif opened.manifest.course is None:
            make_home(settings)
            engine = open_engine(settings.store_url, timeout_s=settings.database_timeout_s)
            try:
                restore_platform(engine, opened)
            finally:
                engine.dispose()
            with platform(home) as vta:
                vta.stores.audit_log.note(Event.RESTORED)
                vta.knowledge.reindex()
        else:
            with platform(home) as vta:
                course_id = restore_course(vta.stores.engine, opened, vta.settings.home)
                vta.stores.audit_log.note(Event.RESTORED, course_id=course_id)
                vta.knowledge.current()
        manifest = opened.manifest
    _show_backup(manifest, file, as_json=as_json)
    if not as_json:
        show("complete; nothing was changed" if check else "restored and indexed")


def _show_backup(manifest: Manifest, file: str, *, as_json: bool) -> None:
    if as_json:
        row = manifest.model_dump(mode="json", exclude={"members"})
        show_json({**row, "file": file, "rows": manifest.rows})
        return
    what = "the platform" if manifest.course is None else f"the course {manifest.course}"
    at = f" at {manifest.taken_at:%Y-%m-%d %H:%M:%S} UTC" if manifest.taken_at else ""
    show(f"{file}: {what}{at}, {sum(manifest.rows.values())} rows")
    for name, count in manifest.rows.items():
        show(f"  {name.replace('_', ' ')}: {count}")


def usage(home: Home = None, as_json: Json = False) -> None:
    """Show language model calls, tokens and, where prices are set, cost, by course and model.

    Example: vta usage --json
    """
    with stores(home) as (store, settings):
        totals = store.usage.totals()
    for total in totals:
        cost = settings.cost_of(total)
        if as_json:
            show_json({**asdict(total), "cost": cost})
            continue
        tokens = f"{total.prompt_tokens} + {total.completion_tokens} tokens"
        unknown = f" ({total.uncounted} not counted)" if total.uncounted else ""
        price = "" if cost is None else f", cost {cost:.4f}"
        show(f"{total.course_id or '-'}\t{total.model}\t{total.calls} calls{unknown}, {tokens}{price}")


def audit(
    course: Annotated[str | None, typer.Option(help="Only what was done in this course.")] = None,
    person: Annotated[str, typer.Option(help="Only by or about a person: a part of a name, or an id.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="How many entries at most.")] = 50,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """List who changed what and who logged in, newest first. Example: `vta audit --course ds --limit 10`."""
    with stores(home) as (store, _):
        course_id = None if course is None else CourseId(course)
        for entry in store.audit_log.entries(course_id=course_id, person=person, limit=limit):
            if as_json:
                show_json(asdict(entry))
                continue
            actor = " ".join(filter(None, (entry.actor_kind, entry.actor_name or entry.actor_id)))
            said = (entry.event, entry.course_id or "-", entry.person_name or "", entry.detail)
            show("\t".join((f"{entry.at:%Y-%m-%d %H:%M:%S}", actor, *said)).rstrip())


@privacy_app.command("export")
def export_learner(
    course: CourseArgument, learner: Learner, home: Home = None, as_json: Json = False
) -> None:
    """Print everything stored about a learner in a course, as one JSON object.

    Example: vta privacy export ds student-17
    """
    with stores(home) as (store, settings):
        show_json(_learners(store, settings).export(CourseId(course), learner))


@privacy_app.command("erase")
def erase_learner(course: CourseArgument, learner: Learner, home: Home = None, as_json: Json = False) -> None:
    """Erase a learner's sessions in a course and all they hold.

    Example: vta privacy erase ds student-17
    """
    with stores(home) as (store, settings):
        erased = _learners(store, settings).erase(CourseId(course), learner, vouched=True)
    show_json({"sessions": erased}) if as_json else show(f"erased {erased} sessions")


def _learners(kept: Stores, settings: Settings) -> LearnerService:
    from services.learners.service import LearnerService

    return LearnerService(stores=kept, retention_days=settings.retention_days)
