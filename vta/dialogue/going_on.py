"""Going on with a subject: whether a question does, what was told already, and what else there is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vta.kinds import Kind
from vta.ports import Ranker
from vta.text import normalise
from vta.types import Candidate, Citation, Course, Mention, PastTurn, Route, Source, Wish
from vta.units import UnitKind, holds, holds_example

LEAST_COVERED = 0.3
"""The share of a question's own words that the subject's passages must hold where it is about that."""
_NO_ANSWERS = (Route.CHIT_CHAT, Route.REFUSED, Route.UNANSWERED)
_LOOKED_AT = 3
_MARK = re.compile(r"\s*\[\d{1,3}\](?!\()")
_UNITS = {Kind.CODE: UnitKind.CODE, Kind.FORMULA: UnitKind.FORMULA}


def last_answered(history: Sequence[PastTurn]) -> PastTurn | None:
    """The last turn in which the course answered, or None."""
    return next((turn for turn in reversed(history) if turn.route not in _NO_ANSWERS), None)


def told_before(history: Sequence[PastTurn]) -> tuple[str, ...]:
    """What the course was quoted to say in this dialogue, oldest first."""
    return tuple(turn.answer for turn in history if turn.route not in _NO_ANSWERS)


def goes_on(
    question: str,
    carried: str,
    *,
    course: Course,
    mentions: Sequence[Mention],
    chit_chat: float,
    ranker: Ranker,
) -> bool:
    """Whether a question that names no concept is about the subject that `carried` puts before it.

    It is where the passages found with the subject hold no less of the question's own words than those found
    without, and `LEAST_COVERED` of them. `mentions` are those of `carried`.
    """

    def held(text: str, named: Sequence[Mention]) -> float:
        found = ranker.rank(text, course=course, mentions=named, chit_chat=chit_chat, top=_LOOKED_AT)
        return ranker.coverage(question, mentions=(), candidates=found.candidates)

    with_subject = held(carried, mentions)
    return with_subject >= LEAST_COVERED and with_subject >= held(question, ())


def offer_anew(
    candidates: Sequence[Candidate], around: Sequence[Candidate], *, wish: Wish, cited: Sequence[Citation]
) -> tuple[Candidate, ...]:
    """What an operation on the last answer is made from: what was ranked, then what stands around the cited.

    A shorter answer, and a reason, come from the same passages. Else what was told whole is left out;
    those of the `cited` documents that hold the kind of thing asked for come first, then others that do, and
    what was cited comes after what was not.
    """
    if wish.shorter:
        return tuple(candidates)
    seen = {citation.pair_id for citation in cited}
    documents = {citation.document for citation in cited if citation.source is Source.MATERIAL}
    once = {candidate.pair.id: candidate for candidate in (*around, *candidates)}
    left = [once[id] for id in dict.fromkeys(c.pair.id for c in (*candidates, *around))]
    if Kind.REASON in wish.kinds:
        return tuple(left)
    left = [candidate for candidate in left if not is_told(candidate.pair.answer, wish.told)]

    def order(candidate: Candidate) -> tuple[bool, bool, bool]:
        has_kind = holds_kind(candidate, wish.kinds)
        return (
            not has_kind,
            has_kind and candidate.pair.document not in documents,
            candidate.pair.id in seen,
        )

    return tuple(sorted(left, key=order))  # stable: the better one of two equals


def is_told(text: str, told: Sequence[str]) -> bool:
    """Whether a text stands in one of the answers that were given; citation marks do not count."""
    bare = _bare(text)
    return any(bare in _bare(answer) for answer in told)


def _bare(text: str) -> str:
    return normalise(_MARK.sub("", text))


def holds_kind(candidate: Candidate, kinds: frozenset[Kind]) -> bool:
    """Whether a candidate holds a unit of a kind asked for, as far as that can be seen."""
    text = candidate.pair.answer
    units = [_UNITS[kind] for kind in kinds if kind in _UNITS]
    heading = " ".join((candidate.pair.question, text))
    return any(holds(unit, text) for unit in units) or (Kind.EXAMPLE in kinds and holds_example(heading))
