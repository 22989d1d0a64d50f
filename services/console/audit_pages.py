"""The audit log as a page: of the platform for its admins, of a course for its instructors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fastapi.responses import Response

from services.console.visits import PersonVisit, Visit
from services.store.audit_log import PAGE_SIZE, AuditEntry, page_of


def log_page(
    visit: Visit | PersonVisit, asked: Mapping[str, str], find: Callable[..., tuple[AuditEntry, ...]]
) -> Response:
    """The entries that `find` has, newest first; `asked` is what the fields of the page say."""
    before = visit.query.get("before", "")
    number = int(before) if before.isascii() and before.isdigit() and len(before) < 10 else None
    shown, older = page_of(find(person=asked["person"], before=number, limit=PAGE_SIZE + 1), PAGE_SIZE)
    return visit.page(
        "log.html",
        entries=shown,
        asked=asked,
        is_first=not before,
        older=older,
    )


def asked_of(visit: Visit | PersonVisit, name: str) -> str:
    """The value of a field of the page."""
    return visit.query.get(name, "")[:200].strip()
