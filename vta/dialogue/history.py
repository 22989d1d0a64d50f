"""The turns before a question: their answers and subject, and the candidates for an operation on the last."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vta.kinds import Kind, kinds_of
from vta.ports import Guard
from vta.text import normalise
from vta.types.answers import PastTurn, Route, Turn
from vta.types.language_model import ChatMessage
from vta.types.pairs import Candidate, QAPair, Source
from vta.types.questions import AnswerStyle
from vta.units import gives, has_own_unit

_NO_ANSWERS = (Route.CHIT_CHAT, Route.REFUSED, Route.UNANSWERED)
MARK = re.compile(r"\s*\[\d{1,3}\](?!\()")


def past_turn(turn: Turn) -> PastTurn:
    """A stored turn as context."""
    answer = turn.answer
    return PastTurn(
        question=turn.question,
        standalone_question=answer.standalone_question,
        answer=answer.text,
        route=answer.route,
        concepts=tuple(card.name for card in answer.concepts),
        flagged=turn.flagged,
        citations=answer.citations,
        exercise=answer.exercise,
    )


def is_flagged(guard: Guard | None, *said: str) -> bool:
    """Whether the guard flags one of these texts."""
    return guard is not None and any(text and guard.inspect(text).flag for text in said)


def as_messages(history: Sequence[PastTurn], guard: Guard | None, most: int) -> tuple[ChatMessage, ...]:
    """The last turns that a language model may be shown, at most so many, as the messages of a chat.

    A turn may be older than the guard, so it is inspected once more.
    """
    shown = [turn for turn in history if not (turn.flagged or is_flagged(guard, turn.question))]
    return tuple(
        message
        for turn in shown[-most:]
        for message in (
            ChatMessage(role="user", content=turn.question),
            ChatMessage(role="assistant", content=turn.answer),
        )
    )


def last_answered(history: Sequence[PastTurn]) -> PastTurn | None:
    """The last turn in which the course answered, or None."""
    return next((turn for turn in reversed(history) if turn.route not in _NO_ANSWERS), None)


def already_said(history: Sequence[PastTurn]) -> tuple[str, ...]:
    """The answers of the course in this dialogue, oldest first."""
    return tuple(turn.answer for turn in history if turn.route not in _NO_ANSWERS)


def head_of(turn: PastTurn) -> str:
    """The question that opened the subject of a turn: the start of its stand-alone form."""
    return turn.standalone_question.removesuffix(turn.question.strip()).strip() or turn.question


def choose_for_operation(
    candidates: Sequence[Candidate], *, style: AnswerStyle, last: PastTurn
) -> tuple[Candidate, ...]:
    """The ranked candidates that an operation on the `last` answer is made from.

    A shorter answer comes from the same passages. Other answers leave out passages that were quoted whole,
    and FAQ entries that ask for something else. Where candidates about a concept of the last answer, or from
    a document that it cites, hold the kind asked for (code, a formula, an example; for a simpler answer a
    transcript or an example), they alone stay; those not cited yet come first. A reason is looked for where
    most of the concepts are named.
    """
    if style.shorter:
        return tuple(candidates)
    concepts = last.concepts
    seen = {citation.pair_id for citation in last.citations}
    documents = {citation.document for citation in last.citations if citation.source is Source.MATERIAL}
    left = [
        c for c in candidates if c.pair.source is not Source.FAQ or style.kinds & kinds_of(c.pair.question)
    ]
    if Kind.REASON in style.kinds:
        most = max((_names(c.pair, concepts) for c in left), default=0)
        return tuple(c for c in left if c.pair.document in documents or _names(c.pair, concepts) == most)
    left = [c for c in left if not is_repeated(c.pair.answer, style.already_said)]
    on_it = [c for c in left if c.pair.document in documents or _names(c.pair, concepts)]
    holders = [c for c in on_it or left if _holds_kind(c.pair, style)]
    if Kind.EXAMPLE in style.kinds:
        left = [c for c in left if c.pair.source is not Source.CONCEPT] or left
    return tuple(sorted(holders or left, key=lambda candidate: candidate.pair.id in seen))  # stable


def is_repeated(text: str, already_said: Sequence[str]) -> bool:
    """Whether one of the earlier answers contains a text; citation marks do not count."""
    plain = _without_marks(text)
    return any(plain in _without_marks(answer) for answer in already_said)


def _without_marks(text: str) -> str:
    return normalise(MARK.sub("", text))


def _names(pair: QAPair, concepts: Sequence[str]) -> int:
    """How many of the concepts a pair names."""
    text = normalise(f"{pair.question}\n{pair.answer}")
    return sum(normalise(name) in text for name in concepts)


def _holds_kind(pair: QAPair, style: AnswerStyle) -> bool:
    """Whether a pair visibly holds a unit of a kind asked for."""
    if any(has_own_unit(kind, pair.answer) for kind in style.kinds):
        return True
    if style.simpler and pair.locator.start_s is not None:
        return True
    asks_example = style.simpler or Kind.EXAMPLE in style.kinds
    is_concept = pair.source is Source.CONCEPT
    return asks_example and not is_concept and gives(Kind.EXAMPLE, f"{pair.question}\n{pair.answer}")
