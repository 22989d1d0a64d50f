"""Batches of labelled questions for torch."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from intent.encoding import EncodedTurns, TurnEncoder, TurnText
from intent.labels import LABELS, LabelledQuestion
from intent.settings import TrainingSettings

if TYPE_CHECKING:
    import torch


class Feed:
    """Batches of the rows, each epoch in a new order and with context dropped or lent anew."""

    def __init__(
        self, rows: Sequence[LabelledQuestion], encoder: TurnEncoder, settings: TrainingSettings, seed: int
    ) -> None:
        self._rows = rows
        self._encoder = encoder
        self._settings = settings
        self._random = random.Random(seed)
        self._courses = sorted({row.course for row in rows if row.course})
        counts = Counter(row.label for row in rows)
        weights = [max(counts[label], 1) ** -settings.class_balance for label in LABELS]
        mean = sum(w * counts[label] for w, label in zip(weights, LABELS, strict=True)) / len(rows)
        self.class_weights = [weight / mean for weight in weights]
        self.batches = -(-len(rows) // settings.batch)

    def epoch(self) -> Iterator[tuple[dict[str, torch.Tensor], torch.Tensor]]:
        import torch

        rows = list(self._rows)
        self._random.shuffle(rows)
        size = self._settings.batch
        pool = 8 * size
        ordered = [
            row for at in range(0, len(rows), pool) for row in sorted(rows[at : at + pool], key=_length)
        ]
        groups = [ordered[at : at + size] for at in range(0, len(ordered), size)]
        self._random.shuffle(groups)
        for group in groups:
            encoded = self._encoder.encode([self._vary(row) for row in group])
            yield to_tensors(encoded), torch.tensor([LABELS.index(row.label) for row in group])

    def _vary(self, row: LabelledQuestion) -> TurnText:
        """Sometimes without the previous turn; half the time under a course drawn regardless of the class."""
        lost = self._random.random() < self._settings.context_dropout
        lent = self._courses and self._random.random() < 0.5
        return TurnText(
            question=row.question,
            previous="" if lost else row.previous,
            course=self._random.choice(self._courses) if lent else "",
        )


def keep_distinct(rows: Sequence[LabelledQuestion]) -> list[LabelledQuestion]:
    """Each question once and without its context, for pre-training."""
    return [replace(row, previous="", course="") for row in {row.question: row for row in rows}.values()]


def _length(row: LabelledQuestion) -> int:
    return len(row.question) + len(row.previous)


def to_tensors(encoded: EncodedTurns) -> dict[str, torch.Tensor]:
    import torch

    return {
        "input_ids": torch.from_numpy(encoded.input_ids),
        "attention_mask": torch.from_numpy(encoded.attention_mask),
        "token_type_ids": torch.from_numpy(encoded.token_type_ids),
    }
