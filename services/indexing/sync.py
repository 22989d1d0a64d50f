"""After a write: the index follows at once, so that the next student need not wait for it."""

from __future__ import annotations

import logging

from services.indexing.stored_knowledge import StoredKnowledge
from vta.errors import VtaError

_log = logging.getLogger(__name__)


def sync_index(knowledge: StoredKnowledge) -> bool:
    """Bring the index to the store's revision; False where it cannot be yet, and is tried again by itself.

    The write itself is kept either way: the store is the truth.
    """
    try:
        knowledge.sync()
    except VtaError as failure:
        _log.warning("the index is behind the store: %s", failure.message)
        return False
    return True
