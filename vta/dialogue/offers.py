"""The questions that are offered below an answer, where the course can answer them."""

from __future__ import annotations

from collections.abc import Sequence

from prompts.phrases import TEXTS, offer
from vta.dialogue.concepts import is_named
from vta.dialogue.history import is_repeated
from vta.dialogue.plan import FixedAnswer, PlaceExplained, Plan
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.shortening import shortened
from vta.dialogue.writing import Written
from vta.kinds import Kind
from vta.text import normalise
from vta.tokens import estimate_tokens
from vta.types.answers import Citation, Offer, Route
from vta.types.pairs import Candidate, Source
from vta.types.questions import Mode
from vta.units import gives

MOST_OFFERS = 4
LONG = 120
"""Tokens of a text that may be asked for shorter."""
_KINDS = {
    "example": Kind.EXAMPLE,
    "code": Kind.CODE,
    "formula": Kind.FORMULA,
    "why": Kind.REASON,
}
_ANSWERED = (Route.DIRECT, Route.CHAIN_OF_TEACH)


def offers_under(
    context: UnderstoodQuestion, plan: Plan, written: Written, text: str, citations: Sequence[Citation]
) -> tuple[Offer, ...]:
    """At most `MOST_OFFERS` questions that the course can answer about the concepts of the question.

    Below the `text` of a language model, which can write more, the operations that the text lacks come first,
    and the question once more comes last. None below small talk, a refusal, or a hint.
    """
    if written.route not in _ANSWERED or context.mode is Mode.HINT:
        return ()
    if context.mode is Mode.PRACTICE:
        is_open = plan.exercise or written.by_model
        solved = ["practice_solution"] if plan.exercise and written.by_model else []
        names = ["practice_hint", *solved, "practice_exercise"] if is_open else ["practice_exercise"]
        return tuple(offer(name, context.language) for name in names)
    names = _names(context, plan, text) if citations and context.mentions else []
    if not written.by_model:
        marked = [each.marked for each in citations]
        if citations and estimate_tokens(text) > LONG and shortened(text, marked) is not None:
            names = [*names[: MOST_OFFERS - 1], "shorter"]
        return tuple(offer(name, context.language) for name in names[:MOST_OFFERS])
    names = list(dict.fromkeys([*_names_for_a_model(text), *names]))[: MOST_OFFERS - 1]
    again = Offer(label=TEXTS[context.language]["ask_again"], question=context.standalone)
    return (*(offer(name, context.language) for name in names), again)


def _names_for_a_model(text: str) -> list[str]:
    """The operations that a language model can do on this text."""
    names = ["in_steps", "shorter"] if estimate_tokens(text) > LONG else ["in_steps"]
    return names if gives(Kind.EXAMPLE, text) else [*names, "example"]


def _names(context: UnderstoodQuestion, plan: Plan, text: str) -> list[str]:
    """The operations for which the candidates hold something that the answer lacks."""
    left = [
        c for c in plan.candidates if _is_on_subject(c, context) and not is_repeated(c.pair.answer, (text,))
    ]
    passages = [c.pair.answer for c in left if c.pair.source is Source.MATERIAL]
    names = [
        name
        for name, kind in _KINDS.items()
        if not gives(kind, text) and any(gives(kind, passage) for passage in passages)
    ]
    if passages and not context.style.simpler:
        names.append("simpler")
    is_place = isinstance(plan, FixedAnswer | PlaceExplained)
    if any(c.pair.locator.start_s is not None for c in left) and not is_place:
        names.append("where")
    return names


def _is_on_subject(candidate: Candidate, context: UnderstoodQuestion) -> bool:
    text = normalise(f"{candidate.pair.question}\n{candidate.pair.answer}")
    return any(is_named(mention, text) for mention in context.mentions)
