"""The rankings of one turn: whether a question goes on, and then what answers it, asks for the same ones.

What two files of a course say word for word, as the print version of a website does, takes one place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from knowledge.learned_ranking import DEPTH
from vta.ports import Knowledge, Ranker
from vta.types.concepts import Concept, Mention
from vta.types.courses import Course
from vta.types.pairs import Candidate, QAPair, Ranking, Source


def for_one_turn(knowledge: Knowledge) -> Knowledge:
    """The same knowledge, which ranks a text once."""
    return replace(knowledge, ranker=RankedOnce(knowledge.ranker))


class RankedOnce(Ranker):
    """Keeps the rankings of one course for one turn.

    One of fewer pairs is the beginning of one of `DEPTH`, and h only weighs what a search engine `found`.
    """

    def __init__(self, ranker: Ranker) -> None:
        self._ranker = ranker
        self._known: dict[tuple[str, tuple[Mention, ...], int], Ranking] = {}

    def rank(
        self,
        question: str,
        *,
        course: Course,
        mentions: Sequence[Mention],
        chit_chat: float,
        top: int,
        found: Sequence[QAPair] = (),
    ) -> Ranking:
        depth = max(top, DEPTH)
        key = question, tuple(mentions), depth
        ranking = self._known.get(key)
        if ranking is None or found:
            ranking = self._ranker.rank(
                question, course=course, mentions=mentions, chit_chat=chit_chat, top=depth, found=found
            )
            ranking = replace(ranking, candidates=_each_text_once(ranking.candidates))
        if not found:
            self._known[key] = ranking
        return replace(ranking, candidates=ranking.candidates[:top])

    def where_taught(self, concept: Concept, *, course: Course) -> Candidate | None:
        return self._ranker.where_taught(concept, course=course)


def _each_text_once(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Without passages that an earlier one says word for word."""
    first: dict[str, Candidate] = {}
    for each in candidates:
        first.setdefault(each.pair.answer if each.pair.source is Source.MATERIAL else each.pair.id, each)
    return tuple(first.values())
