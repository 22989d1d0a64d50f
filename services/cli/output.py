"""Shared parts of commands: the data folder, its stores or the whole platform, and JSON for machines.

Slow imports are in the commands that need them.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from vta.errors import InvalidInput
from vta.faults import Fault

if TYPE_CHECKING:
    from services.language_model.client import OpenAiLanguageModel
    from services.settings import Settings
    from services.stores import Stores
    from services.wiring import Platform

T = TypeVar("T")

Home = Annotated[
    Path | None, typer.Option("--home", help="The data folder [VTA_HOME, else ./.vta].", show_default=False)
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")]
Yes = Annotated[bool, typer.Option("--yes", help="Remove without asking.")]
CourseArgument = Annotated[str, typer.Argument(metavar="COURSE", help="The id of a course.")]


@contextmanager
def stores(home: Path | None) -> Iterator[tuple[Stores, Settings]]:
    """The stores of a data folder and its settings, for what needs no index and no model."""
    from services.clock import SystemClock
    from services.settings import make_home, read_settings
    from services.store.audit_log import COMMAND_LINE, acting
    from services.stores import open_stores

    settings = read_settings(home)
    make_home(settings)
    opened = open_stores(settings.store_url, SystemClock(), timeout_s=settings.database_timeout_s)
    try:
        with acting(COMMAND_LINE):
            yield opened, settings
    finally:
        opened.close()


@contextmanager
def platform(home: Path | None) -> Iterator[Platform]:
    """The platform of a data folder, closed again at the end."""
    from services.settings import read_settings
    from services.store.audit_log import COMMAND_LINE, acting
    from services.wiring import build_platform

    built = build_platform(read_settings(home))
    try:
        with acting(COMMAND_LINE):
            yield built
    finally:
        built.close()


def run(work: Coroutine[Any, Any, T], model: OpenAiLanguageModel | None) -> T:
    """Run a coroutine in a new event loop and close the connections of the model."""

    async def run_and_close() -> T:
        try:
            return await work
        finally:
            if model is not None:
                await model.aclose()

    return asyncio.run(run_and_close())


def group(help: str) -> typer.Typer:
    return typer.Typer(help=help, no_args_is_help=True, rich_markup_mode=None)


def require_yes(name: str, yes: bool) -> None:
    """Return where `--yes` was given or the name of what goes is typed; else `InvalidInput`."""
    if yes:
        return
    typer.echo(f"Type {name} to remove it: ", err=True, nl=False)
    if sys.stdin.readline().strip() != name:
        raise InvalidInput(Fault("command.not_confirmed", name=name))


def show(text: str) -> None:
    """A line for people."""
    typer.echo(text)


def show_json(value: object) -> None:
    """One JSON object on one line; times are written as in ISO 8601."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, default=datetime.isoformat) + "\n")
    sys.stdout.flush()


def read_lines(field: str) -> Iterator[dict[str, object]]:
    """The JSON objects of stdin, one a line; each must hold the text `field`."""
    for number, line in enumerate(sys.stdin, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise InvalidInput(
                Fault("data.line_not_json", line=number, reason=error.msg), line=number
            ) from error
        if not isinstance(row, dict) or not isinstance(row.get(field), str):
            raise InvalidInput(Fault("data.line_field", line=number, field=field), line=number, field=field)
        yield row


@contextmanager
def naming_file(file: Path) -> Iterator[None]:
    """`InvalidInput` that names the file where it cannot be read."""
    try:
        yield
    except OSError as error:
        fault = Fault("data.unreadable", file=str(file), reason=error.strerror or "")
        raise InvalidInput(fault, path=str(file)) from error
    except UnicodeDecodeError as error:
        raise InvalidInput(Fault("data.not_utf8", file=str(file)), path=str(file)) from error


def read_text(file: Path) -> str:
    """The text of a UTF-8 file."""
    with naming_file(file):
        return file.read_text(encoding="utf-8")
