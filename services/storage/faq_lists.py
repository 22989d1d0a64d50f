"""Lists of FAQ entries: searched, filtered, ordered, counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select, union_all

from services.storage import tables
from services.storage.faq_rows import select_newest, to_entry
from vta.text import normalise
from vta.types import CourseId, FaqEntry, FaqId, FaqOrder, FaqQuery


def read_page(
    connection: Connection, course_id: CourseId, query: FaqQuery, *, offset: int, limit: int
) -> tuple[int, tuple[FaqEntry, ...]]:
    """How many entries are asked for, and some of them."""
    versions = tables.faq_versions.c
    wanted, order = _ordered(_filtered(course_id, query), course_id, query.order)
    sought = normalise(query.sought)
    if not sought:
        total = connection.execute(select(func.count()).select_from(wanted.subquery())).scalar_one()
        rows = connection.execute(wanted.order_by(*order).limit(limit).offset(offset))
        return total, tuple(map(to_entry, rows))
    texts = (versions.faq_id, versions.question, versions.answer, versions.similar_questions)
    found = [
        row.faq_id
        for row in connection.execute(wanted.order_by(*order).with_only_columns(*texts))
        if _holds((row.question, row.answer, *row.similar_questions), sought)
    ]
    shown = wanted.where(versions.faq_id.in_(found[offset : offset + limit]))
    return len(found), tuple(map(to_entry, connection.execute(shown.order_by(*order))))


def count_categories(connection: Connection, course_id: CourseId) -> Mapping[str, int]:
    """How many entries each category in use has, by its name; without those that have none."""
    category = tables.faq_versions.c.category
    used = select_newest(course_id).where(category != "").with_only_columns(category, func.count().label("n"))
    rows = connection.execute(used.group_by(category).order_by(category))
    return {row.category: row.n for row in rows}


def count_asked(connection: Connection, course_id: CourseId, faq_ids: Sequence[FaqId]) -> Mapping[FaqId, int]:
    """How often each was the first source of an answer that is kept, or a TA's answer."""
    asked = _asked(course_id)
    rows = connection.execute(select(asked).where(asked.c.faq_id.in_(faq_ids)))
    return {FaqId(row.faq_id): row.times for row in rows}


def _filtered(course_id: CourseId, query: FaqQuery) -> Select[Any]:
    versions = tables.faq_versions.c
    wanted = select_newest(course_id, removed=query.removed)
    if query.category is not None:
        wanted = wanted.where(versions.category == query.category)
    if query.state is not None:
        wanted = wanted.where(versions.state == query.state.value)
    return wanted


def _ordered(
    wanted: Select[Any], course_id: CourseId, order: FaqOrder
) -> tuple[Select[Any], tuple[ColumnElement[Any], ...]]:
    """The query with what its order rests on."""
    entries, versions = tables.faq_entries.c, tables.faq_versions.c
    by_words = (func.lower(versions.question), entries.id)
    match order:
        case FaqOrder.NEWEST:
            return wanted, (versions.edited_at.desc(), entries.id)
        case FaqOrder.QUESTION:
            return wanted, by_words
        case FaqOrder.CATEGORY:
            return wanted, (versions.category == "", versions.category, *by_words)
        case FaqOrder.MOST_ASKED:
            asked = _asked(course_id)
            joined = wanted.outerjoin(asked, asked.c.faq_id == entries.id)
            return joined, (func.coalesce(asked.c.times, 0).desc(), entries.created_at, entries.id)
    return wanted, (entries.created_at, entries.id)


def _asked(course_id: CourseId) -> Any:
    """How often each entry was an answer, by its id."""
    facts, waiting, entries = tables.turn_facts.c, tables.waiting_questions.c, tables.faq_entries.c
    answers = select(facts.faq_id).where(facts.course_id == course_id, facts.faq_id.is_not(None))
    of_course = select(entries.id).where(entries.course_id == course_id)
    of_tas = select(waiting.faq_id).where(waiting.faq_id.in_(of_course))
    each = union_all(answers, of_tas).subquery()
    return select(each.c.faq_id, func.count().label("times")).group_by(each.c.faq_id).subquery()


def _holds(texts: Sequence[str], sought: str) -> bool:
    return any(sought in normalise(text) for text in texts)
