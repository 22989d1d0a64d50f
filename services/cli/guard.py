"""`vta guard`: the signal for attacks, and which turns it flagged."""

from __future__ import annotations

from dataclasses import asdict

import typer

from intent.guard.detector import NgramGuard
from services.cli.output import CourseArgument, Home, Json, platform, read_lines, show, show_json
from vta.types import CourseId

guard_app = typer.Typer(
    help='The guard. Example: echo \'{"text": "什么是栈？"}\' | vta guard check', no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    app.add_typer(guard_app, name="guard")


@guard_app.command("check")
def check_texts(as_json: Json = False) -> None:
    """Check texts for attacks: JSON Lines {"text"} on stdin, JSON Lines on stdout.

    Example: echo '{"text": "什么是栈？"}' | vta guard check
    """
    guard = NgramGuard.load()
    for row in read_lines("text"):
        found = guard.inspect(str(row["text"]))
        show_json({"malicious": found.malicious, "flag": found.flag, "kind": found.kind})


@guard_app.command("audit")
def audit(course: CourseArgument, home: Home = None, as_json: Json = False) -> None:
    """List a course's flagged questions, which no language model saw. Example: vta guard audit ds"""
    with platform(home) as vta:
        vta.stores.courses.course(CourseId(course))
        flagged = vta.stores.audit.of_course(CourseId(course))
    for turn in flagged:
        if as_json:
            show_json({**asdict(turn), "created_at": turn.created_at.isoformat()})
        else:
            show(f"{turn.created_at:%Y-%m-%d %H:%M}\t{turn.kind}\t{turn.malicious:.2f}\t{turn.question}")
