"""The rows and documents of FAQ entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    func,
    insert,
    select,
    union_all,
    update,
)

from services.documents.store import apply_documents
from services.store import tables
from services.store.course_rows import require_course
from services.store.rows import as_row, from_row
from vta.errors import Conflict, NotFound, QuestionTaken
from vta.faq import comparison_key, faq_pair
from vta.faults import Fault
from vta.text import normalise
from vta.types.courses import CourseId, FaqId, PairId
from vta.types.documents import CourseDocument
from vta.types.faq import FaqDraft, FaqEntry, FaqOrder, FaqQuery

FOLDER_OF_ENTRIES = "/faq/"
"""Entries are stored as documents under it, so that the index follows them; no file has such a path."""
_PAIR_PREFIX = "faq-"
_ENTRIES_AT_ONCE = 200


def select_newest(course_id: CourseId, *, removed: bool | None = False) -> Select[Any]:
    """Latest version of each entry; `removed` selects removed, present, or (None) both."""
    versions = tables.faq_versions.c
    newest = select_versions(course_id).where(versions.version == tables.faq_entries.c.version)
    return newest if removed is None else newest.where(versions.removed.is_(removed))


def select_versions(course_id: CourseId) -> Select[Any]:
    """The columns of `to_entry`."""
    joined = select(tables.faq_versions, tables.faq_entries.c.course_id).join_from(
        tables.faq_versions, tables.faq_entries
    )
    return joined.where(tables.faq_entries.c.course_id == course_id)


def to_entry(row: Row[Any]) -> FaqEntry:
    """The version of a row of `select_versions`."""
    return from_row(FaqEntry, row, id=FaqId(row.faq_id), draft=from_row(FaqDraft, row))


def newest_entry(connection: Connection, course_id: CourseId, faq_id: FaqId) -> FaqEntry:
    """The newest version of an entry, removed or not, held until the transaction ends; else `NotFound`."""
    entries, versions = tables.faq_entries.c, tables.faq_versions.c
    held = select(entries.version).filter_by(id=faq_id, course_id=course_id)
    newest = connection.execute(held.with_for_update()).scalar_one_or_none()
    if newest is None:
        raise unknown_entry(course_id, faq_id)
    query = select_versions(course_id).where(entries.id == faq_id, versions.version == newest)
    return to_entry(connection.execute(query).one())


def unknown_entry(course_id: CourseId, faq_id: FaqId) -> NotFound:
    """The error for an entry that is not there, or is another course's."""
    return NotFound(Fault("faq_entry.unknown", entry=faq_id, course=course_id))


def check_version(newest: FaqEntry, expected: int) -> None:
    """`Conflict` where the newest version is not the one that was seen."""
    if newest.version != expected:
        raise Conflict(
            Fault(
                "faq_entry.changed",
                entry=newest.id,
                version=newest.version,
                expected=expected,
                editor=newest.editor,
            )
        )


def other_that_asks(connection: Connection, entry: FaqEntry) -> FaqId | None:
    """Another entry of the course that asks the same question."""
    id, asked = tables.faq_entries.c.id, comparison_key(entry.draft.question)
    same = select(id).filter_by(course_id=entry.course_id, question_key=asked).where(id != entry.id)
    found = connection.execute(same).scalar_one_or_none()
    return None if found is None else FaqId(found)


def claim_question(connection: Connection, entry: FaqEntry) -> None:
    """`QuestionTaken` where another entry asks the same."""
    taken = other_that_asks(connection, entry)
    if taken is not None:
        raise QuestionTaken(taken)


def publish(connection: Connection, course_id: CourseId, entries: Sequence[FaqEntry]) -> None:
    """Put the pairs of entries that answer into the store, which the index follows; drop the others."""
    course = require_course(connection, course_id)
    put = [
        CourseDocument(
            path=_path(entry.id),
            sha256=f"version-{entry.version}",
            pairs=(faq_pair(entry.draft, pair_of_entry(entry.id), course=course, document=None),),
        )
        for entry in entries
        if entry.answers
    ]
    gone = [_path(entry.id) for entry in entries if not entry.answers]
    apply_documents(connection, course_id, put=put, remove=gone)


def pair_of_entry(faq_id: str) -> PairId:
    """The id of the pair that an entry is."""
    return PairId(f"{_PAIR_PREFIX}{faq_id}")


def entry_of_pair(pair_id: PairId) -> FaqId | None:
    """The entry that a pair is; None for other pairs."""
    own = pair_id.startswith(_PAIR_PREFIX)
    return FaqId(pair_id.removeprefix(_PAIR_PREFIX)) if own else None


