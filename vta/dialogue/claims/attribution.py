"""From which passages a claim comes: by its words, its values, its likeness, and what speaks against it.

A claim has support from passages that hold enough of its words, weighed by rarity, or are like it by the
encoder, that have its values, and that do not contradict it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vta.dialogue.claims.clauses import Statement
from vta.dialogue.claims.contradiction import contradiction
from vta.dialogue.claims.passages import Passage, PassageReader, rarity
from vta.dialogue.claims.values import Values, values_of
from vta.dialogue.sentences import is_question
from vta.text import detect_language, normalise
from vta.types import Language

LIKENESS = 0.55
LEAST = 0.6
"""A claim has support where its share of words plus `LIKENESS` times the cosine is at least this much."""

LEAST_WORDS = 0.32
"""The least share of words where there is no encoder."""

LEAST_COSINE = 0.5
"""The least cosine with a sentence in another language, whose words cannot be compared."""

FEWEST_WORDS = 4
"""Different content words, or an order of growth, from which a sentence is a claim, not a transition."""

NEARLY = 0.9
"""A passage that supports a claim nearly as well as the best is as good a source, or as good a witness."""

TOGETHER = 1.3
"""The least support by several texts together, none of which is enough alone."""

ADDED = 0.3
"""The share of a claim's words from which a second source is worth its mark."""

