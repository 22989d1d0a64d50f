"""The export of a learner holds what the tables have of them."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from typing import Any

from served_platform import Serve, Served
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    DateTime,
    Float,
    Integer,
    LargeBinary,
    Text,
    delete,
    insert,
    select,
)

from services.store import tables
from services.store.tables.base import UtcDateTime

COURSE = "stacks-en"
LEARNER = "student-4711"
NAMES = {"learner_id", "session_id", "turn_id", "question_id"}
"""Columns that name a learner, or what is a learner's."""
GIVEN = {"rating": "down", "state": "rejected", "mark": "bad", "kind": "note"}
"""What tables check, and so no marks of ours."""
STAFF = "the name of one who teaches, which is theirs"
COUNTED = "counted from question and answer, which are in the export"
LEFT_OUT = {
    "question_messages.author": STAFF,
    "answer_reviews.reviewer": STAFF,
    "answer_reviews.second_reviewer": STAFF,
    "question_readers.reader": STAFF,
    "question_readers.name": STAFF,
    "waiting_questions.assignee": STAFF,
    "waiting_questions.assignee_id": STAFF,
    "waiting_questions.group_id": "a name that TAs gave to some questions together",
    "waiting_questions.faq_id": "an entry of the course; its answer is in the learner's session",
    "turn_facts.question": COUNTED,
    "turn_facts.route": COUNTED,
    "turn_facts.milliseconds": COUNTED,
    "turn_facts.concepts": COUNTED,
    "turn_facts.number": COUNTED,
    "turn_facts.faq_id": COUNTED,
    "question_messages.number": "their order, which is that of the export",
    "idempotency_keys.request_hash": "of a request, for a day; the answer itself is in the export",
    "idempotency_keys.attempt": "of a request, for a day",
    "idempotency_keys.status": "of a request, for a day",
    "idempotency_keys.headers": "of a request, for a day",
}


def test_the_export_holds_all_that_the_tables_have_of_a_learner(serve: Serve) -> None:
    """Each column of a table that names a learner, session, turn or question, but for those listed."""
    api = serve()
    body = {"question": "Why does recursion need a stack?", "learner_id": LEARNER}
    turn = api.client.post(f"/v1/courses/{COURSE}/dialogue", json=body).json()
    with api.platform.stores.engine.begin() as connection:
        marks = fill(connection, turn)
    told = export(api)
    assert {name for name, mark in marks.items() if mark not in told} == LEFT_OUT.keys()
    assert {name.partition(".")[0] for name in marks} >= {"feedback", "guard_audit", "question_messages"}


def fill(connection: Connection, turn: dict[str, Any]) -> dict[str, str]:
    """A row about the turn in every such table; what stands in each column, as it would be exported."""
    session = connection.execute(select(tables.sessions)).one()
    named = {
        "learner_id": session.learner_id,
        "session_id": session.id,
        "turn_id": turn["turn_id"],
        "question_id": "q",
        "course_id": COURSE,
        "platform_id": "p",
    }
    marks: dict[str, str] = {}
    for table in tables.metadata.sorted_tables:
        is_learners = not NAMES.isdisjoint(table.columns.keys()) and table is not tables.turns
        if table is tables.sessions or not (is_learners or table is tables.lti_platforms):
            continue
        row = {column.name: named.get(column.name) or value_of(column) for column in table.columns}
        if table in (tables.waiting_questions, tables.lti_platforms):
            row["id"] = "q" if table is tables.waiting_questions else "p"
        connection.execute(delete(table))
        connection.execute(insert(table).values(row))
        if is_learners:
            marks |= {
                f"{table}.{column.name}": json.dumps(row[column.name])
                for column in table.columns
                if isinstance(column.type, Text | JSON | Float | Integer) and not names_a_row(column)
            }
    return marks


def names_a_row(column: Column[Any]) -> bool:
    """Whether it holds no word about anybody, but which row of which table is meant."""
    return column.name in {"id", "digest", *NAMES, "course_id", "platform_id"}


def value_of(column: Column[Any]) -> Any:
    """One that no other column has."""
    mark = zlib.crc32(str(column).encode()) % 10**6
    match column.type:
        case JSON():
            return [f"mark {mark}"]
        case DateTime() | UtcDateTime():
            return datetime(2031, 1, 1, tzinfo=UTC)
        case Boolean():
            return False
        case LargeBinary():
            return b"mark"
        case Float():
            return mark + 0.5
        case Integer():
            return mark
        case _:
            return GIVEN.get(column.name, f"mark {mark}")


def export(api: Served) -> str:
    headers = api.bearer()
    reply = api.client.get(f"/v1/courses/{COURSE}/learners/{LEARNER}", headers=headers)
    assert reply.status_code == 200, reply.text
    return json.dumps(reply.json())
