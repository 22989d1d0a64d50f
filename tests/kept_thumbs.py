"""The thumbs that students gave in a course, as the relational store keeps them."""

from __future__ import annotations

from sqlalchemy import select

from services.store import tables
from services.store.rows import from_row
from services.store.transactions import reading
from services.stores import Stores
from vta.types.courses import CourseId
from vta.types.inbox import Feedback


def kept_thumbs(stores: Stores, course_id: CourseId) -> tuple[Feedback, ...]:
    """By turn id."""
    thumbs = tables.feedback
    joined = thumbs.join(tables.turns).join(tables.sessions)
    query = select(thumbs).select_from(joined).where(tables.sessions.c.course_id == course_id)
    with reading(stores.engine) as connection:
        rows = connection.execute(query.order_by(thumbs.c.turn_id))
        return tuple(from_row(Feedback, row) for row in rows)
