"""From which passages a claim comes: by its words, its values, its likeness, and what speaks against it.

A passage supports a claim if some neighbouring sentences hold enough of the claim's words, weighed by rarity,
or one is like it by the encoder, if it has the claim's values, and if it does not contradict it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vta.dialogue.claims.claim import Claim
from vta.dialogue.claims.clauses import Statement
from vta.dialogue.claims.contradiction import contradiction, says_yes, share
from vta.dialogue.claims.passages import Passage, PassageReader, rarity
from vta.sentences import is_question

LIKENESS = 0.55
LEAST = 0.6
"""A claim has support where its share of words plus `LIKENESS` times the cosine is at least this much."""

LEAST_TO_STAY = 0.8
"""The same where what has no support is removed: a small model is seldom right in other words."""

LEAST_WORDS = 0.32
"""The least share of words where there is no encoder."""

LEAST_OF_ECHO = 0.75
"""The least share of words of a claim that repeats the question: passages were found by these words."""

LEAST_COSINE = 0.5
"""The least cosine with a sentence in another language, whose words cannot be compared."""

NEARLY = 0.9
"""A passage that supports a claim nearly as well as the best is as good a source, or as good a witness."""

TITLE_COUNTS_FROM = 0.35
"""The share of a claim's words that a passage must hold apart from its title, for the title to count."""

SAME_QUESTION = 0.7
"""The share of words that two questions have in common if they ask the same."""

