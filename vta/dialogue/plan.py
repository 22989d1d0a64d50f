"""How a question will be answered, and from what."""

from __future__ import annotations

from dataclasses import dataclass

from vta.dialogue.conflict import Conflict
from vta.types import Candidate, Degradation, Offer, RankingSummary, Route, TeachStep


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The route of a question, and the knowledge that its answer is made from, best first.

    `steps` are what Chain of Teach reasons over. `degraded` says what was missing while it was looked up.
    `near` says that nothing surely answers: the first candidate only comes close, and is offered as such.
    `text` is the answer where the lookup gives it already, and no language model reasons on;
    `all_said` is what to say in place of an answer that was given before; `retold` is that answer in fewer
    words, for want of a language model. `offers` go before those that are made for the answer.
    """

    route: Route
    candidates: tuple[Candidate, ...]
    steps: tuple[TeachStep, ...] = ()
    ranking: RankingSummary | None = None
    degraded: Degradation | None = None
    conflict: Conflict | None = None
    near: bool = False
    text: str | None = None
    all_said: str | None = None
    retold: str | None = None
    offers: tuple[Offer, ...] = ()
