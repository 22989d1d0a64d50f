"""What a training run can be told, and what it needs installed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from vta.errors import VtaError

TRAINING_LIBRARIES = ("torch", "transformers", "onnx", "onnxscript", "sklearn")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSettings:
    """Sizes and strengths; the defaults are those of the weights in the package.

    `class_balance` b weighs a class by frequency^-b; the `*_dropout` of context and tokens are the
    chances to lose the previous turn, and a token; `average_share` is the last part of the epochs whose
    weights are averaged.
    """

    vocabulary: int = 4000
    max_length: int = 64
    embedding: int = 64
    hidden: int = 128
    layers: int = 4
    heads: int = 4
    intermediate: int = 256
    pretraining_epochs: int = 24
    epochs: int = 14
    batch: int = 32
    learning_rate: float = 1e-3
    weight_decay: float = 0.01
    warmup: float = 0.1
    label_smoothing: float = 0.05
    class_balance: float = 0.25
    token_dropout: float = 0.1
    context_dropout: float = 0.3
    mask_share: float = 0.2
    average_share: float = 0.4
    held_out: float = 0.2
    threads: int = 1


def require_training_extra() -> None:
    """`VtaError` naming the extra to install where a library that only training needs is missing."""
    for name in TRAINING_LIBRARIES:
        try:
            import_module(name)
        except ImportError as error:
            message = f"training needs {name!r}: install the extra `train` (vta-platform[train])"
            raise VtaError(message) from error
