"""How much of a reference solution a text gives away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

NGRAM = 4
LEAK_SHARE = 0.25
LEAK_RUN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """What a text holds of a solution, leaving out what the question says already.

    `share` of the solution's different n-grams (n = 4) that the text holds too, 0..1; `run` is the longest
    run of tokens that text and solution have in common and that holds such an n-gram.
    """

    share: float
    run: int

    @property
    def gives_away(self) -> bool:
        """A quarter of the solution, or twelve tokens of it in a row."""
        return self.share >= LEAK_SHARE or self.run >= LEAK_RUN


def measure_leak(text: Sequence[str], *, solution: Sequence[str], question: Sequence[str]) -> Leak:
    """The leak of a text, all three as tokens. A solution that says nothing new has none."""
    secret = _ngrams(solution) - _ngrams(question)
    leaked = secret & _ngrams(text)
    share = len(leaked) / len(secret) if secret else 0.0
    return Leak(share=share, run=_longest_run(text, solution, leaked))


def _ngrams(tokens: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(tokens[i : i + NGRAM]) for i in range(len(tokens) - NGRAM + 1)}


def _longest_run(text: Sequence[str], solution: Sequence[str], leaked: set[tuple[str, ...]]) -> int:
    """The longest common run that holds an n-gram of `leaked`."""
    longest = 0
    before = [0] * (len(solution) + 1)
    for i, token in enumerate(text):
        row = [0] * (len(solution) + 1)
        for j, other in enumerate(solution, start=1):
            if token == other:
                row[j] = length = before[j - 1] + 1
                start = i - length + 1
                held = (tuple(text[k : k + NGRAM]) for k in range(start, i - NGRAM + 2))
                if length > longest and any(ngram in leaked for ngram in held):
                    longest = length
        before = row
    return longest
