"""The intent classifier in service: a small ALBERT run by ONNX Runtime, with its wide layer.

Neither torch nor transformers is needed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from intent.encoding import TurnEncoder, TurnText
from intent.ngrams import NgramBranch
from intent.wide import LABELS, WideLayer, other_task
from intent.words import WordBranch
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.questions import CHIT_CHAT_LABELS, IntentLabel, IntentPrediction

MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
CONFIG_FILE = "config.json"
NGRAMS_FILE = "ngrams.npz"
WORDS_FILE = "words.npz"
_BATCH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """The order of the outputs, the input length, the temperature, and the share of the wide layer.

    A share of 0 means no wide layer.
    """

    labels: tuple[IntentLabel, ...]
    max_length: int
    temperature: float
    ngram_share: float = 0.0

    @classmethod
    def from_json(cls, text: str) -> ModelConfig:
        """`ValueError`, `KeyError` or `TypeError` where the text is not such a configuration."""
        values = json.loads(text)
        config = cls(
            labels=tuple(IntentLabel(name) for name in values["labels"]),
            max_length=int(values["max_length"]),
            temperature=float(values["temperature"]),
            ngram_share=float(values.get("ngram_share", 0.0)),
        )
        if sorted(config.labels) != sorted(LABELS) or config.temperature <= 0 or config.max_length < 8:
            raise ValueError("labels, max_length or temperature out of range")
        if not 0 <= config.ngram_share <= 1:
            raise ValueError("ngram_share must be in 0..1")
        return config


class AlbertIntentClassifier:
    """P(y | d) = softmax(((1 - s) ALBERT(d) + s wide(d)) / T) over the six classes.

    h = P(general) + P(emotional chit-chat). Threads may share one classifier, which never changes.
    """

    def __init__(
        self,
        session: onnxruntime.InferenceSession,
        encoder: TurnEncoder,
        config: ModelConfig,
        wide: WideLayer | None,
    ) -> None:
        self._session = session
        self.encoder = encoder
        self._config = config
        self._wide = wide

    @classmethod
    def load(cls, folder: Path | None = None) -> AlbertIntentClassifier:
        """From a folder that the training wrote; without one, the weights of the package.

        `InvalidInput` naming the file that is missing or cannot be used.
        """
        place: Traversable = files("intent") / "weights" if folder is None else folder
        with _named(place, MODEL_FILE):
            model = (place / MODEL_FILE).read_bytes()
        with _named(place, CONFIG_FILE):
            config = ModelConfig.from_json((place / CONFIG_FILE).read_text(encoding="utf-8"))
        with _named(place, TOKENIZER_FILE):
            tokenizer = Tokenizer.from_buffer((place / TOKENIZER_FILE).read_bytes())
            encoder = TurnEncoder(tokenizer, config.max_length)
        wide = _load_wide(place) if config.ngram_share else None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        with _named(place, MODEL_FILE):
            session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return cls(session, encoder, config, wide)

    def predict(self, question: str, *, previous: str = "", course: str = "") -> IntentPrediction:
        """The intent of one question; `InvalidInput` when it is empty."""
        return self.predict_many([TurnText(question=question, previous=previous, course=course)])[0]

    def predict_many(self, turns: Sequence[TurnText]) -> tuple[IntentPrediction, ...]:
        """The intents in the order of the turns."""
        outputs = None if self._wide is None else self._wide.outputs(turns)
        logits = mix(self.deep(turns), outputs, self._config.ngram_share)
        tasks = np.zeros(len(turns)) if outputs is None else other_task(outputs)
        return tuple(
            to_prediction(row, self._config.labels, other_task=float(task))
            for row, task in zip(soften(logits, self._config.temperature), tasks, strict=True)
        )

    def logits(self, turns: Sequence[TurnText]) -> NDArray[np.float64]:
        """The model's raw outputs, turns x labels, before temperature and softmax."""
        outputs = None if self._wide is None else self._wide.outputs(turns)
        return mix(self.deep(turns), outputs, self._config.ngram_share)

    def deep(self, turns: Sequence[TurnText]) -> NDArray[np.float64]:
        """The ALBERT's logits alone, turns x labels."""
        parts = [self._run(turns[start : start + _BATCH]) for start in range(0, len(turns), _BATCH)]
        return np.concatenate([np.zeros((0, len(self._config.labels))), *parts])

    def _run(self, turns: Sequence[TurnText]) -> NDArray[np.float64]:
        encoded = self.encoder.encode(turns)
        feed = {
            "input_ids": encoded.input_ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.token_type_ids,
        }
        return np.asarray(self._session.run(["logits"], feed)[0], dtype=np.float64)


def mix(deep: NDArray[np.float64], outputs: NDArray[np.float64] | None, share: float) -> NDArray[np.float64]:
    """(1 - share) * the ALBERT's logits + share * those of the wide layer's outputs, turns x labels."""
    return deep if outputs is None else (1 - share) * deep + share * outputs[:, : len(LABELS)]


def soften(logits: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """softmax(logits / T) along the last axis."""
    scaled = logits / temperature
    powers = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def to_prediction(
    probabilities: NDArray[np.float64], labels: Sequence[IntentLabel] = LABELS, *, other_task: float = 0.0
) -> IntentPrediction:
    """One row of probabilities as a prediction."""
    by_label = {label: float(p) for label, p in zip(labels, probabilities, strict=True)}
    return IntentPrediction(
        label=max(by_label, key=by_label.__getitem__),
        chit_chat=min(1.0, sum(by_label[label] for label in CHIT_CHAT_LABELS)),
        probabilities=by_label,
        other_task=other_task,
    )


def _load_wide(place: Traversable) -> WideLayer:
    """The n-grams and, where they are there, the words."""
    with _named(place, NGRAMS_FILE):
        ngrams = NgramBranch.from_bytes((place / NGRAMS_FILE).read_bytes())
    if not (place / WORDS_FILE).is_file():
        return WideLayer(ngrams=ngrams)
    with _named(place, WORDS_FILE):
        return WideLayer(ngrams=ngrams, words=WordBranch.from_bytes((place / WORDS_FILE).read_bytes()))


@contextmanager
def _named(place: Traversable, name: str) -> Iterator[None]:
    """`InvalidInput` naming the file that is missing or cannot be used; the libraries raise any class."""
    try:
        yield
    except Exception as error:
        path = str(place / name)
        raise InvalidInput(Fault("intent.model_unusable", path=path, reason=str(error)), path=path) from error
