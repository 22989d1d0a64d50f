"""`vta course origins`, `vta course hints`: what other sites may do with a course's sidebar."""

from __future__ import annotations

from typing import Annotated

import typer

from services.cli.output import CourseArgument, Home, Json, platform, show, show_json
from services.storage.course_settings import Embedding
from vta.types import CourseId

Origins = Annotated[
    list[str] | None, typer.Argument(metavar="[ORIGIN...]", help="Such as https://learn.example.")
]


def register_embedding(course_app: typer.Typer) -> None:
    """Add the commands to those of `vta course`."""
    course_app.command("origins")(origins)
    course_app.command("hints")(hints)


def origins(
    course: CourseArgument,
    origins: Origins = None,
    none: Annotated[bool, typer.Option("--none", help="Allow no site.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Set which sites may embed a course's sidebar, replacing the current ones; without any, list them.

    Example: vta course origins ds https://learn.example http://localhost:8080
    """
    with platform(home) as vta:
        embeddings = vta.stores.embeddings
        if origins or none:
            embedding = embeddings.change(CourseId(course), origins=() if none else origins)
        else:
            embedding = embeddings.embedding(CourseId(course))
    _show(embedding, as_json)


def hints(
    course: CourseArgument,
    offered: Annotated[bool, typer.Option("--on/--off", help="Whether the sidebar offers hints.")] = True,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Set whether students may switch to hint mode. Example: vta course hints ds --off"""
    with platform(home) as vta:
        embedding = vta.stores.embeddings.change(CourseId(course), hints=offered)
    _show(embedding, as_json)


def _show(embedding: Embedding, as_json: bool) -> None:
    if as_json:
        show_json({"origins": list(embedding.origins), "hints": embedding.hints})
        return
    show(f"origins: {' '.join(embedding.origins) or 'none'}")
    show(f"hints: {'offered' if embedding.hints else 'not offered'}")
