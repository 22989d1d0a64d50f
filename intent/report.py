"""What a training run reports."""

from __future__ import annotations

from dataclasses import dataclass

from intent.evaluation import Evaluation, JsonValue
from intent.labels import LabelledData
from intent.settings import TrainingSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The same rows under the ALBERT and under the n-gram regression fitted on the same training part."""

    albert: Evaluation
    regression: Evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingReport:
    """What a training run did. `held_out` are the held-out sessions of the first source, `unseen` those of
    their rows whose question does not occur in the training part; `utterances` are the held-out sessions of
    the utterances in the package. `difference` is that of torch and ONNX logits.
    """

    seed: int
    settings: TrainingSettings
    sources: tuple[LabelledData, ...]
    trained_on: int
    held_out: Comparison
    unseen: Comparison | None
    utterances: Comparison | None
    temperature: float
    parameters: int
    model_bytes: int
    difference: float
    seconds: float

    def to_json(self) -> dict[str, JsonValue]:
        """The object of `vta intent evaluate` for the held-out part, and seed, temperature and seconds."""
        return {
            **self.held_out.albert.to_json(),
            "seed": self.seed,
            "temperature": self.temperature,
            "seconds": round(self.seconds, 1),
        }
