"""The settings of a training run, and the libraries it needs."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from vta.errors import VtaError
from vta.faults import Fault

TRAINING_LIBRARIES = ("torch", "transformers", "onnx", "onnxscript", "sklearn")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSettings:
    """Sizes and strengths; the defaults are those of the weights in the package.

    Three stages: `pretraining_*` predicts masked tokens of the unlabelled text, `adaptation_*` those of the
    labelled questions, the rest tells the classes. `class_balance` b weighs a class by frequency^-b;
    `token_dropout` and `context_dropout` are the chances to lose a token and the previous turn;
    `average_share` is the last part of the epochs whose weights are averaged; `ngram_share` is the part of
    the n-gram layer in the logits, fixed and not fitted.
    """

    vocabulary: int = 7000
    max_length: int = 64
    embedding: int = 64
    hidden: int = 128
    layers: int = 4
    heads: int = 4
    intermediate: int = 512
    pretraining_epochs: int = 6
    pretraining_rate: float = 2e-3
    pretraining_batch: int = 32
    adaptation_epochs: int = 3
    adaptation_rate: float = 1.5e-3
    epochs: int = 6
    learning_rate: float = 1e-3
    batch: int = 64
    weight_decay: float = 0.01
    warmup: float = 0.1
    label_smoothing: float = 0.05
    class_balance: float = 0.25
    token_dropout: float = 0.1
    context_dropout: float = 0.2
    mask_share: float = 0.2
    average_share: float = 0.4
    ngram_share: float = 0.5
    folds: int = 5
    threads: int = 2


def require_training_extra() -> None:
    """`VtaError` naming the extra to install where a library that only training needs is missing."""
    for name in TRAINING_LIBRARIES:
        try:
            import_module(name)
        except ImportError as error:
            raise VtaError(Fault("intent.no_training_extra", name=name)) from error
