"""`vta faq`: the FAQ entries of a course from the shell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli.output import CourseArgument, Home, Json, group, naming_file, platform, show, show_json
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.courses import CourseId, FaqId
from vta.types.faq import FaqBatch, FaqDraft, FaqEntry, FaqOrder, FaqQuery, FaqState

if TYPE_CHECKING:
    from knowledge.sources.faq import FaqTable
    from services.faq.service import ImportPlan
    from services.faq.store import SqlFaq

EDITOR = "command line"
"""The author of entries from the shell."""

faq_app = group("FAQ entries. Example: vta faq ds list")
_AT_ONCE = 500

Entry = Annotated[str, typer.Argument(metavar="ENTRY", help="The id of an entry, as `list` shows it.")]
Question = Annotated[str | None, typer.Option(help="The question.")]
Answer = Annotated[str | None, typer.Option(help="The answer, as Markdown.")]
Similar = Annotated[list[str] | None, typer.Option(help="Another wording; repeatable.")]
Negative = Annotated[list[str] | None, typer.Option(help="A similar question that it does not answer.")]


Category = Annotated[str | None, typer.Option(help="A word to sort entries by.")]
State = Annotated[FaqState | None, typer.Option(help="A draft answers nobody.")]


@faq_app.callback()
def of_course(context: typer.Context, course: CourseArgument) -> None:
    """FAQ entries. Example: `vta faq ds list`."""
    context.obj = CourseId(course)


@faq_app.command("list")
def list_entries(
    *,
    context: typer.Context,
    removed: Annotated[bool, typer.Option("--removed", help="List removed entries instead.")] = False,
    category: Annotated[str | None, typer.Option(help="Only this category; '' for none.")] = None,
    state: Annotated[FaqState | None, typer.Option(help="Only entries in this state.")] = None,
    order: Annotated[FaqOrder, typer.Option(help="What comes first.")] = FaqOrder.OLDEST,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """List the entries, oldest first. Example: `vta faq ds list --category exams --json`."""
    query = FaqQuery(removed=removed, category=category, state=state, order=order)
    with platform(home) as vta:
        for entry in _listed(vta.stores.faq, context.obj, query):
            _show(entry, as_json=as_json)


@faq_app.command("add")
def add_entry(
    *,
    context: typer.Context,
    question: Annotated[str, typer.Option(help="The question.")],
    answer: Annotated[str, typer.Option(help="The answer, as Markdown.")],
    similar: Similar = None,
    negative: Negative = None,
    category: Category = None,
    state: State = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Add an entry; it is used at once, unless it is a draft.

    Example: vta faq ds add --question 什么时候交作业？ --answer 周五之前。
    """
    draft = _with(
        FaqDraft(question=question, answer=answer),
        similar_questions=similar,
        negative_questions=negative,
        category=category,
        state=state,
    )
    with platform(home) as vta:
        entry = vta.faq.add(context.obj, draft, editor=EDITOR)
    _show(entry, as_json=as_json)


