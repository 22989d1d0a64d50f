"""Groups of waiting questions that ask the same, and the groups that may ask the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vta.faq import comparison_key
from vta.patterns import read_patterns
from vta.ports import Embedder
from vta.text import Analyser, normalise

SAME, NEAR = 0.9, 0.5
"""Cosine from which questions of the same content words are one group, and from which a merge is proposed.

Chosen on questions of two courses: there 13 of a person's 18 merges are proposed, on two others 15 of 21
are made or proposed, on a last one 7 of 11; 34 of 55 proposals are right. No two different questions are in
one group there; of 2,898 groups of real questions one holds two different ones, and 562 bear a proposal.
"""
_NEGATION = read_patterns("services.questions", "grouping.toml")["negation"]
REMEMBERED_TEXTS, REMEMBERED_INBOXES = 20_000, 32
Asked = tuple[str, str | None]
"""A question, and the name of the group that a TA put it into."""
Groups = tuple[tuple[int, ...], ...]


class QuestionGrouping:
    """Groups questions by the shipped encoder; without one, by their words alone.

    One group holds questions with the same content words (so numbers and names are the same), which all deny
    or all do not, and which the encoder holds for the same. Whatever else is near is left to a person.
    """

    def __init__(self, encoder: Embedder | None) -> None:
        self._encoder = encoder
        self._analyser = Analyser()
        self._sense = lru_cache(maxsize=REMEMBERED_TEXTS)(self._read_sense)
        self._vector = lru_cache(maxsize=REMEMBERED_TEXTS)(self._embed)
        self.groups = lru_cache(maxsize=REMEMBERED_INBOXES)(self._group)

    def _group(self, asked: tuple[Asked, ...]) -> Groups:
        """The places of the questions in groups, each in the order given; groups by their first question.

        A question joins the group of the nearest question of its sense that began one. Questions whose group
        a TA named are in it, and each of them draws others like the one that began a group.
        """
        groups: list[list[int]] = []
        named: dict[str, list[int]] = {}
        drawing = defaultdict[object, list[tuple[str, list[int]]]](list)
        for place in sorted(range(len(asked)), key=lambda place: asked[place][1] is None):
            text, name = asked[place]
            nearby = drawing[self._sense(text)]
            if name is None and nearby:
                likeness = self.likeness(text, [other for other, _ in nearby])
                if likeness.max() >= SAME:
                    nearby[int(likeness.argmax())][1].append(place)
                    continue
            group: list[int] = [] if name is None else named.setdefault(name, [])
            if not group:
                groups.append(group)
            group.append(place)
            nearby.append((text, group))
        return tuple(tuple(sorted(group)) for group in sorted(groups, key=min))

    def likeness(self, question: str, others: Iterable[str]) -> NDArray[np.float32]:
        """The cosine of a question with each other; without an encoder 1 where the words are the same."""
        if self._encoder is None:
            own = comparison_key(question)
            return np.array([comparison_key(each) == own for each in others], dtype=np.float32)
        own_row = self._vector(question)
        return np.array([self._vector(each) @ own_row for each in others], dtype=np.float32)

    def mutual(
        self, questions: Sequence[str], places: Iterable[int], apart: Sequence[int]
    ) -> list[int | None]:
        """For each place the other that asks nearly the same, where each is the other's nearest; else None.

        Those `apart` are nobody's nearest.
        """
        rows = np.stack([self._vector(each) for each in questions] or [np.zeros(1, dtype=np.float32)])
        rows[list(apart)] = 0

        def nearest(place: int) -> int | None:
            likeness = rows @ rows[place]
            likeness[place] = 0
            found = int(likeness.argmax())
            return found if likeness[found] >= NEAR else None

        mates = ((place, nearest(place)) for place in places)
        return [mate if mate is not None and nearest(mate) == place else None for place, mate in mates]

    def _read_sense(self, text: str) -> tuple[frozenset[str], bool]:
        return frozenset(self._analyser.content_words(text)), is_negated(text)

    def _embed(self, text: str) -> NDArray[np.float32]:
        if self._encoder is None:
            return np.zeros(1, dtype=np.float32)
        row: NDArray[np.float32] = self._encoder.embed([text])[0]
        return row


def is_negated(text: str) -> bool:
    """Whether a sentence denies; two negations cancel out."""
    return len(_NEGATION.findall(normalise(text))) % 2 == 1