MOST_SOURCES = 2
_TRIED = 4
_PART = 0.5
_SMALL = frozenset({"0", "1", "2"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence without marks as read; `words` are its content words with its values.

    `context` are the words of the question and of the sentence before; `given` the values of the question.
    """

    text: str
    statement: Statement
    language: Language
    vector: NDArray[np.float32] | None
    values: Values
    is_example: bool
    context: frozenset[str]
    given: Values

    @property
    def words(self) -> frozenset[str]:
        return self.statement.words

    @property
    def is_claim(self) -> bool:
        """Whether it says something that may be wrong. What leads in to a list or to code is none."""
        says = len(self.words) >= FEWEST_WORDS or "growth" in self.values
        return says and not self.is_open

    @property
    def is_open(self) -> bool:
        return is_question(self.text) or self.text.rstrip(" *").endswith((":", "："))


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Whether a sentence has support, None where it is no claim or nothing can be compared; what it cites."""

    supported: bool | None
    sources: tuple[int, ...]


class Attributor:
    """Attributes the sentences of one answer to the passages that it was given; [n] is the n-th passage."""

    def __init__(
        self,
        reader: PassageReader,
        *,
        passages: Sequence[Passage],
        definitions: Sequence[Passage],
        citable: frozenset[int],
    ) -> None:
        """`definitions` support together with any passage, and are not cited; `citable` passages may be."""
        self._reader = reader
        self._passages = dict(enumerate(passages, start=1))
        self._definitions = list(definitions)
        self._citable = citable
        self._rarity = rarity([*passages, *definitions])

    def read(self, sentences: Sequence[str], *, question: str) -> list[Claim]:
        """The sentences of an answer as claims, each in the light of the question and the one before."""
        vectors = self._reader.vectors(sentences)
        asked = self._reader.statement(question)
        statements = [self._reader.statement(sentence) for sentence in sentences]
        return [
            Claim(
                text=sentence,
                statement=statement,
                language=detect_language(sentence, Language.EN),
                vector=None if vectors is None else vectors[n],
                values=values_of(statement.text),
                is_example=any(each.is_example for each in statements[max(0, n - 1) : n + 1]),
                context=asked.words | (statements[n - 1].words if n else frozenset()),
                given=values_of(normalise(question)),
            )
            for n, (sentence, statement) in enumerate(zip(sentences, statements, strict=True))
        ]

    def attribute(self, claim: Claim, *, cited: Sequence[int]) -> Attribution:
        """What supports a claim; of what it `cited`, that stays which is nearly as good as the best."""
        kept = tuple(n for n in cited if n in self._citable)
        own_language = [
            p for p in (*self._passages.values(), *self._definitions) if p.language is claim.language
        ]
        if claim.is_open or not claim.words:
            return Attribution(supported=None, sources=kept)
        if not own_language:
            return Attribution(supported=None, sources=self._abroad(claim) or kept)
        strengths = {
            n: self._strength(claim, [passage])
            for n, passage in self._passages.items()
            if passage.language is claim.language
        }
        witnesses, is_refuted = self._witnesses(claim, strengths)
        if not claim.is_claim:  # too short to be sure, unless every word is the course's
            witnesses = {n: s for n, s in witnesses.items() if all(map(self._passages[n].holds, claim.words))}
            supported = False if is_refuted else None
            return Attribution(supported=supported, sources=self._best(witnesses, cited) or kept)
        if witnesses:
            sources = self._best(witnesses, cited)
            return Attribution(supported=True, sources=sources + self._rest(claim, sources, strengths))
        if not is_refuted and (together := self._together(claim, strengths)) is not None:
            return Attribution(supported=True, sources=together)
        abroad = self._abroad(claim)
        return Attribution(supported=None if abroad else False, sources=abroad)

    def _witnesses(self, claim: Claim, strengths: Mapping[int, float]) -> tuple[dict[int, float], bool]:
        """The passages that support a claim each alone, with their strengths, and whether others refute it.

        A passage that refutes it counts more than one that only holds some of its words.
        """
        near = {n: self._passages[n] for n, strength in strengths.items() if strength >= 1}
        refuting = {n for n, passage in near.items() if self._contradicts(passage, claim)}
        against = [strengths[n] for n in refuting]
        for definition in self._definitions:
            strength = self._strength(claim, [definition])
            if strength >= 1 and self._contradicts(definition, claim):
                against.append(strength)
        least = max(1.0, NEARLY * max(against, default=0.0))
        witnesses = {
            n: strengths[n]
            for n, passage in near.items()
            if n not in refuting
            and strengths[n] >= least
            and self._has_values(claim, [passage, *self._definitions])
        }
        return witnesses, bool(against) and not witnesses

    def _best(self, witnesses: Mapping[int, float], cited: Sequence[int]) -> tuple[int, ...]:
        """Those that were cited and are good enough, else the best; none of none."""
        good = [n for n, s in witnesses.items() if s >= NEARLY * max(witnesses.values())]
        own = [n for n in cited if n in good and n in self._citable]
        others = sorted((n for n in witnesses if n in self._citable), key=lambda n: -witnesses[n])
        return tuple(own[:MOST_SOURCES] or others[:1])

    def _rest(self, claim: Claim, sources: Sequence[int], strengths: Mapping[int, float]) -> tuple[int, ...]:
        """One more passage, where a single source lacks much of a claim that the other has."""
        if len(sources) != 1:
            return ()
        lacking = [word for word in claim.words if not self._passages[sources[0]].holds(word)]
        weight = sum(map(self._rarity, claim.words))
        added = {
            n: sum(self._rarity(word) for word in lacking if self._passages[n].holds(word)) / weight
            for n in self._citable & strengths.keys() - {*sources}
            if strengths[n] >= _PART
        }
        best = max(added, key=lambda n: added[n], default=None)
        return (best,) if best is not None and added[best] >= ADDED else ()

    def _together(self, claim: Claim, strengths: Mapping[int, float]) -> tuple[int, ...] | None:
        """Two passages, or one or none with the definitions, that support a claim together."""
        nearest = sorted((n for n in strengths if n in self._citable), key=lambda n: -strengths[n])[:_TRIED]
        groups = [*combinations(nearest, MOST_SOURCES), *((n,) for n in nearest), ()]
        for group in groups:
            passages = [self._passages[n] for n in group]
            if len(group) < MOST_SOURCES:
                passages += self._definitions
            if self._strength(claim, passages) >= TOGETHER and self._has_values(claim, passages):
                return tuple(n for n in group if strengths[n] >= _PART)
        return None

    def _strength(self, claim: Claim, passages: Sequence[Passage]) -> float:
        """How well passages support a claim together, in words and likeness; from 1 on they do."""
        weights = {word: self._rarity(word) for word in claim.words}
        held = sum(w for word, w in weights.items() if any(passage.holds(word) for passage in passages))
        words = held / sum(weights.values())
        if claim.vector is None:
            return words / LEAST_WORDS
        return (words + LIKENESS * max((_likeness(claim, each) for each in passages), default=0.0)) / LEAST

    def _has_values(self, claim: Claim, passages: Sequence[Passage]) -> bool:
        """Whether each value stands in the passages or the question; an example may make up its numbers."""
        for kind, values in claim.values.items():
            if kind == "number" and claim.is_example:
                continue
            given = claim.given.get(kind, frozenset()).union(
                *(each.values.get(kind, ()) for each in passages)
            )
            if values - given - (_SMALL if kind == "number" else frozenset()):
                return False
        return True

    def _contradicts(self, passage: Passage, claim: Claim) -> bool:
        said = [
            self._reader.statement(sentence) for sentence in passage.sentences if not is_question(sentence)
        ]
        if any(claim.statement.text == each.text for each in said):
            return False
        return contradiction(claim.statement, said, context=claim.context) is not None

    def _abroad(self, claim: Claim) -> tuple[int, ...]:
        """The passage of another language with the likest sentence, if that is like enough."""
        likeness = {
            n: _likeness(claim, self._passages[n])
            for n in self._citable
            if self._passages[n].language is not claim.language
            and self._has_values(claim, [self._passages[n]])
        }
        best = max(likeness, key=lambda n: likeness[n], default=None)
        return (best,) if best is not None and likeness[best] >= LEAST_COSINE else ()


def _likeness(claim: Claim, passage: Passage) -> float:
    """The greatest cosine of a claim with a sentence of a passage; 0 without an encoder."""
    if claim.vector is None or passage.vectors is None:
        return 0.0
    return float(np.max(passage.vectors @ claim.vector))
