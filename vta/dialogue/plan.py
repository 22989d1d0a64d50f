"""The plan of an answer: one class for each way to answer a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from vta.types.answers import Route
from vta.types.language_model import TeachStep
from vta.types.pairs import Candidate, Degradation, RankingSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The knowledge of an answer: `candidates`, best first, and the `steps` that Chain of Teach reasons over.

    `degraded` is a failure of the search for it, `exercise` the one that is open after the answer.
    """

    candidates: tuple[Candidate, ...] = ()
    steps: tuple[TeachStep, ...] = ()
    ranking: RankingSummary | None = None
    degraded: Degradation | None = None
    exercise: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallTalk(Found):
    """A reply that is no answer, with the nearest passages of the course as its context."""

    route: ClassVar[Route] = Route.CHIT_CHAT


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedAnswer(Found):
    """A finished `text`: the places that a question asks for, or the sentence that all is said."""

    route: ClassVar[Route] = Route.DIRECT
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceExplained(Found):
    """The passages at the student's position. A language model explains them, or `text` shows them."""

    route: ClassVar[Route] = Route.CHAIN_OF_TEACH
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeHelp(PlaceExplained):
    """The passages near an exercise after so many `hints`. A language model checks attempts, or `text` hints.

    Without an `exercise` a language model writes one from the passages, or `text` says that there is none.
    """

    hints: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct(Found):
    """The first candidate answers."""

    route: ClassVar[Route] = Route.DIRECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Teach(Found):
    """Chain of Teach. `near`: the first candidate is close to an answer, and its relevance is too low."""

    route: ClassVar[Route] = Route.CHAIN_OF_TEACH
    near: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUpPlan(Teach):
    """Chain of Teach for an operation on the last answer ("why?", "shorter").

    `shorter` is the last answer abridged. `all_said` is shown instead of an answer that would repeat one.
    """

    all_said: str = ""
    shorter: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered(Found):
    """The course holds no answer."""

    route: ClassVar[Route] = Route.UNANSWERED


Plan = SmallTalk | FixedAnswer | PlaceExplained | Direct | Teach | FollowUpPlan | Unanswered
