"""The passages that a language model reads for a question, in the order of the course."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from vta.dialogue.question import UnderstoodQuestion
from vta.ports import CourseDocuments
from vta.types.pairs import Candidate, QAPair, Source
from vta.types.questions import Mode

FOUND = 12
"""Passages by search: they hold the whole answer for 0.95 of the turns, eight for 0.91."""
MOST = 16
"""Passages with their neighbours."""
_NEIGHBOURED = 3


@dataclass(frozen=True, slots=True)
class ReadingList:
    """The candidates by rank, which [n] counts from 1, and these numbers in reading order."""

    candidates: tuple[Candidate, ...]
    order: tuple[int, ...]


class Librarian:
    """Collects the candidates, the results of further searches, and the neighbours of the best passages."""

    def __init__(self, documents: CourseDocuments) -> None:
        self._documents = documents

    def gather(self, context: UnderstoodQuestion, found: Sequence[Candidate], *searches: str) -> ReadingList:
        """The reading list: the candidates `found`, then the results of the `searches` in turn.

        A hint is written without the FAQ, which may hold the solution. Raises as a search does.
        """
        results = [_rank(context, text) for text in dict.fromkeys(searches)]
        alternating = (each for row in zip_longest(*results) for each in row if each is not None)
        hidden = Source.FAQ if context.mode is Mode.HINT else None
        shown = (each for each in chain(found, alternating) if each.pair.source is not hidden)
        candidates = _distinct(shown)[: max(FOUND, len(found))]
        documents = {
            path: self._documents.passages(context.course.id, path)
            for path in dict.fromkeys(c.pair.document for c in candidates if _is_own(c, context))
            if path is not None
        }
        best = [c.pair for c in candidates if _is_own(c, context)][:_NEIGHBOURED]
        beside = chain.from_iterable(_neighbours(pair, documents[pair.document or ""]) for pair in best)
        unranked = (Candidate(pair=pair, bm25=0.0, weight=1.0, score=0.0) for pair in beside)
        candidates = _distinct(chain(candidates, unranked))[: max(MOST, len(found))]
        places = {pair.id: place for pairs in documents.values() for place, pair in enumerate(pairs)}
        ranks: dict[str, int] = {}
        for rank, each in enumerate(candidates):
            ranks.setdefault(each.pair.document or each.pair.id, rank)

        def place(n: int) -> tuple[int, int]:
            pair = candidates[n - 1].pair
            return ranks[pair.document or pair.id], places.get(pair.id, 0)

        return ReadingList(candidates, tuple(sorted(range(1, len(candidates) + 1), key=place)))


def _rank(context: UnderstoodQuestion, text: str) -> tuple[Candidate, ...]:
    mentions = context.knowledge.linker.link(text, course=context.course)
    return context.rank(text, top=FOUND, mentions=mentions).candidates


def _distinct(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Each text once: two files may say the same."""
    first: dict[str, Candidate] = {}
    for each in candidates:
        first.setdefault(each.pair.answer, each)
    return tuple(first.values())


def _is_own(candidate: Candidate, context: UnderstoodQuestion) -> bool:
    pair = candidate.pair
    return pair.source is Source.MATERIAL and pair.course_id == context.course.id and bool(pair.document)


def _neighbours(pair: QAPair, passages: Sequence[QAPair]) -> list[QAPair]:
    """The passages of the same section after and before one."""
    at = next((n for n, each in enumerate(passages) if each.id == pair.id), None)
    if at is None:
        return []
    beside = [*passages[at + 1 : at + 2], *passages[max(at - 1, 0) : at]]
    return [each for each in beside if each.locator.heading_path == pair.locator.heading_path]
