"""What the suites of `vta evaluate` share: their data, and how figures are shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from services.cli.output import show, show_json
from vta.errors import InvalidInput
from vta.faults import Fault

DataPath = Annotated[Path | None, typer.Argument(metavar="[PATH]", help="The data.", show_default=False)]
DataOption = Annotated[Path | None, typer.Option("--data", help="The data, if not given as PATH.")]
Seed = Annotated[int, typer.Option(help="Seed of the bootstrap.")]


def given_data(path: Path | None, data: Path | None) -> Path:
    """The data that was given, once."""
    given = path or data
    if given is None or (path and data):
        raise InvalidInput(Fault("option.data_once"), field="data")
    return given


def show_figures(row: Mapping[str, object], *, as_json: bool) -> None:
    """One suite's figures, as one object or a line each."""
    if as_json:
        show_json(row)
        return
    for name, value in row.items():
        show(f"{name}: {value}")
