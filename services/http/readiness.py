"""What the server depends on, and how each of it does."""

from __future__ import annotations

import logging
from collections.abc import Callable

from services.wiring import Platform
from vta.errors import UpstreamFailed, VtaError

VITAL = ("store", "index")
"""Without these no question is answered."""

_log = logging.getLogger(__name__)


def check_parts(platform: Platform) -> dict[str, str]:
    """Each part with ok, or what is wrong with it. Waits for the store and the index."""
    parts = {
        "store": _try(platform.stores.check),
        "index": _try(platform.knowledge.sync),
        "language_model": "not configured; the offline teacher answers",
    }
    if platform.local is not None and not platform.local.is_up:
        parts["language_model"] = f"{platform.local.state}; the offline teacher answers"
    elif platform.model is not None:
        parts["language_model"] = "failing; the offline teacher answers" if platform.model.failing else "ok"
    return parts


def _try(check: Callable[[], object]) -> str:
    try:
        check()
    except UpstreamFailed as failure:
        _log.warning("not ready: %s", failure.message)
        return "cannot be used right now; the log says why"
    except VtaError as failure:
        return failure.message
    return "ok"
