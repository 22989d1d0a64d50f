"""The client: a server, its courses, and what students do in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import quote

import httpx2

from services.client.connection import ApiError, Connection
from services.client.faq import FaqClient
from services.client.materials import MaterialsClient
from services.client.models import (
    Answer,
    Course,
    Courses,
    Event,
    Handed,
    NewKey,
    Session,
    TaAnswer,
    TaAnswers,
    Turn,
)
from services.client.questions import QuestionsClient

TIMEOUT_S = 60.0


class Client:
    """A server, for the bearer of a key or for nobody in particular.

    `with Client("https://vta.example", key="vta_...") as client: client.course("ds").ask("What is a stack?")`
    """

    def __init__(
        self,
        address: str,
        *,
        key: str | None = None,
        retries: int = 2,
        timeout_s: float = TIMEOUT_S,
        http: httpx2.Client | None = None,
    ) -> None:
        """`key` is a course's, the admin's, or a visitor's token; `http` may bring settings of its own."""
        self._http = http or httpx2.Client(timeout=timeout_s)
        self._http.base_url = httpx2.URL(address)
        self._connection = Connection(self._http, key=key, retries=retries)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def course(self, course_id: str) -> CourseClient:
        """What can be done in a course; nothing is asked yet."""
        return CourseClient(self._connection, course_id)

    def courses(self) -> tuple[Course, ...]:
        """All courses (admin key)."""
        return self._connection.get(Courses, "/v1/courses").courses

    def add_course(self, course_id: str, *, name: str, domains: Sequence[str], language: str) -> Course:
        """Make a course (admin key)."""
        body = {"id": course_id, "name": name, "domains": list(domains), "language": language}
        return self._connection.post(Course, "/v1/courses", body)

    def edit_course(self, course_id: str, **changes: Any) -> Course:
        """Change `name`, `domains` or `archived` (admin key)."""
        return self._connection.change(Course, "PATCH", f"/v1/courses/{quote(course_id, safe='')}", changes)

    def remove_course(self, course_id: str) -> None:
        """Remove a course with all it holds (admin key)."""
        self._connection.do("DELETE", f"/v1/courses/{quote(course_id, safe='')}")

    def make_key(self, course_id: str, role: Literal["instructor", "platform"]) -> NewKey:
        """Make a key of a course (admin key)."""
        path = f"/v1/courses/{quote(course_id, safe='')}/keys"
        return self._connection.post(NewKey, path, {"role": role})


class CourseClient:
    """A course: what students do here, what instructors do in `questions`, `faq` and `materials`."""

    def __init__(self, connection: Connection, course_id: str) -> None:
        self.id = course_id
        self._connection = connection
        self._path = f"/v1/courses/{quote(course_id, safe='')}"
        self.questions = QuestionsClient(connection, f"{self._path}/questions")
        self.faq = FaqClient(connection, f"{self._path}/faq")
        self.materials = MaterialsClient(connection, f"{self._path}/materials")

    def ask(
        self,
        question: str,
        *,
        session_id: str | None = None,
        learner_id: str | None = None,
        position: Mapping[str, Any] | None = None,
    ) -> Answer:
        """The answer; with the `session_id` of an earlier one the conversation goes on.

        `position` says where the student is: `unit`, `video`, `second`, `page`, `heading`.
        """
        body = _asked(question, session_id, learner_id, position)
        return self._connection.post(Answer, f"{self._path}/dialogue", body)

    @contextmanager
    def stream(
        self,
        question: str,
        *,
        session_id: str | None = None,
        learner_id: str | None = None,
        position: Mapping[str, Any] | None = None,
    ) -> Iterator[Iterator[Event]]:
        """The events of the answer as they come, to `done` with the whole. `ApiError` for `error`.

        `with course.stream("What is a stack?") as events: ...` closes the stream where the reader leaves.
        """
        body = _asked(question, session_id, learner_id, position) | {"stream": True}
        with self._connection.events(f"{self._path}/dialogue", body) as events:
            yield map(_event, events)

    def session(self, session_id: str) -> tuple[Turn, ...]:
        """The turns of a session in order."""
        return self._connection.get(Session, f"{self._path}/sessions/{quote(session_id, safe='')}").turns

    def delete_session(self, session_id: str) -> None:
        """Forget a session."""
        self._connection.do("DELETE", f"{self._path}/sessions/{quote(session_id, safe='')}")

    def rate(self, turn_id: str, rating: Literal["up", "down"], *, comment: str | None = None) -> None:
        """Thumbs for an answer; the last ones count."""
        path = f"{self._path}/turns/{quote(turn_id, safe='')}/feedback"
        self._connection.do("POST", path, {"rating": rating, "comment": comment})

    def ask_ta(self, turn_id: str) -> Handed:
        """Hand the question to a real TA; asking twice gives the same."""
        return self._connection.post(Handed, f"{self._path}/turns/{quote(turn_id, safe='')}/ask-ta")

    def reply_to_ta(self, turn_id: str, text: str) -> Handed:
        """Reply to a real TA who asked back."""
        path = f"{self._path}/turns/{quote(turn_id, safe='')}/ta-reply"
        return self._connection.post(Handed, path, {"text": text})

    def ta_answers(self, session_id: str) -> tuple[TaAnswer, ...]:
        """What real TAs said to questions of a session, oldest first."""
        path = f"{self._path}/sessions/{quote(session_id, safe='')}/ta-answers"
        return self._connection.get(TaAnswers, path).answers


def _asked(
    question: str, session_id: str | None, learner_id: str | None, position: Mapping[str, Any] | None
) -> dict[str, Any]:
    given = {"session_id": session_id, "learner_id": learner_id, "position": position}
    return {"question": question, **{name: value for name, value in given.items() if value is not None}}


def _event(sent: httpx2.ServerSentEvent) -> Event:
    data: Any = sent.json()
    if sent.event == "error":
        raise ApiError(int(data.get("status", 500)), data)
    answer = Answer.model_validate(data) if sent.event == "done" else None
    return Event(name=sent.event, data=data, answer=answer)
