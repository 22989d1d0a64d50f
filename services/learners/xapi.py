"""The turns that learners gave to the course's study as xAPI statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from pydantic import JsonValue

from services.learners.research import SqlResearch
from vta.analytics.facts import TurnFact
from vta.types.courses import CourseId

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
