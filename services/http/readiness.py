"""What the server depends on, and how each of it does."""

from __future__ import annotations

from collections.abc import Callable

from services.wiring import Platform
from vta.errors import VtaError

VITAL = ("store", "index")
"""Without these no question is answered."""


def check_parts(platform: Platform) -> dict[str, str]:
    """Each part with ok, or what is wrong with it. Waits for the store and the index."""
    parts = {
        "store": _try(platform.stores.documents.revision),
        "index": _try(platform.knowledge.sync),
        "language_model": "not configured; the offline teacher answers",
    }
    if platform.model is not None:
        parts["language_model"] = "failing; the offline teacher answers" if platform.model.failing else "ok"
    return parts


def _try(check: Callable[[], object]) -> str:
    try:
        check()
    except VtaError as failure:
        return failure.message
    return "ok"
