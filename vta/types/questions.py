"""A question and what is understood of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from vta.kinds import Kind
from vta.types.courses import CourseId, SessionId


class IntentLabel(StrEnum):
    """The six classes of Table 1 of the LittleMu paper."""

    SIMPLE = "simple"
    COMPLEX = "complex"
    PLATFORM = "platform"
    GENERAL_CHAT = "general_chat"
    EMOTIONAL_CHAT = "emotional_chat"
    OTHER = "other"


CHIT_CHAT_LABELS = frozenset({IntentLabel.GENERAL_CHAT, IntentLabel.EMOTIONAL_CHAT})
OTHER_TASK = 0.4
"""Chosen on rows held out (docs/measured.md, "Intent"): as many course questions are lost as at 0.5."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentPrediction:
    """The intent of a question; `chit_chat` is h, the probability of general or emotional chit-chat.

    `other_task` is the probability that it asks for a task which is not the course's: the weather, a
    translation, homework to be done, somebody else's data. It is none of the six labels.
    """

    label: IntentLabel
    chit_chat: float
    probabilities: Mapping[IntentLabel, float]
    other_task: float = 0.0

    @property
    def is_other_task(self) -> bool:
        """Whether `other_task` is above `OTHER_TASK`."""
        return self.other_task > OTHER_TASK


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """Whether a text looks like orders to the assistant: 0..1, and the kind of attack where it is flagged."""

    malicious: float
    flag: bool
    kind: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where in the course the student is: a unit (its name or file), a second of a video, a page, a heading.

    Pages count from 1.
    """

    unit: str | None = None
    video: str | None = None
    second: float | None = None
    page: int | None = None
    heading: str | None = None


class Mode(StrEnum):
    """`ANSWER` explains; `HINT` leads step by step; `PRACTICE` gives an exercise, then checks attempts."""

    ANSWER = "answer"
    HINT = "hint"
    PRACTICE = "practice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A question and its answer as a caller sends them; nothing vouches that they were given here."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """The versions by which a question is answered, stored with its turn; None where they are not known.

    `program` is the version of the program, `prompts` the hash of all prompt files, `model` the name of the
    course's language model, `revision` that of the course's material and FAQ when the answer was stored.
    `arm` is a or b where the learner takes part in an experiment of the course, by its name.
    """

    program: str | None = None
    prompts: str | None = None
    model: str | None = None
    revision: int | None = None
    experiment: str | None = None
    arm: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of a student. A `session_id` that is None opens a new session.

    `earlier` is the dialogue as a caller that keeps it itself sends it, oldest first. It gives a new
    session its context and is not stored; a named session uses its own turns instead. `conditions` are
    without a revision, which the store adds.
    """

    course_id: CourseId
    text: str
    session_id: SessionId | None = None
    learner_id: str | None = None
    position: Position | None = None
    mode: Mode = Mode.ANSWER
    earlier: tuple[Exchange, ...] = ()
    conditions: Conditions = Conditions()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerStyle:
    """The form of an answer, as an operation on the last one asks for it.

    `kinds` are what the question asks for; `in_steps` asks for the prerequisites too. `already_said` are the
    texts of earlier answers, which are not repeated.
    """

    kinds: frozenset[Kind] = frozenset()
    shorter: bool = False
    simpler: bool = False
    in_steps: bool = False
    already_said: tuple[str, ...] = ()


PLAIN = AnswerStyle()
"""The style of a question that is no operation."""


class Scope(StrEnum):
    """How much of the place where the student is a question asks about."""

    MOMENT = "moment"
    PAGE = "page"
    LECTURE = "lecture"
