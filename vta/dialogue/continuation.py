"""Going on with a subject: what was told already, and what else there is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vta.kinds import Kind, kinds_of
from vta.text import normalise
from vta.types.answers import Citation, PastTurn, Route
from vta.types.pairs import Candidate, QAPair, Source
from vta.types.questions import Wish
from vta.units import gives, has_own_unit

_NO_ANSWERS = (Route.CHIT_CHAT, Route.REFUSED, Route.UNANSWERED)
_MARK = re.compile(r"\s*\[\d{1,3}\](?!\()")


def last_answered(history: Sequence[PastTurn]) -> PastTurn | None:
    """The last turn in which the course answered, or None."""
    return next((turn for turn in reversed(history) if turn.route not in _NO_ANSWERS), None)


def already_said(history: Sequence[PastTurn]) -> tuple[str, ...]:
    """What the course was quoted to say in this dialogue, oldest first."""
    return tuple(turn.answer for turn in history if turn.route not in _NO_ANSWERS)


def head_of(turn: PastTurn) -> str:
    """The question that opened the subject of a turn: what its stand-alone form has before its own words."""
    return turn.standalone_question.removesuffix(turn.question.strip()).strip() or turn.question


def offer_anew(
    candidates: Sequence[Candidate],
    *,
    wish: Wish,
    concepts: Sequence[str],
    cited: Sequence[Citation],
) -> tuple[Candidate, ...]:
    """What an operation on the last answer is made from, of what was ranked.

    A shorter answer comes from the same passages. Else what was told whole is left out, and FAQ entries that
    ask for something else. Where candidates that name one of the `concepts`, or stand in the `cited`
    documents, hold what is asked for (code, a formula, an example; for a simpler answer a transcript or an
    example), there are only these; those not cited yet come first. A reason is looked for where most of the
    concepts are named.
    """
    if wish.shorter:
        return tuple(candidates)
    seen = {citation.pair_id for citation in cited}
    documents = {citation.document for citation in cited if citation.source is Source.MATERIAL}
    left = [
        c for c in candidates if c.pair.source is not Source.FAQ or wish.kinds & kinds_of(c.pair.question)
    ]
    if Kind.REASON in wish.kinds:
        most = max((_names(c.pair, concepts) for c in left), default=0)
        return tuple(c for c in left if c.pair.document in documents or _names(c.pair, concepts) == most)
    left = [c for c in left if not is_repeated(c.pair.answer, wish.told)]
    on_it = [c for c in left if c.pair.document in documents or _names(c.pair, concepts)]
    holders = [c for c in on_it or left if _holds_wanted(c.pair, wish)]
    if Kind.EXAMPLE in wish.kinds:
        left = [c for c in left if c.pair.source is not Source.CONCEPT] or left
    return tuple(sorted(holders or left, key=lambda candidate: candidate.pair.id in seen))  # stable


def is_repeated(text: str, told: Sequence[str]) -> bool:
    """Whether a text stands in one of the answers that were given; citation marks do not count."""
    bare = _bare(text)
    return any(bare in _bare(answer) for answer in told)


def _bare(text: str) -> str:
    return normalise(_MARK.sub("", text))


def _names(pair: QAPair, concepts: Sequence[str]) -> int:
    """How many of the concepts a pair names."""
    text = normalise(f"{pair.question}\n{pair.answer}")
    return sum(normalise(name) in text for name in concepts)


def _holds_wanted(pair: QAPair, wish: Wish) -> bool:
    """Whether a pair holds a unit of a kind asked for, as far as that can be seen."""
    wants_example = wish.simpler or Kind.EXAMPLE in wish.kinds
    return (
        any(has_own_unit(kind, pair.answer) for kind in wish.kinds)
        or (
            wants_example
            and pair.source is not Source.CONCEPT
            and gives(Kind.EXAMPLE, f"{pair.question}\n{pair.answer}")
        )
        or (wish.simpler and pair.locator.start_s is not None)
    )
