"""The content of a question: its words with their weights, its concepts, and the kinds that it asks for."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from concept_graph.defining import DefiningSentences
from vta.dialogue.teaching.excerpts import Piece
from vta.kinds import Kind, kinds_of
from vta.text import Analyser, jaccard, normalise, strip_templates
from vta.types.concepts import Concept
from vta.types.pairs import Candidate
from vta.types.questions import PLAIN, AnswerStyle
from vta.units import UnitKind

_BESIDE = 4


class Asked:
    """A question's words, weighted by rarity among its candidates. Equal texts are analysed once."""

    def __init__(
        self,
        question: str,
        candidates: Sequence[Candidate],
        *,
        analyser: Analyser,
        concepts: Sequence[Concept] = (),
        style: AnswerStyle = PLAIN,
        searched: str | None = None,
    ) -> None:
        """`concepts` are the question's, which a text may name otherwise.

        `searched` is the query of the search: the question with the subject before it, where it needs that.
        """
        whole = searched or question
        self._analyser = analyser
        self._held: dict[str, frozenset[str]] = {}
        self.text = whole
        self.words = frozenset(analyser.words(whole))
        self._weights = self._weigh(whole, candidates)
        self._names = [
            (frozenset(analyser.words(said)) & self._weights.keys(), names)
            for concept in concepts
            for names in [{normalise(name) for name in (concept.name, *concept.aliases)}]
            for said in names
            if _names(said, normalise(whole))
        ]
        self._defining = DefiningSentences({each.id: (each.name, *each.aliases) for each in concepts})
        self.kinds = style.kinds or kinds_of(question)
        self.asks_definition = Kind.DEFINITION in kinds_of(question)

    def share(self, words: Iterable[str]) -> float:
        """The share of the question's content in some of its words, in 0..1."""
        total = sum(self._weights.values())
        return round(sum(self._weights[word] for word in words) / total, 6) if total else 0.0

    def held(self, text: str) -> frozenset[str]:
        """The content words of the question in a text; other names of a concept count."""
        if text not in self._held:
            plain = normalise(text)
            shared = self._weights.keys() & _words(self._analyser, text)
            others = (said for said, names in self._names if any(_names(name, plain) for name in names))
            self._held[text] = frozenset(shared).union(*others)
        return self._held[text]

    def words_of(self, title: str) -> frozenset[str]:
        """The words of a question or heading."""
        return _words(self._analyser, title)

    def likeness(self, title: str) -> float:
        """The Jaccard index of the words of a question or heading and of this one."""
        return jaccard(self.words, self.words_of(title))

    def defined_in(self, piece: Piece) -> bool:
        """Whether a sentence says what one of the concepts of the question is, as in the course's graph."""
        return piece.kind is UnitKind.SENTENCE and bool(self._defining.definition(piece.text))

    def _weigh(self, question: str, candidates: Sequence[Candidate]) -> Mapping[str, float]:
        """The weights of the question's words without its template, higher for words of few candidates.

        `_BESIDE` imaginary passages of function words are counted too, so that those weigh less.
        """
        wanted = dict.fromkeys(self._analyser.words(strip_templates(question)))
        content = set(self._analyser.content_words(question))
        held = Counter(dict.fromkeys(wanted.keys() - content, _BESIDE))
        for candidate in candidates:
            pair = candidate.pair
            held.update(_words(self._analyser, f"{pair.question}\n{pair.answer}").intersection(wanted))
        passages = len(candidates) + _BESIDE
        return {word: math.log((passages + 2) / (held[word] + 1)) for word in wanted}


@lru_cache(maxsize=4_000)  # many questions are answered from the same passages
def _words(analyser: Analyser, text: str) -> frozenset[str]:
    return frozenset(analyser.words(text))


def _names(name: str, text: str) -> bool:
    """Whether a normalised text has a name, as Latin words of its own or in the plural."""
    edge = r"(?a:(?<!\w)|(?!\w))"
    return name in text and re.search(f"{edge}{re.escape(name)}(?:e?s)?{edge}", text) is not None
