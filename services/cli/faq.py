"""`vta faq`: the FAQ entries of a course from the shell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from services.cli.faq_imports import EDITOR, import_entries, list_batches, undo_batch
from services.cli.output import CourseArgument, Home, Json, platform, show, show_json
from services.use_cases.faq import FaqService
from vta.types import CourseId, FaqDraft, FaqEntry, FaqId, FaqOrder, FaqQuery, FaqState

faq_app = typer.Typer(help="FAQ entries. Example: vta faq ds list", no_args_is_help=True)
_AT_ONCE = 500

Entry = Annotated[str, typer.Argument(metavar="ENTRY", help="The id of an entry, as `list` shows it.")]
Question = Annotated[str | None, typer.Option(help="The question.")]
Answer = Annotated[str | None, typer.Option(help="The answer, as Markdown.")]
Similar = Annotated[list[str] | None, typer.Option(help="Another wording; repeatable.")]
Negative = Annotated[list[str] | None, typer.Option(help="A similar question that it does not answer.")]


Category = Annotated[str | None, typer.Option(help="A word to sort entries by.")]
State = Annotated[FaqState | None, typer.Option(help="A draft answers nobody.")]


def register(app: typer.Typer) -> None:
    faq_app.command("import")(import_entries)
    faq_app.command("batches")(list_batches)
    faq_app.command("undo")(undo_batch)
    app.add_typer(faq_app, name="faq")


@faq_app.callback()
def of_course(context: typer.Context, course: CourseArgument) -> None:
    """FAQ entries. Example: vta faq ds list"""
    context.obj = CourseId(course)


@faq_app.command("list")
def list_entries(
    context: typer.Context,
    removed: Annotated[bool, typer.Option("--removed", help="List removed entries instead.")] = False,
    category: Annotated[str | None, typer.Option(help="Only this category; '' for none.")] = None,
    state: Annotated[FaqState | None, typer.Option(help="Only entries in this state.")] = None,
    order: Annotated[FaqOrder, typer.Option(help="What comes first.")] = FaqOrder.OLDEST,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """List the entries, oldest first. Example: vta faq ds list --category exams --json"""
    query = FaqQuery(removed=removed, category=category, state=state, order=order)
    with platform(home) as vta:
        for entry in _listed(vta.faq, context.obj, query):
            _show(entry, as_json=as_json)


@faq_app.command("add")
def add_entry(
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
    draft = FaqDraft(
        question=question,
        answer=answer,
        similar_questions=tuple(similar or ()),
        negative_questions=tuple(negative or ()),
        category=category or "",
        state=state or FaqState.LIVE,
    )
    with platform(home) as vta:
        entry = vta.faq.add(context.obj, draft, editor=EDITOR)
    _show(entry, as_json=as_json)


@faq_app.command("edit")
def edit_entry(
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
        old = before.draft
        draft = FaqDraft(
            question=old.question if question is None else question,
            answer=old.answer if answer is None else answer,
            similar_questions=old.similar_questions if similar is None else tuple(similar),
            negative_questions=old.negative_questions if negative is None else tuple(negative),
            category=old.category if category is None else category,
            state=state or old.state,
        )
        edited = vta.faq.edit(context.obj, before.id, draft, editor=EDITOR, expected=before.version)
    _show(edited, as_json=as_json)


@faq_app.command("remove")
def remove_entry(context: typer.Context, entry: Entry, home: Home = None, as_json: Json = False) -> None:
    """Remove an entry; its history is kept. Example: vta faq ds remove 3f2a"""
    with platform(home) as vta:
        before = vta.faq.entry(context.obj, FaqId(entry))
        removed = vta.faq.remove(context.obj, before.id, editor=EDITOR, expected=before.version)
    _show(removed, as_json=as_json)


@faq_app.command("restore")
def restore_entry(context: typer.Context, entry: Entry, home: Home = None, as_json: Json = False) -> None:
    """Restore a removed entry. Example: vta faq ds restore 3f2a"""
    with platform(home) as vta:
        before = vta.faq.entry(context.obj, FaqId(entry))
        restored = vta.faq.restore(context.obj, before.id, editor=EDITOR, expected=before.version)
    _show(restored, as_json=as_json)


@faq_app.command("export")
def export_entries(context: typer.Context, home: Home = None, as_json: Json = False) -> None:
    """Export the entries to stdout as CSV, or as JSON Lines. Example: vta faq ds export > faq.csv"""
    with platform(home) as vta:
        if not as_json:
            typer.echo(vta.faq.export(context.obj), nl=False)
            return
        for entry in vta.stores.faq.entries(context.obj):
            _show(entry, as_json=True)


def _listed(faq: FaqService, course_id: CourseId, query: FaqQuery) -> Iterator[FaqEntry]:
    """All entries that are asked for."""
    offset = 0
    while page := faq.page(course_id, query, offset=offset, limit=_AT_ONCE).entries:
        yield from page
        offset += len(page)


def _show(entry: FaqEntry, *, as_json: bool) -> None:
    draft = entry.draft
    if not as_json:
        marks = " (removed)" * entry.removed + " (draft)" * (draft.state is FaqState.DRAFT)
        show(f"{entry.id}\tversion {entry.version}{marks}\t{draft.question}")
        return
    show_json(
        {
            "id": entry.id,
            "version": entry.version,
            "question": draft.question,
            "answer": draft.answer,
            "similar_questions": draft.similar_questions,
            "negative_questions": draft.negative_questions,
            "category": draft.category,
            "state": draft.state,
            "editor": entry.editor,
            "edited_at": entry.edited_at.isoformat(),
            "removed": entry.removed,
        }
    )
