"""The commands of the lab, training and evaluation, which only a source checkout has."""

from __future__ import annotations

from importlib import import_module

import typer

from services.cli.intent import intent_app
from vta.errors import InvalidInput
from vta.faults import Fault


def register(app: typer.Typer) -> None:
    """Add the commands of the lab or, where it is missing, commands of their names that say where it is."""
    try:
        lab = import_module("lab.cli")
    except ModuleNotFoundError as error:
        if error.name not in ("lab", "lab.cli"):
            raise
        _register_missing(app, "evaluate")
        for name in ("train", "calibrate", "evaluate"):
            _register_missing(intent_app, name)
    else:
        lab.register(app)


def _register_missing(app: typer.Typer, name: str) -> None:
    accept_all = {"allow_extra_args": True, "ignore_unknown_options": True}

    @app.command(name, context_settings=accept_all, help="Only in a source checkout.")
    def refuse() -> None:
        raise InvalidInput(Fault("option.lab"))
