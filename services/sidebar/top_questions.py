"""The questions that a course is asked most, in the words of the course: no student's words are shown."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta

from services.storage.sessions import SqlSessions
from vta.ports import Clock
from vta.types import Citation, Course, CourseId, Language, Route, SessionId, Source

LATEST_TURNS = 500
FEWEST_SESSIONS = 3
"""What fewer sessions asked about is not suggested to others."""
MOST = 3
_KEPT = timedelta(minutes=1)
_WHAT_IS = {Language.ZH: "什么是{}？", Language.EN: "What is {}?"}


class TopQuestions:
    """Counts in how many sessions each FAQ entry and concept was the direct answer; counted once a minute."""

    def __init__(self, sessions: SqlSessions, clock: Clock) -> None:
        self._sessions = sessions
        self._clock = clock
        self._known: dict[CourseId, tuple[datetime, tuple[str, ...]]] = {}

    def of(self, course: Course) -> tuple[str, ...]:
        """The top questions of a course, most asked first; none where too little was asked."""
        now = self._clock.now()
        counted, questions = self._known.get(course.id, (now - 2 * _KEPT, ()))
        if now - counted > _KEPT:
            questions = self._count(course)
            self._known[course.id] = (now, questions)
        return questions

    def _count(self, course: Course) -> tuple[str, ...]:
        asked: dict[str, set[SessionId]] = defaultdict(set)
        for turn in self._sessions.latest_questions(course.id, LATEST_TURNS):
            if turn.answer.route is Route.DIRECT and turn.answer.citations:
                question = _wording(turn.answer.citations[0], course.language)
                if question:
                    asked[question].add(turn.session_id)
        often = [question for question, sessions in asked.items() if len(sessions) >= FEWEST_SESSIONS]
        return tuple(sorted(often, key=lambda question: (-len(asked[question]), question))[:MOST])


def _wording(citation: Citation, language: Language) -> str | None:
    match citation.source:
        case Source.FAQ:
            return citation.title
        case Source.CONCEPT:
            return _WHAT_IS[language].format(citation.title)
        case _:
            return None