@faq_app.command("edit")
def edit_entry(
    *,
    context: typer.Context,
    entry: Entry,
    question: Question = None,
    answer: Answer = None,
    similar: Similar = None,
    negative: Negative = None,
    category: Category = None,
    state: State = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Edit an entry, as a new version; what is not given stays as it is.

    Example: vta faq ds edit 3f2a --answer 周六之前。
    """
    with platform(home) as vta:
        before = vta.faq.entry(context.obj, FaqId(entry))
        draft = _with(
            before.draft,
            question=question,
            answer=answer,
            similar_questions=similar,
            negative_questions=negative,
            category=category,
            state=state,
        )
        edited = vta.faq.edit(context.obj, before.id, draft, editor=EDITOR, expected=before.version)
    _show(edited, as_json=as_json)


@faq_app.command("remove")
def remove_entry(context: typer.Context, entry: Entry, home: Home = None, as_json: Json = False) -> None:
    """Remove an entry; its history is store. Example: `vta faq ds remove 3f2a`."""
    with platform(home) as vta:
        before = vta.faq.entry(context.obj, FaqId(entry))
        removed = vta.faq.remove(context.obj, before.id, editor=EDITOR, expected=before.version)
    _show(removed, as_json=as_json)


@faq_app.command("export")
def export_entries(context: typer.Context, home: Home = None, as_json: Json = False) -> None:
    """Export the entries to stdout as CSV, or as JSON Lines. Example: `vta faq ds export > faq.csv`."""
    with platform(home) as vta:
        if not as_json:
            typer.echo(vta.faq.export(context.obj), nl=False)
            return
        for entry in vta.stores.faq.entries(context.obj):
            _show(entry, as_json=True)


@faq_app.command("import")
def import_entries(
    *,
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, XLSX or JSON Lines.")],
    sheet: Annotated[
        str | None, typer.Option(help="The sheet of a workbook; by default the first with a header.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Import a table; a row whose question already exists changes that entry.

    Invalid rows, and rows that repeat an earlier question, are skipped and listed. The console can undo it.
    Example: vta faq ds import faq.csv --dry-run
    """
    with platform(home) as vta:
        course = vta.stores.courses.course(context.obj)
        plan = vta.faq.plan(course.id, _read(file, sheet))
        batch = None if dry_run else vta.faq.apply(course.id, plan, editor=EDITOR, file=file.name)
    _show_plan(plan, file, batch, dry_run=dry_run, as_json=as_json)
    if plan.table.rejected and not (plan.new or plan.changed or plan.unchanged):
        raise typer.Exit(2)


def _listed(faq: SqlFaq, course_id: CourseId, query: FaqQuery) -> Iterator[FaqEntry]:
    offset = 0
    while page := faq.page(course_id, query, offset=offset, limit=_AT_ONCE).entries:
        yield from page
        offset += len(page)


def _with(draft: FaqDraft, **given: Any) -> FaqDraft:
    """The draft with what is given; None stands for what is not."""
    known: dict[str, Any] = {}
    for name, value in given.items():
        if value is not None:
            known[name] = tuple(value) if isinstance(value, list) else value
    return replace(draft, **known)


def _show(entry: FaqEntry, *, as_json: bool) -> None:
    from services.web.schemas import FaqOut

    draft = entry.draft
    if not as_json:
        marks = " (removed)" * entry.removed + " (draft)" * (draft.state is FaqState.DRAFT)
        show(f"{entry.id}\tversion {entry.version}{marks}\t{draft.question}")
        return
    show_json(FaqOut.of(entry).model_dump())


def _read(file: Path, sheet: str | None) -> FaqTable:
    from knowledge.sources.readers import FaqReader, read_faq_table

    if not FaqReader().handles(file.name):
        raise InvalidInput(Fault("data.table_kind", file=str(file)), path=str(file))
    with naming_file(file), file.open("rb") as opened:
        return read_faq_table(opened, path=str(file), sheet=sheet)


def _show_plan(plan: ImportPlan, file: Path, batch: FaqBatch | None, *, dry_run: bool, as_json: bool) -> None:
    table = plan.table
    done = {"added": len(plan.new), "changed": len(plan.changed), "unchanged": plan.unchanged}
    if as_json:
        rejected = [{"path": str(file), "line": row.row, "reason": row.reason} for row in table.rejected]
        batched = {
            "batch": batch.id if batch else None,
            "sheet": table.sheet,
            "other_sheets": table.other_sheets,
        }
        show_json({**done, "rejected": rejected, "unlisted": table.unlisted, "dry_run": dry_run, **batched})
    else:
        show(", ".join(f"{count} {what}" for what, count in done.items()) + (" (dry run)" * dry_run))
        if batch:
            show(f"the console's page of FAQ changes can undo it ({batch.id})")
    if table.other_sheets:
        others = ", ".join(table.other_sheets)
        typer.echo(f"{file}: the sheet {table.sheet!r} was read, not {others}; choose with --sheet", err=True)
    for row in table.rejected:
        typer.echo(f"rejected: {file}, row {row.row}: {row.reason}", err=True)
    if table.unlisted:
        typer.echo(f"rejected: {table.unlisted} more rows", err=True)
