"""A course, what names it and its parts, who may do what in it, and its thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType

from vta.languages import Language

CourseId = NewType("CourseId", str)
SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)
PairId = NewType("PairId", str)
ConceptId = NewType("ConceptId", str)
FaqId = NewType("FaqId", str)
KeyId = NewType("KeyId", str)
PlatformId = NewType("PlatformId", str)
"""Of an LTI platform."""

LONGEST_COURSE_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A course of the platform; `domains` is D(c) of the ranking.

    `relevance`, `alpha` and `beta` are its own thresholds; None means those of the settings. `refusal` is the
    sentence, as plain text, that a student reads where the course holds no answer; None means the usual one.
    `tone` is the instructors' wish, in one line, of how a language model should sound.
    `shares_concepts` and `takes_concepts` are the instructors' consent to share concepts and use shared ones;
    the admin names a course whose graph is the platform's own, for all courses, by `is_platform_graph`.
    An `archived` course is there to be read: students ask it nothing, and instructors change nothing.
    """

    id: CourseId
    name: str
    domains: tuple[str, ...]
    language: Language
    relevance: float | None = None
    alpha: float | None = None
    beta: float | None = None
    refusal: str | None = None
    tone: str | None = None
    shares_concepts: bool = False
    takes_concepts: bool = False
    is_platform_graph: bool = False
    archived: bool = False

    def shares_with(self, other: Course) -> bool:
        """Whether another course may use the concepts of this one, as far as g lets it."""
        return self.is_platform_graph or (self.shares_concepts and other.takes_concepts)


class Role(StrEnum):
    """The rights of a course's key."""

    PLATFORM = "platform"
    INSTRUCTOR = "instructor"


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseKey:
    """A key of a course without its secret, which is shown once and not stored."""

    id: KeyId
    course_id: CourseId
    role: Role
    created_at: datetime
    revoked: bool = False
    ends_at: datetime | None = None
    """When a key that was replaced will be refused."""
    maker: str | None = None
    """The name of the person who made it; None for an admin, and where it was not recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Where the roads part: small talk likelier than alpha is chit-chat, S > beta is answered directly.

    A complex question is answered directly only above beta * `complex_margin`. An FAQ pair answers directly
    by its relevance too, where that is above beta. From `relevance` on a place is shown, a little below it as
    one that may help. `top_k` pairs are ranked. A search engine is asked where its pairs could reach
    S = `floor`.
    """

    alpha: float = 0.5
    beta: float = 0.94
    complex_margin: float = 1.2
    floor: float = 0.09
    top_k: int = 8
    relevance: float = 0.55
