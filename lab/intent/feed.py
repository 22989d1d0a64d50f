"""Batches for torch: labelled questions, and passages whose tokens are to be predicted."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from intent.encoding import EncodedTurns, TurnEncoder, TurnText
from intent.wide import LABELS
from lab.intent.labels import LabelledQuestion
from lab.intent.settings import TrainingSettings

if TYPE_CHECKING:
    import torch

_POOL = 8
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Inputs of the model; for labelled rows also targets (n x labels, rows sum to 1) and weights (n)."""

    inputs: dict[str, torch.Tensor]
    targets: torch.Tensor | None = None
    weights: torch.Tensor | None = None


class PassageFeed:
    """Batches of turns without labels, each epoch in a new order."""

    def __init__(self, turns: Sequence[TurnText], encoder: TurnEncoder, batch: int, seed: int) -> None:
        self._turns = turns
        self._encoder = encoder
        self._batch = batch
        self._seed = seed
        self.batches = -(-len(turns) // batch)

    def epoch(self, number: int) -> Iterator[Batch]:
        chance = random.Random(f"{self._seed} {number}")
        for turns in _group(self._turns, self._batch, chance, _length_of_turn):
            yield Batch(inputs=to_tensors(self._encoder.encode(turns)))


class LabelledFeed:
    """Batches of labelled rows, each epoch in a new order and with context dropped or lent anew.

    The weight of a row is its own times frequency^-b of its class, on average 1.
    """

    def __init__(
        self,
        rows: Sequence[LabelledQuestion],
        encoder: TurnEncoder,
        settings: TrainingSettings,
        seed: int,
    ) -> None:
        self._rows = rows
        self._encoder = encoder
        self._settings = settings
        self._seed = seed
        self._courses = sorted({row.course for row in rows if row.course})
        self._targets = _smooth(rows, settings)
        counts = Counter(row.label for row in rows)
        weights = np.array([row.weight * counts[row.label] ** -settings.class_balance for row in rows])
        self._weights = weights / weights.mean()
        self.batches = -(-len(rows) // settings.batch)

    def epoch(self, number: int) -> Iterator[Batch]:
        import torch

        chance = random.Random(f"{self._seed} {number}")
        everything = range(len(self._rows))
        for group in _group(everything, self._settings.batch, chance, self._length):
            turns = [self._vary(self._rows[place], chance) for place in group]
            yield Batch(
                inputs=to_tensors(self._encoder.encode(turns)),
                targets=torch.from_numpy(self._targets[group]).float(),
                weights=torch.from_numpy(self._weights[group]).float(),
            )

    def _length(self, place: int) -> int:
        return len(self._rows[place].question) + len(self._rows[place].previous)

    def _vary(self, row: LabelledQuestion, chance: random.Random) -> TurnText:
        """Sometimes without the previous turn; half the time under a course drawn regardless of the class."""
        lost = chance.random() < self._settings.context_dropout
        lent = bool(self._courses) and chance.random() < 0.5
        return TurnText(
            question=row.question,
            previous="" if lost else row.previous,
            course=chance.choice(self._courses) if lent else "",
        )


def _smooth(rows: Sequence[LabelledQuestion], settings: TrainingSettings) -> NDArray[np.float64]:
    """(1 - s) one-hot + s / labels, rows x labels."""
    sure = np.eye(len(LABELS))[[LABELS.index(row.label) for row in rows]]
    return np.asarray((1 - settings.label_smoothing) * sure + settings.label_smoothing / len(LABELS))


def _group(
    rows: Sequence[Row], size: int, chance: random.Random, length: Callable[[Row], int]
) -> Iterator[list[Row]]:
    """All rows in random groups of `size` whose lengths are alike, so that little is padded."""
    shuffled = chance.sample(rows, len(rows))
    pool = _POOL * size
    parts = (sorted(shuffled[at : at + pool], key=length) for at in range(0, len(shuffled), pool))
    ordered = [row for part in parts for row in part]
    groups = [ordered[at : at + size] for at in range(0, len(ordered), size)]
    chance.shuffle(groups)
    yield from groups


def _length_of_turn(turn: TurnText) -> int:
    return len(turn.question) + len(turn.previous)


def to_tensors(encoded: EncodedTurns) -> dict[str, torch.Tensor]:
    """The encoded turns under the names of the model's inputs."""
    import torch

    return {
        "input_ids": torch.from_numpy(encoded.input_ids),
        "attention_mask": torch.from_numpy(encoded.attention_mask),
        "token_type_ids": torch.from_numpy(encoded.token_type_ids),
    }
