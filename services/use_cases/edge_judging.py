"""A language model's judgement of edges that were found: asked in batches, kept, and shown beside them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, make_dataclass, replace
from functools import cache
from typing import Annotated, Literal

from pydantic import Field

from prompts.prerequisites import AskedPair, PrerequisiteTemplates
from services.use_cases.judgement_file import JudgementFile, KeptJudgement
from vta.errors import UpstreamFailed
from vta.ports import StructuredModel
from vta.tokens import message_tokens
from vta.types import (
    SURE,
    ChatMessage,
    Concept,
    ConceptEdge,
    EdgeJudgement,
    EdgeVerdict,
    Language,
)

PAIRS_A_CALL = 5
SENTENCES = 2
"""Lines of evidence of a pair that are shown."""
LONGEST_REASON = 300
"""Characters that are kept of a reason."""
ANSWER_TOKENS = 40
"""What a reason and a verdict take, about."""
LOG_ODDS: dict[EdgeVerdict, float] = dict.fromkeys(EdgeVerdict, 0.0)
"""What a verdict adds to the log odds of an edge. Nothing: a small model's was worth nothing on twice 40
unsure pairs (`benchmarks/edge_judging.py`), so it stands beside the score. A better one may be given more."""


First = Literal["A", "B", "neither"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The form that a model fills in: for each pair a reason, then which of the two comes first."""

    reasons: tuple[str, ...]
    first: tuple[First, ...]


@cache
def comparison_of(pairs: int) -> type[Comparison]:
    """The form for so many pairs: a small model that is not told the number loses count."""
    size = Field(min_length=pairs, max_length=pairs)
    fields = [("reasons", Annotated[tuple[str, ...], size]), ("first", Annotated[tuple[First, ...], size])]
    return make_dataclass("Comparison", fields, bases=(Comparison,), frozen=True, kw_only=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingCost:
    """What judging pairs takes, in calls and tokens; `known` are those judged before."""

    pairs: int
    known: int
    calls: int
    prompt_tokens: int
    completion_tokens: int


class EdgeJudge:
    """The edges of one course before one model.

    Which of the two concepts is shown first depends on the pair alone, so that a model that likes the first
    one favours neither order.
    """

    def __init__(
        self, concepts: Iterable[Concept], file: JudgementFile, *, model: str, language: Language
    ) -> None:
        """`model` is its name: what another one said is asked anew."""
        self._names = {concept.id: concept.name for concept in concepts}
        self._file, self._model, self._language = file, model, language
        self._prompts = PrerequisiteTemplates()

    def unjudged(self, edges: Iterable[ConceptEdge]) -> list[ConceptEdge]:
        """Those that this model has not judged yet, in their order."""
        known = {pair for pair, kept in self._file.read().items() if kept.model == self._model}
        return [edge for edge in edges if self._digest(edge) not in known]

    def cost(self, edges: Sequence[ConceptEdge], *, known: int) -> JudgingCost:
        """What it will take to judge these, about."""
        prompts = [self._prompt(batch) for batch in _batches(edges)]
        return JudgingCost(
            pairs=len(edges),
            known=known,
            calls=len(prompts),
            prompt_tokens=sum(map(message_tokens, prompts)),
            completion_tokens=ANSWER_TOKENS * len(edges),
        )

    async def judge(
        self, edges: Sequence[ConceptEdge], model: StructuredModel, *, told: Callable[[int], None]
    ) -> None:
        """Ask about all of them; a batch is kept as soon as it is answered, and `told` how many were asked.

        A batch whose reply lacks the form is left unjudged. `UpstreamFailed` where no reply comes.
        """
        asked = 0
        for batch in _batches(edges):
            form = comparison_of(len(batch))
            try:
                answer = await model.fill(self._prompt(batch), form, language=self._language)
            except UpstreamFailed as failure:
                if failure.fault.code != "model.wrong_form":
                    raise
            else:
                rows = zip(batch, answer.first, answer.reasons, strict=True)
                self._file.add(self._kept(edge, first, reason) for edge, first, reason in rows)
            asked += len(batch)
            told(asked)

    def judged(self, edges: Iterable[ConceptEdge]) -> tuple[ConceptEdge, ...]:
        """The edges with what was said last of each, by any model."""
        known = self._file.read()
        return tuple(with_judgement(edge, known.get(self._digest(edge))) for edge in edges)

    def _prompt(self, edges: Sequence[ConceptEdge]) -> tuple[ChatMessage, ...]:
        return self._prompts.compare([self._asked(edge) for edge in edges], self._language)

    def _asked(self, edge: ConceptEdge) -> AskedPair:
        ends = [self._names[edge.prerequisite], self._names[edge.concept]]
        a, b = reversed(ends) if self._is_swapped(edge) else ends
        return AskedPair(a=a, b=b, sentences=edge.evidence[:SENTENCES])

    def _kept(self, edge: ConceptEdge, first: str, reason: str) -> KeptJudgement:
        if first == "neither":
            verdict = EdgeVerdict.NEITHER
        else:
            verdict = EdgeVerdict.REVERSED if (first == "A") is self._is_swapped(edge) else EdgeVerdict.HOLDS
        return KeptJudgement(
            pair=self._digest(edge),
            verdict=verdict,
            reason=" ".join(reason.split())[:LONGEST_REASON],
            model=self._model,
        )

    def _digest(self, edge: ConceptEdge) -> str:
        ends = self._names[edge.prerequisite], self._names[edge.concept]
        return hashlib.sha256("\n".join((*ends, *edge.evidence[:SENTENCES])).encode()).hexdigest()

    def _is_swapped(self, edge: ConceptEdge) -> bool:
        return int(self._digest(edge), 16) % 2 == 1


def nearest_first(edges: Iterable[ConceptEdge]) -> list[ConceptEdge]:
    """The edges nearest to the threshold `SURE` first, by their scores without any judgement."""
    return sorted(edges, key=lambda edge: (abs(_unjudged(edge) - SURE), edge.concept, edge.prerequisite))


def with_judgement(edge: ConceptEdge, kept: KeptJudgement | None) -> ConceptEdge:
    """The edge with a judgement in place of the one it has; a person's edge stays as it is."""
    if kept is None or edge.curated:
        return edge
    found = _unjudged(edge)
    judgement = EdgeJudgement(verdict=kept.verdict, reason=kept.reason, model=kept.model, unjudged=found)
    return replace(edge, score=_add(found, LOG_ODDS[kept.verdict]), judgement=judgement)


def _unjudged(edge: ConceptEdge) -> float:
    return edge.judgement.unjudged if edge.judgement else edge.score


def _add(score: float, log_odds: float) -> float:
    """A probability after evidence of these log odds; 0 and 1 stay."""
    raised = score * math.exp(log_odds)
    return round(raised / (raised + 1 - score), 4)


def _batches(edges: Sequence[ConceptEdge]) -> list[Sequence[ConceptEdge]]:
    return [edges[n : n + PAIRS_A_CALL] for n in range(0, len(edges), PAIRS_A_CALL)]
