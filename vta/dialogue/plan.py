"""What an answer is made from: one class for each way in which a question can be answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from vta.dialogue.conflict import FaqConflict
from vta.types.answers import Route
from vta.types.language_model import TeachStep
from vta.types.pairs import Candidate, Degradation, RankingSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The knowledge that an answer is made from.

    `candidates` come best first. `steps` are what Chain of Teach reasons over. `degraded` says what was
    missing while they were looked up.
    """

    candidates: tuple[Candidate, ...] = ()
    steps: tuple[TeachStep, ...] = ()
    ranking: RankingSummary | None = None
    degraded: Degradation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallTalk(Found):
    """A reply that is no answer, grounded in what the course says nearest to it."""

    route: ClassVar[Route] = Route.CHIT_CHAT


@dataclass(frozen=True, slots=True, kw_only=True)
class Given(Found):
    """The look-up itself gives the `text`: a place, that all is said."""

    route: ClassVar[Route] = Route.DIRECT
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Here(Found):
    """What is taught where the student is. A language model explains it; without one `text` shows it."""

    route: ClassVar[Route] = Route.CHAIN_OF_TEACH
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Direct(Found):
    """The first candidate answers."""

    route: ClassVar[Route] = Route.DIRECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement(Found):
    """FAQ and course material disagree: both sides are shown, and no language model is asked."""

    route: ClassVar[Route] = Route.DIRECT
    conflict: FaqConflict


@dataclass(frozen=True, slots=True, kw_only=True)
class Teach(Found):
    """Chain of Teach. `near`: nothing surely answers; the first candidate only comes close."""

    route: ClassVar[Route] = Route.CHAIN_OF_TEACH
    near: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Again(Teach):
    """Chain of Teach on the last answer ("why?", "shorter").

    Without a language model `shorter` is that answer in fewer words, where these are wished for, and
    `all_said` is what to say instead of an answer that was given before.
    """

    all_said: str = ""
    shorter: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered(Found):
    """The course holds no answer."""

    route: ClassVar[Route] = Route.UNANSWERED


Plan = SmallTalk | Given | Here | Direct | Disagreement | Teach | Again | Unanswered
