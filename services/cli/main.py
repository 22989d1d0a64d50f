"""`vta`: one command for everything that the shell does."""

from __future__ import annotations

import sys

import typer

from services.cli import (
    analytics,
    courses,
    dialogue,
    evaluation,
    faq,
    graph,
    guard,
    intent,
    lti,
    privacy,
    serving,
    transcripts,
    usage,
)
from vta.errors import Conflict, InvalidInput, NotFound, VtaError

app = typer.Typer(
    name="vta",
    help="A virtual teaching assistant for online courses. Example: vta demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for module in (
    serving,
    courses,
    faq,
    dialogue,
    graph,
    intent,
    guard,
    evaluation,
    transcripts,
    usage,
    analytics,
    privacy,
    lti,
):
    module.register(app)


def main() -> None:
    """Run the command line; faults are one line on stderr, exit 2 for bad input, 1 otherwise."""
    try:
        app()
    except (InvalidInput, NotFound, Conflict) as fault:
        sys.stderr.write(f"vta: {fault.message}\n")
        sys.exit(2)
    except VtaError as fault:
        sys.stderr.write(f"vta: {fault.message}\n")
        sys.exit(1)
