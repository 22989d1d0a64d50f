"""`vta`: one command for everything that the shell does."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from services.cli import (
    analytics,
    backup,
    calibration,
    courses,
    dialogue,
    doctor,
    faq,
    graph,
    guard,
    intent,
    lab,
    lti,
    people,
    privacy,
    serving,
    transcripts,
    usage,
)
from services.settings import terminal_language
from vta import __version__
from vta.errors import Conflict, InvalidInput, NotFound, VtaError

app = typer.Typer(
    name="vta",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"vta {__version__}")
        raise typer.Exit


for module in (
    serving,
    doctor,
    courses,
    faq,
    dialogue,
    graph,
    intent,
    guard,
    lab,
    calibration,
    transcripts,
    usage,
    analytics,
    privacy,
    lti,
    backup,
    people,
):
    module.register(app)


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A virtual teaching assistant for online courses. Example: vta demo"""


def main() -> None:
    """Run the command line; faults are one line on stderr, exit 2 for bad input, 1 otherwise.

    The line is in the language of the locale.
    """
    try:
        app()
    except VtaError as error:
        sys.stderr.write(f"vta: {error.text(terminal_language())}\n")
        sys.exit(2 if isinstance(error, InvalidInput | NotFound | Conflict) else 1)
