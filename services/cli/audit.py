"""`vta audit`: who changed what, and who logged in."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from services.cli.output import Home, Json, show, show_json, stores
from vta.types.courses import CourseId


def audit(
    course: Annotated[str | None, typer.Option(help="Only what was done in this course.")] = None,
    person: Annotated[str, typer.Option(help="Only by or about a person: a part of a name, or an id.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="How many entries at most.")] = 50,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """List who changed what and who logged in, newest first. Example: vta audit --course ds --limit 10"""
    with stores(home) as (kept, _):
        course_id = None if course is None else CourseId(course)
        for entry in kept.audit_log.entries(course_id=course_id, person=person, limit=limit):
            if as_json:
                show_json(asdict(entry))
                continue
            actor = " ".join(filter(None, (entry.actor_kind, entry.actor_name or entry.actor_id)))
            said = (entry.event, entry.course_id or "-", entry.person_name or "", entry.detail)
            show("\t".join((f"{entry.at:%Y-%m-%d %H:%M:%S}", actor, *said)).rstrip())
