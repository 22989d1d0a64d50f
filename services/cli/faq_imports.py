"""Importing FAQ tables from the shell, and undoing what was changed at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knowledge.sources.faq import FaqTable
from knowledge.sources.readers import FaqReader, read_faq_table
from services.api.instructor_schemas import FaqBatchOut
from services.cli.output import Home, Json, platform, show, show_json
from services.use_cases.faq import ImportPlan
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import FaqBatch

EDITOR = "command line"
"""Who is said to have written what comes from the shell."""


def import_entries(
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

    Invalid rows, and rows that repeat an earlier question, are skipped and listed. It can be undone.
    Example: vta faq ds import faq.csv --dry-run
    """
    with platform(home) as vta:
        course = vta.stores.courses.course(context.obj)
        plan = vta.faq.plan(course.id, _read(file, sheet))
        batch = None if dry_run else vta.faq.apply(course.id, plan, editor=EDITOR, file=file.name)
    _show_plan(plan, file, batch, dry_run=dry_run, as_json=as_json)
    if plan.rejected and not (plan.new or plan.changed or plan.unchanged):
        raise typer.Exit(2)


def list_batches(context: typer.Context, home: Home = None, as_json: Json = False) -> None:
    """List imports and changes of several entries, newest first. Example: vta faq ds batches"""
    with platform(home) as vta:
        for batch in vta.stores.faq_batches.batches(context.obj):
            if as_json:
                show_json(FaqBatchOut.of(batch).model_dump(mode="json"))
            else:
                counts = f"{batch.added} added, {batch.changed} changed"
                show(
                    f"{batch.id}\t{batch.kind} {batch.detail}\t{counts}{' (undone)' * bool(batch.undone_at)}"
                )


def undo_batch(
    context: typer.Context,
    batch: Annotated[str, typer.Argument(metavar="BATCH", help="An id, as `batches` shows it.")],
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Undo an import or a change of several entries; those edited since are kept and listed.

    Example: vta faq ds undo 3f2a
    """
    with platform(home) as vta:
        undone = vta.faq.undo(context.obj, batch, editor=EDITOR)
    if as_json:
        show_json({"undone": undone.undone, "kept": [entry.id for entry in undone.kept]})
        return
    show(f"{undone.undone} undone")
    for entry in undone.kept:
        typer.echo(f"kept: {entry.id}\t{entry.draft.question}", err=True)


def _read(file: Path, sheet: str | None) -> FaqTable:
    if not FaqReader().handles(file.name):
        raise InvalidInput(Fault("data.table_kind", file=str(file)), path=str(file))
    try:
        with file.open("rb") as opened:
            return read_faq_table(opened, path=str(file), sheet=sheet)
    except OSError as error:
        raise InvalidInput(
            Fault("data.unreadable", file=str(file), reason=error.strerror or ""), path=str(file)
        ) from error


def _show_plan(plan: ImportPlan, file: Path, batch: FaqBatch | None, *, dry_run: bool, as_json: bool) -> None:
    done = {"added": len(plan.new), "changed": len(plan.changed), "unchanged": plan.unchanged}
    if as_json:
        rejected = [{"path": str(file), "line": row.row, "reason": row.reason} for row in plan.rejected]
        batched = {
            "batch": batch.id if batch else None,
            "sheet": plan.sheet,
            "other_sheets": plan.other_sheets,
        }
        show_json({**done, "rejected": rejected, "unlisted": plan.unlisted, "dry_run": dry_run, **batched})
    else:
        show(", ".join(f"{count} {what}" for what, count in done.items()) + (" (dry run)" * dry_run))
        if batch:
            show(f"undo it by: vta faq {batch.course_id} undo {batch.id}")
    if plan.other_sheets:
        others = ", ".join(plan.other_sheets)
        typer.echo(f"{file}: the sheet {plan.sheet!r} was read, not {others}; choose with --sheet", err=True)
    for row in plan.rejected:
        typer.echo(f"rejected: {file}, row {row.row}: {row.reason}", err=True)
    if plan.unlisted:
        typer.echo(f"rejected: {plan.unlisted} more rows", err=True)
