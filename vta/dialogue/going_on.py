"""Going on with a subject: whether a question does, what was told already, and what else there is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from vta.kinds import Kind, kinds_of
from vta.ports import Ranker
from vta.text import normalise
from vta.types import Candidate, Citation, Course, Mention, PastTurn, QAPair, Route, Source, Wish
from vta.units import gives, has_own_unit

LEAST_COVERED = 0.3
"""The share of a question's own words that the subject's passages must hold where it is about that."""
NEARLY = 0.75
_NO_ANSWERS = (Route.CHIT_CHAT, Route.REFUSED, Route.UNANSWERED)
_LOOKED_AT = 3
Held = Callable[[Candidate], float]
"""The share of a question's own words that a candidate holds, in 0..1."""
_MARK = re.compile(r"\s*\[\d{1,3}\](?!\()")


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
    """Whether a question that names no concept needs the subject that `carried` puts before it.

    It does where the passages found with the subject hold no less of the question's own words than those
    found without, and `LEAST_COVERED` of them. `mentions` are those of `carried`.
    """

    def held(text: str, named: Sequence[Mention]) -> float:
        found = ranker.rank(text, course=course, mentions=named, chit_chat=chit_chat, top=_LOOKED_AT)
        return ranker.coverage(question, mentions=(), candidates=found.candidates)

    with_subject = held(carried, mentions)
    return with_subject >= LEAST_COVERED and with_subject >= held(question, ())


def on_subject(candidates: Sequence[Candidate], last: PastTurn, held: Held) -> tuple[Candidate, ...]:
    """The candidates on the subject of the last answer, for a question that may have left it out.

    They stand in the documents cited there, or name one of its concepts, and hold nearly as much of the
    question's own words (`NEARLY`) as any candidate. Where there are none, it is about something else: all.
    """
    documents = {c.document for c in last.citations if c.source is Source.MATERIAL}
    shares = [held(candidate) for candidate in candidates]
    least = NEARLY * max(shares, default=0.0)
    found = [
        candidate
        for candidate, share in zip(candidates, shares, strict=True)
        if share >= max(least, LEAST_COVERED)
        and (candidate.pair.document in documents or _names(candidate.pair, last.concepts))
    ]
    return tuple(found or candidates)


def offer_anew(
    candidates: Sequence[Candidate],
    around: Sequence[Candidate],
    *,
    wish: Wish,
    concepts: Sequence[str],
    cited: Sequence[Citation],
) -> tuple[Candidate, ...]:
    """What an operation on the last answer is made from: what was ranked, then what stands around the cited.

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
    once = {candidate.pair.id: candidate for candidate in (*around, *candidates)}
    left = [once[id] for id in dict.fromkeys(c.pair.id for c in (*candidates, *around))]
    left = [c for c in left if c.pair.source is not Source.FAQ or wish.kinds & kinds_of(c.pair.question)]
    if Kind.REASON in wish.kinds:
        most = max((_names(c.pair, concepts) for c in left), default=0)
        return tuple(c for c in left if c.pair.document in documents or _names(c.pair, concepts) == most)
    left = [c for c in left if not is_told(c.pair.answer, wish.told)]
    on_it = [c for c in left if c.pair.document in documents or _names(c.pair, concepts)]
    holders = [c for c in on_it or left if _holds_wanted(c.pair, wish)]
    if Kind.EXAMPLE in wish.kinds:
        left = [c for c in left if c.pair.source is not Source.CONCEPT] or left
    return tuple(sorted(holders or left, key=lambda candidate: candidate.pair.id in seen))  # stable


def is_told(text: str, told: Sequence[str]) -> bool:
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
