"""Days as forms and addresses write them."""

from __future__ import annotations

from datetime import date

from vta.errors import InvalidInput
from vta.faults import Fault


def day_of(text: str | None, name: str) -> date | None:
    """A day written as 2025-03-31; None where nothing is written, `InvalidInput` for anything else."""
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput(Fault("console.no_day", text=text[:20]), field=name) from error
