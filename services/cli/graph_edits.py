"""`vta graph edit`, `edits`, `undo`: manual edits of a course's graph."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from services.cli.output import CourseArgument, Home, Json, platform, show, show_json
from vta.types import (
    AddConcept,
    CourseId,
    ExplainConcept,
    GraphEdit,
    LinkConcepts,
    MergeConcepts,
    RecordedEdit,
    RejectConcept,
    RenameConcept,
    UnlinkConcepts,
)

edit_app = typer.Typer(
    help="Edit a course's graph by hand; later builds keep them. Example: vta graph edit ds reject 图书馆",
    no_args_is_help=True,
)

Concept: TypeAlias = Annotated[str, typer.Argument(metavar="CONCEPT", help="Its name or an alias.")]
Before: TypeAlias = Annotated[str, typer.Argument(metavar="PREREQUISITE", help="The concept to know first.")]


def register(app: typer.Typer) -> None:
    app.add_typer(edit_app, name="edit")
    app.command("edits")(list_edits)
    app.command()(undo)


@edit_app.callback()
def choose_course(context: typer.Context, course: CourseArgument) -> None:
    context.obj = course


@edit_app.command("add")
def add_concept(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name in the course.")],
    alias: Annotated[list[str] | None, typer.Option(help="Another name; repeatable.")] = None,
    definition: Annotated[str, typer.Option(help="Its explanation.")] = "",
    domain: Annotated[list[str] | None, typer.Option(help="Its domains [those of the course].")] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Add a concept.

    Example: vta graph edit ds add 栈 --alias stack --definition 只在一端插入和删除的线性表。
    """
    edit = AddConcept(
        name=name, aliases=tuple(alias or ()), definition=definition, domains=tuple(domain or ())
    )
    _record(context, edit, home, as_json)


@edit_app.command("reject")
def reject_concept(
    context: typer.Context, concept: Concept, home: Home = None, as_json: Json = False
) -> None:
    """Remove something that is not a concept. Example: vta graph edit ds reject 图书馆"""
    _record(context, RejectConcept(concept=concept), home, as_json)


@edit_app.command("rename")
def rename_concept(
    context: typer.Context,
    concept: Concept,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its new name.")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Rename a concept; the old name stays as an alias.

    Example: vta graph edit ds rename 堆栈 栈
    """
    _record(context, RenameConcept(concept=concept, name=name), home, as_json)


@edit_app.command("merge")
def merge_concepts(
    context: typer.Context,
    concept: Concept,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The one that becomes an alias.")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Merge two concepts under the first name. Example: vta graph edit ds merge 栈 堆栈"""
    _record(context, MergeConcepts(concept=concept, other=other), home, as_json)


@edit_app.command("explain")
def explain_concept(
    context: typer.Context,
    concept: Concept,
    definition: Annotated[str, typer.Argument(metavar="DEFINITION", help="The explanation students see.")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Set a concept's explanation. Example: vta graph edit ds explain 栈 栈是后进先出的线性表。"""
    _record(context, ExplainConcept(concept=concept, definition=definition), home, as_json)


@edit_app.command("link")
def link_concepts(
    context: typer.Context,
    prerequisite: Before,
    concept: Concept,
    evidence: Annotated[str, typer.Option(help="Why, or where the course says so.")] = "",
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Add a prerequisite. Example: vta graph edit ds link 线性表 栈 --evidence "第 3 讲" """
    _record(
        context, LinkConcepts(prerequisite=prerequisite, concept=concept, evidence=evidence), home, as_json
    )


@edit_app.command("unlink")
def unlink_concepts(
    context: typer.Context, prerequisite: Before, concept: Concept, home: Home = None, as_json: Json = False
) -> None:
    """Remove a prerequisite. Example: vta graph edit ds unlink 图书馆 栈"""
    _record(context, UnlinkConcepts(prerequisite=prerequisite, concept=concept), home, as_json)


def list_edits(course: CourseArgument, home: Home = None, as_json: Json = False) -> None:
    """List the edits of a course's graph, marking those that no longer have an effect.

    Example: vta graph edits ds
    """
    with platform(home) as vta:
        edits = vta.graphs.edits(CourseId(course))
    for each in edits:
        if as_json:
            show_json({**_edit_json(each.recorded), "effect": each.effect})
        else:
            show(_line(each.recorded) + ("" if each.effect else "\t(no effect)"))


def undo(course: CourseArgument, home: Home = None, as_json: Json = False) -> None:
    """Undo the last edit of a course's graph, or those recorded together. Example: vta graph undo ds"""
    with platform(home) as vta:
        undone = vta.graphs.undo(CourseId(course))
    for each in undone:
        show_json(_edit_json(each)) if as_json else show(f"undone: {_line(each)}")


def _record(context: typer.Context, edit: GraphEdit, home: Path | None, as_json: bool) -> None:
    with platform(home) as vta:
        recorded = vta.graphs.record(CourseId(context.obj), edit)
    show_json(_edit_json(recorded)) if as_json else show(_line(recorded))


def _edit_json(recorded: RecordedEdit) -> dict[str, object]:
    return {
        "number": recorded.number,
        "edit": asdict(recorded.edit),
        "created_at": recorded.created_at.isoformat(),
    }


def _line(recorded: RecordedEdit) -> str:
    fields = {field: value for field, value in asdict(recorded.edit).items() if value and field != "kind"}
    words = [
        f"{field}: {', '.join(value) if isinstance(value, tuple) else value}"
        for field, value in fields.items()
    ]
    return f"{recorded.number}\t{recorded.edit.kind}\t{'; '.join(words)}"
