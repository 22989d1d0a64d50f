"""The turns that learners gave to the course's study: pseudonymous, as JSON by page or as xAPI statements."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import JsonValue
from sqlalchemy import Engine, Row, Select, and_, or_

from services.dialogue.rows import fact_columns, given_to_study, select_turns, to_turn
from services.questions.rows import is_private
from services.questions.store import last_live
from services.store import tables
from services.store.rows import from_row
from services.store.store_secrets import LearnerPseudonyms
from services.store.transactions import SqlStore, reading
from services.webhooks.rows import last_replies
from vta.analytics.facts import TurnFact
from vta.types.courses import CourseId
from vta.types.inbox import MessageKind, QuestionMessage, QuestionState
from vta.types.questions import Conditions, Position

MOST_TURNS = 500
"""Turns on a page."""
NDJSON = "application/x-ndjson"
Place = tuple[datetime, str]
"""When a turn was asked, and its id: the order of the export."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchPage:
    """A JSON object a line; `next` is the place of the last turn, None on the last page."""

    text: str
    next: Place | None


class SqlResearch(SqlStore):
    """Reads the turns of learners whose consent is given to the study text that the course has now."""

    def __init__(self, engine: Engine, learners: LearnerPseudonyms) -> None:
        super().__init__(engine)
        self._learners = learners

    def page(self, course_id: CourseId, after: Place | None, limit: int) -> ResearchPage:
        """At most `limit` turns behind a place, oldest first, by two statements; none without a study."""
        turns = tables.turns.c
        query = _select_given(course_id).order_by(turns.created_at, turns.id).limit(limit + 1)
        if after is not None:
            at, id = after
            query = query.where(or_(turns.created_at > at, and_(turns.created_at == at, turns.id > id)))
        with reading(self._engine) as connection:
            found = connection.execute(query).all()
            rows = found[:limit]
            asked = [row.question_id for row in rows if row.question_id and is_private(row)]
            replies = last_replies(connection, asked) if asked else {}
        lines = [self._turn_json(course_id, row, replies.get(row.question_id)) for row in rows]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        ends = len(found) <= limit
        return ResearchPage(text=text, next=None if ends else (rows[-1].created_at, rows[-1].id))

    async def pages(self, course_id: CourseId) -> AsyncIterator[str]:
        """The text of all pages; each is read when the one before has been sent."""
        after: Place | None = None
        while True:
            page = await asyncio.to_thread(self.page, course_id, after, MOST_TURNS)
            yield page.text
            if (after := page.next) is None:
                return

    def disguise(self, course_id: CourseId, kind: str, id: str) -> str:
        """The pseudonym of a learner, session or such of a course outside the store, 64 hex digits."""
        return self._learners.keyed(f"research\0{course_id}\0{kind}\0{id}")

    def _turn_json(
        self, course_id: CourseId, row: Row[Any], reply: QuestionMessage | None
    ) -> dict[str, JsonValue]:
        turn = to_turn(row)
        position = asdict(from_row(Position, row))
        private = reply.text if reply and reply.kind is MessageKind.REPLY else None
        answered = row.state == QuestionState.ANSWERED
        return {
            "learner": self.disguise(course_id, "learner", row.learner_id),
            "session": self.disguise(course_id, "session", turn.session_id),
            "turn_id": turn.id,
            "number": turn.number,
            "asked_at": turn.created_at.isoformat(),
            "position": {name: value for name, value in position.items() if value is not None},
            "question": turn.question,
            "answer": turn.answer.text,
            "citations": [{"document": each.document, "title": each.title} for each in turn.answer.citations],
            "route": turn.answer.route,
            "degraded": turn.answer.degraded.stage if turn.answer.degraded else None,
            "thumb": {"rating": row.rating, "reason": row.reason} if row.rating else None,
            "ta_answer": (private or row.published) if answered else None,
            "conditions": asdict(from_row(Conditions, row)),
        }


def _select_given(course_id: CourseId) -> Select[Any]:
    """The turns of a course that were given to its study, with thumb, place, and the question for a TA."""
    turns, sessions, facts, thumbs = tables.turns, tables.sessions, tables.turn_facts, tables.feedback
    waiting, entries, versions = tables.waiting_questions, tables.faq_entries, tables.faq_versions
    return (
        select_turns()
        .add_columns(sessions.c.learner_id, thumbs.c.rating, thumbs.c.reason, *fact_columns(Position))
        .add_columns(*fact_columns(Conditions))
        .add_columns(waiting.c.id.label("question_id"), waiting.c.state, waiting.c.faq_id)
        .add_columns(versions.c.answer.label("published"))
        .outerjoin(facts, facts.c.turn_id == turns.c.id)
        .outerjoin(thumbs, thumbs.c.turn_id == turns.c.id)
        .outerjoin(waiting, waiting.c.turn_id == turns.c.id)
        .outerjoin(entries, entries.c.id == waiting.c.faq_id)
        .outerjoin(versions, and_(versions.c.faq_id == entries.c.id, versions.c.version == last_live()))
        .where(sessions.c.course_id == course_id, given_to_study())
    )


HOME = "urn:vta:course:"
ASKED = "http://adlnet.gov/expapi/verbs/asked"
QUESTION = "http://adlnet.gov/expapi/activities/question"
COURSE = "http://adlnet.gov/expapi/activities/course"


def xapi_statements(
    turns: Sequence[TurnFact], course_id: CourseId, research: SqlResearch
) -> Iterator[dict[str, JsonValue]]:
    """A statement `asked` for each turn, without the words of the question.

    Turns have the ids, and learners the pseudonyms, that they have in the export of whole conversations. The
    same turn has the same statement id in every export.
    """
    course = f"{HOME}{course_id}"
    for turn in turns:
        result: dict[str, JsonValue] = {
            "duration": f"PT{turn.milliseconds / 1000:.3f}S",
            "success": not turn.unanswered,
        }
        if turn.rating is not None:
            result["score"] = {"scaled": 1 if turn.rating == "up" else -1}
        extensions: dict[str, JsonValue] = {f"{HOME}route": turn.route.value}
        if turn.concepts:
            extensions[f"{HOME}concepts"] = list(turn.concepts)
        if turn.video is not None:
            extensions[f"{HOME}video"] = {"video": turn.video, "second": turn.second}
        learner = research.disguise(course_id, "learner", turn.person)
        yield {
            "id": _uuid(research.disguise(course_id, "statement", turn.turn_id)),
            "timestamp": turn.asked_at.isoformat(),
            "actor": {"objectType": "Agent", "account": {"homePage": course, "name": learner}},
            "verb": {"id": ASKED, "display": {"en": "asked", "zh": "提问"}},
            "object": {
                "objectType": "Activity",
                "id": f"{course}:turn:{turn.turn_id}",
                "definition": {"type": QUESTION, "extensions": extensions},
            },
            "result": result,
            "context": {
                "registration": _uuid(research.disguise(course_id, "session", turn.session_id)),
                "contextActivities": {
                    "parent": [{"objectType": "Activity", "id": course, "definition": {"type": COURSE}}]
                },
            },
        }


def _uuid(digest: str) -> str:
    """A UUID of version 4's shape made of a keyed digest."""
    return str(UUID(hex=digest[:32], version=4))
