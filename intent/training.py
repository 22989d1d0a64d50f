"""`vta intent train`: fit on a part of the sessions, measure on the rest, then refit on everything."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from intent.albert import MODEL_FILE, ModelConfig, soften, to_prediction
from intent.baseline import predict_by_regression
from intent.calibration import calibrate_crosswise, fit_temperature
from intent.encoding import TurnEncoder, TurnText, train_tokenizer
from intent.evaluation import compare
from intent.export import export
from intent.fitting import fit, infer
from intent.labels import LABELS, LabelledData, LabelledQuestion, parse_labelled, read_labelled
from intent.model_card import write_model_card
from intent.report import Comparison, TrainingReport
from intent.settings import TrainingSettings, require_training_extra
from intent.splits import split_sessions
from vta.types import IntentPrediction

SHIPPED_DATA = ("utterances_en.jsonl", "utterances_zh.jsonl")


def train(
    data: Path,
    out: Path,
    *,
    seed: int = 7,
    settings: TrainingSettings | None = None,
    with_shipped_utterances: bool = True,
) -> TrainingReport:
    """Train on `data` and on the utterances of the package; write weights and MODEL_CARD.md into `out`.

    The figures come from a first model that never saw the held-out sessions, nor their words in its
    vocabulary; the weights written are refitted on all sessions, with the first model's temperature.
    `InvalidInput` for bad data, `VtaError` when the extra `train` is not installed.
    """
    started = time.perf_counter()
    require_training_extra()
    settings = settings or TrainingSettings()
    sources = (read_labelled(data), *(read_shipped_utterances() if with_shipped_utterances else ()))
    splits = [split_sessions(source.rows, settings.held_out, seed) for source in sources]
    training = [row for rest, _ in splits for row in rest]
    held_out = splits[0][1]
    shipped = [row for _, held in splits[1:] for row in held]

    encoder = _train_encoder(training, settings)
    model = fit(training, encoder, settings, seed, "held-out run")
    logits = infer(model, encoder, to_turns(held_out))
    temperature = fit_temperature(logits, held_out)
    predictions = [to_prediction(row) for row in calibrate_crosswise(logits, held_out)]
    regression = predict_by_regression(training, held_out, seed)
    known = {row.question for row in training}
    unseen = [number for number, row in enumerate(held_out) if row.question not in known]
    utterances = None
    if shipped:
        own = soften(infer(model, encoder, to_turns(shipped)), temperature)
        utterances = Comparison(
            albert=compare(shipped, [to_prediction(row) for row in own]),
            regression=compare(shipped, predict_by_regression(training, shipped, seed)),
        )

    everything = [row for source in sources for row in source.rows]
    encoder = _train_encoder(everything, settings)
    model = fit(everything, encoder, settings, seed, "final run")
    config = ModelConfig(labels=LABELS, max_length=settings.max_length, temperature=temperature)
    difference = export(model, encoder, config, out, to_turns(everything[:256]))
    report = TrainingReport(
        seed=seed,
        settings=settings,
        sources=sources,
        trained_on=len(training),
        held_out=_compare_both(held_out, predictions, regression),
        unseen=_compare_both(held_out, predictions, regression, unseen) if unseen else None,
        utterances=utterances,
        temperature=temperature,
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        model_bytes=(out / MODEL_FILE).stat().st_size,
        difference=difference,
        seconds=time.perf_counter() - started,
    )
    write_model_card(report, out)
    return report


def read_shipped_utterances() -> tuple[LabelledData, ...]:
    """The utterances written for this project: English and mixed, and Chinese."""
    folder = files("intent") / "data"
    return tuple(parse_labelled((folder / name).read_bytes(), name) for name in SHIPPED_DATA)


def to_turns(rows: Sequence[LabelledQuestion]) -> list[TurnText]:
    """What the classifier sees of labelled rows."""
    return [TurnText(question=row.question, previous=row.previous, course=row.course) for row in rows]


def _train_encoder(rows: Sequence[LabelledQuestion], settings: TrainingSettings) -> TurnEncoder:
    texts = (text for row in rows for text in (row.question, row.course))
    return TurnEncoder(train_tokenizer(texts, settings.vocabulary), settings.max_length)


def _compare_both(
    rows: Sequence[LabelledQuestion],
    albert: Sequence[IntentPrediction],
    regression: Sequence[IntentPrediction],
    chosen: Sequence[int] | None = None,
) -> Comparison:
    numbers = range(len(rows)) if chosen is None else chosen
    kept = [rows[number] for number in numbers]
    return Comparison(
        albert=compare(kept, [albert[number] for number in numbers]),
        regression=compare(kept, [regression[number] for number in numbers]),
    )
