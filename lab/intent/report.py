"""What a training run reports."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from lab.intent.calibration import AlphaChoice
from lab.intent.corpus import CorpusText
from lab.intent.evaluation import Evaluation, JsonValue
from lab.intent.export import ExportCheck
from lab.intent.labels import LabelledData
from lab.intent.settings import TrainingSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The held-out rows of one source under the whole model, and under its ALBERT alone.

    Chit-chat is decided at alphas of highest F1 on the other half of the sessions.
    """

    name: str
    model: Evaluation
    albert: Evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingReport:
    """What a training run did: figures of the folds, and what was then written.

    `accuracy_lost` and `chit_chat_lost` are what int8 loses on the held-out rows of the first source, in
    shares: six-way accuracy and chit-chat accuracy.
    """

    seed: int
    settings: TrainingSettings
    sources: tuple[LabelledData, ...]
    corpus: tuple[CorpusText, ...]
    comparisons: tuple[Comparison, ...]
    temperature: float
    alpha: AlphaChoice
    accuracy_lost: float
    chit_chat_lost: float
    quantised: bool
    check: ExportCheck
    parameters: int
    ngrams: int
    model_bytes: int
    seconds: float

    def to_json(self) -> dict[str, JsonValue]:
        """The object of `vta intent evaluate` for the held-out rows of the first source, and all the rest."""
        return {
            **self.comparisons[0].model.to_json(),
            "seed": self.seed,
            "temperature": self.temperature,
            "alpha": asdict(self.alpha.chosen),
            "alpha_curve": {f"{p.alpha:.2f}": {"lost": p.lost, "caught": p.caught} for p in self.alpha.curve},
            "int8_accuracy_lost": self.accuracy_lost,
            "int8_chit_chat_accuracy_lost": self.chit_chat_lost,
            "quantised": self.quantised,
            "export": asdict(self.check),
            "parameters": self.parameters,
            "ngrams": self.ngrams,
            "model_bytes": self.model_bytes,
            "groups": {
                group.name: {
                    "model": _with_chit_chat(group.model),
                    "albert": _with_chit_chat(group.albert),
                }
                for group in self.comparisons
            },
            "data": {source.name: source.sha256 for source in self.sources},
            "corpus": {text.name: text.sha256 for text in self.corpus},
            "settings": asdict(self.settings),
            "seconds": round(self.seconds, 1),
        }


def _with_chit_chat(figures: Evaluation) -> dict[str, JsonValue]:
    """As `to_json`, with all chit-chat figures and without the confusion."""
    return {name: value for name, value in asdict(figures).items() if name != "confusion"}
