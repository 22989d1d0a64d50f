"""The rankings of one turn, each worked out once, and without passages that repeat one word for word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from knowledge.learned_ranking import DEPTH
from vta.ports import Ranker
from vta.types.concepts import Concept, Mention
from vta.types.courses import Course
from vta.types.pairs import Candidate, QAPair, Ranking, Source


class RankingCache(Ranker):
    """Ranks each text of one course once; a shorter ranking is the beginning of one of `DEPTH`."""

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
        ranking = None if found else self._known.get(key)
        if ranking is None:
            ranking = self._ranker.rank(
                question, course=course, mentions=mentions, chit_chat=chit_chat, top=depth, found=found
            )
            ranking = replace(ranking, candidates=distinct_texts(ranking.candidates))
        if not found:  # h weighs nothing but pairs of a search engine
            self._known[key] = ranking
        return replace(ranking, candidates=ranking.candidates[:top])

    def where_taught(self, concept: Concept, *, course: Course) -> Candidate | None:
        return self._ranker.where_taught(concept, course=course)


def distinct_texts(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates without passages that repeat an earlier one, as the print version of a website does."""
    first: dict[str, Candidate] = {}
    for each in candidates:
        first.setdefault(each.pair.answer if each.pair.source is Source.MATERIAL else each.pair.id, each)
    return tuple(first.values())