MOST_SOURCES = 2
_SMALL = frozenset({"0", "1", "2"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Whether a sentence has support, None where it is no claim or nothing can be compared; what it cites."""

    supported: bool | None
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What one passage has of a claim: words, by their share of the claim's, and the greatest cosine.

    From a `strength` of 1 on it supports the claim by these.
    """

    passage: Passage
    held: frozenset[str]
    likeness: float
    strength: float


class Attributor:
    """Attributes the sentences of one answer to the passages that it was given; [n] is the n-th passage."""

    def __init__(
        self,
        reader: PassageReader,
        *,
        passages: Sequence[Passage],
        definitions: Sequence[Passage],
        citable: frozenset[int],
        least: float = LEAST,
    ) -> None:
        """`definitions` support together with any passage, and are not cited; `citable` passages may be."""
        self._least = least
        self._reader = reader
        self._passages = dict(enumerate(passages, start=1))
        self._definitions = list(definitions)
        self._citable = citable
        self._rarity = rarity([*passages, *definitions])

    def attribute(self, claim: Claim, *, cited: Sequence[int]) -> Attribution:
        """What supports a claim; of what it `cited`, that stays which is nearly as good as the best."""
        kept = tuple(n for n in cited if n in self._citable)
        if any(self._answers_otherwise(passage, claim) for passage in self._passages.values()):
            return Attribution(supported=False, sources=())
        if claim.is_open:
            return Attribution(supported=None, sources=kept)
        weights = {word: self._rarity(word) for word in claim.words}
        known = {n: p for n, p in self._passages.items() if p.language is claim.language}
        matches = {n: self._match(claim, passage, weights) for n, passage in known.items()}
        named = [self._match(claim, p, weights) for p in self._definitions if p.language is claim.language]
        if not matches and not named:
            return Attribution(supported=None, sources=self._cross_lingual_source(claim) or kept)
        witnesses, is_contradicted = self._witnesses(claim, matches, named)
        if not claim.is_claim:  # too short to be sure, unless every word is the course's
            sure = {n: m for n, m in witnesses.items() if m.held >= claim.words and len(claim.words) > 1}
            return Attribution(
                supported=False if is_contradicted else None, sources=self._best(sure, cited) or kept
            )
        if witnesses:
            return Attribution(supported=True, sources=self._best(witnesses, cited))
        if not is_contradicted and any(m.strength >= 1 and _has_values(claim, [m.passage]) for m in named):
            return Attribution(supported=True, sources=())
        cross_lingual = self._cross_lingual_source(claim)
        return Attribution(supported=None if cross_lingual else False, sources=cross_lingual)

    def _witnesses(
        self, claim: Claim, matches: Mapping[int, Match], named: Sequence[Match]
    ) -> tuple[dict[int, Match], bool]:
        """The passages that support a claim each alone, and whether others refute it instead.

        One that refutes it counts more than one that only holds some of its words.
        """
        near = {n: match for n, match in matches.items() if match.strength >= 1}
        refuting = {n for n, match in near.items() if self._contradicts(match.passage, claim)}
        against = [near[n].strength for n in refuting]
        against += [m.strength for m in named if m.strength >= 1 and self._contradicts(m.passage, claim)]
        least = NEARLY * max(against, default=0.0)
        witnesses = {
            n: match
            for n, match in near.items()
            if n not in refuting
            and match.strength >= least
            and _has_values(claim, [match.passage, *(each.passage for each in named)])
        }
        return witnesses, bool(against) and not witnesses

    def _best(self, witnesses: Mapping[int, Match], cited: Sequence[int]) -> tuple[int, ...]:
        """Those that were cited and are nearly as good as the best, else the first of these; none of none."""
        strongest = max((match.strength for match in witnesses.values()), default=0.0)
        good = {n for n, match in witnesses.items() if match.strength >= NEARLY * strongest}
        own = [n for n in cited if n in good & self._citable]
        others = sorted(good & self._citable) or sorted(witnesses.keys() & self._citable)
        return tuple(own[:MOST_SOURCES] or others[:1])

    def _match(self, claim: Claim, passage: Passage, weights: Mapping[str, float]) -> Match:
        """What a passage has of a claim, in the window that has most."""
        titled = frozenset(filter(passage.heading.holds, weights))
        body = max(
            (frozenset(filter(window.holds, weights)) for window in passage.windows),
            key=lambda words: sum(weights[word] for word in words | titled),
            default=frozenset[str](),
        )
        title_counts = sum(weights[word] for word in body) >= TITLE_COUNTS_FROM * sum(weights.values())
        held = body | titled if title_counts else body
        likeness = _likeness(claim, passage)
        return Match(
            passage=passage,
            held=held,
            likeness=likeness,
            strength=self._strength(claim, held, likeness, weights),
        )

    def _strength(
        self, claim: Claim, held: frozenset[str], likeness: float, weights: Mapping[str, float]
    ) -> float:
        share = sum(weights.get(word, 0.0) for word in held) / sum(weights.values())
        if claim.is_echo:
            return share / LEAST_OF_ECHO
        return share / LEAST_WORDS if claim.vector is None else (share + LIKENESS * likeness) / self._least

    def _contradicts(self, passage: Passage, claim: Claim) -> bool:
        said = self._said(passage)
        is_said = any(each.text == claim.statement.text for each in said)
        return not is_said and contradiction(claim.statement, said, context=claim.context) is not None

    def _said(self, passage: Passage) -> list[Statement]:
        return [self._reader.statement(each) for each in passage.sentences if not is_question(each)]

    def _answers_otherwise(self, passage: Passage, claim: Claim) -> bool:
        """Whether a claim says yes where the course says no to the same question, or the other way round."""
        said, theirs = says_yes(claim.text), says_yes(passage.reply)
        if said is None or theirs is None or said is theirs:
            return False
        title = self._reader.statement(passage.title).words
        return min(share(claim.asked, title), share(title, claim.asked)) >= SAME_QUESTION

    def _cross_lingual_source(self, claim: Claim) -> tuple[int, ...]:
        """The passage of another language with the likest sentence, if that is like enough."""
        likeness = {
            n: _likeness(claim, self._passages[n])
            for n in self._citable
            if self._passages[n].language is not claim.language and _has_values(claim, [self._passages[n]])
        }
        best = max(likeness, key=lambda n: likeness[n], default=None)
        return (best,) if best is not None and likeness[best] >= LEAST_COSINE else ()


def _likeness(claim: Claim, passage: Passage) -> float:
    """The greatest cosine of a claim with a sentence of a passage; 0 without an encoder."""
    if claim.vector is None or passage.vectors is None:
        return 0.0
    return float(np.max(passage.vectors @ claim.vector))


def _has_values(claim: Claim, passages: Sequence[Passage]) -> bool:
    """Whether each value stands in the passages or the question; an example may make up its numbers."""
    for kind, values in claim.values.items():
        if kind == "number" and claim.is_example:
            continue
        said = frozenset[str]().union(*(each.values.get(kind, ()) for each in passages))
        if values - said - claim.given.get(kind, frozenset()) - (_SMALL if kind == "number" else frozenset()):
            return False
    return True