def insert_entry(
    connection: Connection, entry: FaqEntry, *, created_at: datetime, batch: str | None = None
) -> None:
    """Store the first version of a new entry, without its document.

    `Conflict` where another entry asks the same question, or has the id.
    """
    table = tables.faq_entries
    if connection.execute(select(table.c.id).filter_by(id=entry.id)).first() is not None:
        raise Conflict(Fault("faq_entry.exists", entry=entry.id))
    claim_question(connection, entry)
    row = {"id": entry.id, "question_key": comparison_key(entry.draft.question), "created_at": created_at}
    connection.execute(insert(table).values(course_id=entry.course_id, version=entry.version, **row))
    connection.execute(insert(tables.faq_versions).values(_version_row(entry, batch)))


def write_versions(connection: Connection, entries: Sequence[FaqEntry], *, batch: str | None = None) -> None:
    """Store these as the newest versions of their entries, of one course, and publish them."""
    if not entries:
        return
    publish(connection, entries[0].course_id, entries)
    table = tables.faq_entries
    newest = update(table).where(table.c.id == bindparam("of"))
    values = [
        {
            "of": each.id,
            "version": each.version,
            # a removed entry leaves its question to others
            "question_key": None if each.removed else comparison_key(each.draft.question),
        }
        for each in entries
    ]
    connection.execute(newest, values)
    connection.execute(insert(tables.faq_versions), [_version_row(each, batch) for each in entries])


def read_entries(connection: Connection, course_id: CourseId) -> Iterator[tuple[FaqEntry, datetime]]:
    """The entries of a course that are not removed, oldest first, each with when it was made."""
    entries = tables.faq_entries.c
    present = select_newest(course_id).add_columns(entries.created_at)
    query = present.order_by(entries.created_at, entries.id)
    for row in connection.execute(query.execution_options(yield_per=_ENTRIES_AT_ONCE)):
        yield to_entry(row), row.created_at


def _path(faq_id: FaqId) -> str:
    return f"{FOLDER_OF_ENTRIES}{faq_id}"


def _version_row(entry: FaqEntry, batch: str | None) -> dict[str, object]:
    return {
        **as_row(entry.draft),
        "faq_id": entry.id,
        "version": entry.version,
        "editor": entry.editor,
        "edited_at": entry.edited_at,
        "removed": entry.removed,
        "batch_id": batch,
    }


class FaqPage(NamedTuple):
    """Some of the entries that a query finds, and how many there are in all."""

    total: int
    entries: tuple[FaqEntry, ...]


def read_page(
    connection: Connection, course_id: CourseId, query: FaqQuery, *, offset: int, limit: int
) -> FaqPage:
    """The entries that a query finds, from `offset` on; text is compared normalised, and so not by SQL."""
    versions = tables.faq_versions.c
    wanted = select_newest(course_id, removed=query.removed)
    if query.category is not None:
        wanted = wanted.where(versions.category == query.category)
    if query.state is not None:
        wanted = wanted.where(versions.state == query.state.value)
    wanted, order = _ordered(wanted, course_id, query.order)
    sought = normalise(query.sought)
    if not sought:
        total = connection.execute(select(func.count()).select_from(wanted.subquery())).scalar_one()
        rows = connection.execute(wanted.order_by(*order).limit(limit).offset(offset))
        return FaqPage(total, tuple(map(to_entry, rows)))
    texts = (versions.faq_id, versions.question, versions.answer, versions.similar_questions)
    found = [
        row.faq_id
        for row in connection.execute(wanted.order_by(*order).with_only_columns(*texts))
        if any(sought in normalise(text) for text in (row.question, row.answer, *row.similar_questions))
    ]
    shown = wanted.where(versions.faq_id.in_(found[offset : offset + limit]))
    return FaqPage(len(found), tuple(map(to_entry, connection.execute(shown.order_by(*order)))))


def _ordered(
    wanted: Select[Any], course_id: CourseId, order: FaqOrder
) -> tuple[Select[Any], tuple[ColumnElement[Any], ...]]:
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
            asked = count_asked(course_id)
            joined = wanted.outerjoin(asked, asked.c.faq_id == entries.id)
            return joined, (func.coalesce(asked.c.times, 0).desc(), entries.created_at, entries.id)
    return wanted, (entries.created_at, entries.id)


def count_asked(course_id: CourseId) -> Any:
    """How many `times` each `faq_id` was the first source of a stored answer, or a TA's answer."""
    facts, waiting, entries = tables.turn_facts.c, tables.waiting_questions.c, tables.faq_entries.c
    answers = select(facts.faq_id).where(facts.course_id == course_id, facts.faq_id.is_not(None))
    of_course = select(entries.id).filter_by(course_id=course_id)
    of_tas = select(waiting.faq_id).where(waiting.faq_id.in_(of_course))
    each = union_all(answers, of_tas).subquery()
    return select(each.c.faq_id, func.count().label("times")).group_by(each.c.faq_id).subquery()
