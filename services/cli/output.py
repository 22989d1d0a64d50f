"""What commands share: the data folder, JSON for machines, exit codes for faults."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from services.language_model.local_server import LocalModel
from services.settings import read_settings
from services.wiring import Platform, build_platform
from vta.errors import InvalidInput
from vta.faults import Fault

LOADING_S = 300.0
"""How long a command waits for a local model."""

Home = Annotated[
    Path | None, typer.Option("--home", help="The data folder [VTA_HOME, else ./.vta].", show_default=False)
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")]
CourseArgument = Annotated[str, typer.Argument(metavar="COURSE", help="The id of a course.")]


@contextmanager
def platform(
    home: Path | None, *, llm_file: Path | None = None, asks_model: bool = False
) -> Iterator[Platform]:
    """The platform of a data folder, closed again at the end; with a local model loaded if it is asked."""
    built = build_platform(read_settings(home, llm_file))
    try:
        with loaded(built.local if asks_model else None):
            yield built
    finally:
        built.close()


@contextmanager
def loaded(local: LocalModel | None) -> Iterator[LocalModel | None]:
    """A local model, loaded; where it cannot be, what it does is said and the command goes on without."""
    if local is not None:
        typer.echo(f"Loading {local.name} ...", err=True)
        local.start()
        if not local.wait(LOADING_S):
            typer.echo(f"{local.name}: {local.state}", err=True)
    try:
        yield local
    finally:
        if local is not None:
            local.stop()


def show(text: str) -> None:
    """A line for people."""
    typer.echo(text)


def show_json(value: object) -> None:
    """One JSON object on one line."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
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
