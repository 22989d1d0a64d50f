"""The commands of the lab, which `vta` adds to its own where the lab is there."""

from __future__ import annotations

import typer

from lab.cli.evaluation import register_evaluation
from lab.cli.intent import register_training


def register(app: typer.Typer) -> None:
    register_training()
    register_evaluation(app)
