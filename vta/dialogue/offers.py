"""What a student can go on with under an answer, where the course has something for it."""

from __future__ import annotations

from collections.abc import Sequence

from prompts.phrases import ask_again, offer
from vta.dialogue.concepts import is_named
from vta.dialogue.continuation import is_repeated
from vta.dialogue.plan import Given, Here, Plan
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.shortening import shortened
from vta.kinds import Kind
from vta.languages import Language
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
    context: UnderstoodQuestion,
    plan: Plan,
    *,
    route: Route,
    text: str,
    citations: Sequence[Citation],
    by_model: bool,
) -> tuple[Offer, ...]:
    """At most `MOST_OFFERS`: what else is known of the concepts of the question.

    Under the words of a language model, which can write others, first what these lack, and last the
    question once more. None under small talk, under what was not answered, and in hint mode.
    """
    if route not in _ANSWERED or context.mode is Mode.HINT:
        return ()
    names = _names(context, plan, text) if citations and context.mentions else []
    if not by_model:
        marked = [each.marked for each in citations]
        if citations and estimate_tokens(text) > LONG and shortened(text, marked) is not None:
            names = [*names[: MOST_OFFERS - 1], "shorter"]
        return _named(names[:MOST_OFFERS], context.language)
    names = list(dict.fromkeys([*_names_for_a_model(text), *names]))[: MOST_OFFERS - 1]
    again = ask_again(context.standalone, context.language)
    return (*_named(names, context.language), again)


def _named(names: Sequence[str], language: Language) -> tuple[Offer, ...]:
    return tuple(offer(name, language) for name in names)


def _names_for_a_model(text: str) -> list[str]:
    """The operations that a language model can do on any answer, where its text calls for them."""
    names = ["in_steps", "shorter"] if estimate_tokens(text) > LONG else ["in_steps"]
    return names if gives(Kind.EXAMPLE, text) else [*names, "example"]


def _names(context: UnderstoodQuestion, plan: Plan, text: str) -> list[str]:
    """The operations that would find something which the answer does not hold yet."""
    left = [
        c for c in plan.candidates if _is_on_subject(c, context) and not is_repeated(c.pair.answer, (text,))
    ]
    passages = [c.pair.answer for c in left if c.pair.source is Source.MATERIAL]
    names = [
        name
        for name, kind in _KINDS.items()
        if not gives(kind, text) and any(gives(kind, passage) for passage in passages)
    ]
    if passages and not context.wish.simpler:
        names.append("simpler")
    if any(c.pair.locator.start_s is not None for c in left) and not isinstance(plan, Given | Here):
        names.append("where")
    return names


def _is_on_subject(candidate: Candidate, context: UnderstoodQuestion) -> bool:
    text = normalise(f"{candidate.pair.question}\n{candidate.pair.answer}")
    return any(is_named(mention, text) for mention in context.mentions)
