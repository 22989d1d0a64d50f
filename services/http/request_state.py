"""What the layers around a route need to know of the answer it gave: kept on the request, in no global."""

from __future__ import annotations

from starlette.types import Scope

from vta.types import SessionId

_KEY = "vta_answered_session"


def note_answered(scope: Scope, session_id: SessionId) -> None:
    """The question of this request was answered whole, and its turn is stored in this session."""
    scope.setdefault("state", {})[_KEY] = session_id


def answered_session(scope: Scope) -> SessionId | None:
    """The session in which this request's answer is stored; None where it has none yet."""
    found = scope.get("state", {}).get(_KEY)
    return SessionId(found) if isinstance(found, str) else None
