"""`vta intent train`: measure the recipe on session-wise folds, then fit on everything and write it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from intent.albert import MODEL_FILE, NGRAMS_FILE, ModelConfig, soften, to_prediction
from intent.encoding import TurnText
from intent.wide import LABELS
from lab.intent.calibration import (
    calibrate_alpha,
    calibrate_crosswise,
    choose_alpha_crosswise,
    fit_temperature,
)
from lab.intent.corpus import CorpusText, read_corpus
from lab.intent.crossvalidation import Begin, FoldedPredictions, cross_validate
from lab.intent.evaluation import Evaluation, compare
from lab.intent.export import export
from lab.intent.labels import (
    QUESTION_LABELS,
    LabelledData,
    LabelledQuestion,
    read_labelled,
    to_turns,
)
from lab.intent.model_card import write_model_card
from lab.intent.ngram_fitting import Tasks, fit_wide
from lab.intent.recipe import learn
from lab.intent.report import Comparison, TrainingReport
from lab.intent.settings import TrainingSettings, require_training_extra
from lab.intent.starting import start_from_corpus, start_from_rows
from vta.types.questions import IntentPrediction

MOST_LOST = 0.003
"""int8 is written where it loses at most this share of accuracy, six-way and chit-chat."""

_DATA = Path(__file__).parents[1] / "data"
_WEIGHT_FILES = (MODEL_FILE, NGRAMS_FILE)


def train(
    data: Path,
    out: Path,
    *,
    seed: int = 7,
    settings: TrainingSettings | None = None,
    pretrain: Sequence[Path] = (),
    with_shipped_utterances: bool = True,
) -> TrainingReport:
    """Train on `data` and on the utterances of the package; write weights and MODEL_CARD.md into `out`.

    The figures come from models of the folds, which never saw the sessions they are measured on; the
    weights written are fitted on all rows, with temperature and alpha of the folds. `pretrain` are files
    and folders of unlabelled text.
    `InvalidInput` for bad data, `VtaError` when the extra `train` is not installed.
    """
    require_training_extra()
    began = perf_counter()
    settings = settings or TrainingSettings()
    sources = (read_labelled(data), *(read_shipped_utterances() if with_shipped_utterances else ()))
    corpus = read_corpus(pretrain)
    begin = _choose_start(corpus, settings, seed)
    folded = cross_validate([source.rows for source in sources], begin, settings, seed)
    first = sources[0].rows
    predictions = _calibrate(sources, folded.logits)
    temperature = fit_temperature(folded.logits[: len(first)], first)
    lost = _measure_loss(first, folded, temperature)
    quantised = max(lost) <= MOST_LOST

    everything = list(folded.rows)
    start = begin(everything)
    model = learn(everything, start, settings, seed, "all rows")
    config = ModelConfig(
        labels=LABELS,
        max_length=settings.max_length,
        temperature=temperature,
        ngram_share=settings.ngram_share,
    )
    wide = fit_wide(everything, tasks=_gather_tasks(everything)) if settings.ngram_share else None
    turns = to_turns(everything)
    check = export(model, start.encoder, config, out, turns, quantised=quantised, wide=wide)
    report = TrainingReport(
        seed=seed,
        settings=settings,
        sources=sources,
        corpus=corpus,
        comparisons=_compare(sources, predictions, _calibrate(sources, folded.albert)),
        temperature=temperature,
        alpha=calibrate_alpha(first, predictions[: len(first)]),
        accuracy_lost=lost[0],
        chit_chat_lost=lost[1],
        quantised=quantised,
        check=check,
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        ngrams=0 if wide is None else len(wide.ngrams.keys),
        model_bytes=sum((out / name).stat().st_size for name in _WEIGHT_FILES if (out / name).is_file()),
        seconds=perf_counter() - began,
    )
    write_model_card(report, out)
    return report


def read_shipped_utterances() -> tuple[LabelledData, ...]:
    """The utterances written for this project, every `utterances_*.jsonl` of the package."""
    return tuple(map(read_labelled, sorted(_DATA.glob("utterances_*.jsonl"))))


def read_shipped_tasks() -> tuple[TurnText, ...]:
    """Requests for tasks that are no course's, written for this project."""
    lines = (_DATA / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(TurnText(question=json.loads(line)["question"]) for line in lines)


def _gather_tasks(rows: Sequence[LabelledQuestion]) -> Tasks:
    """The package's tasks against the rows' questions: what counts as small talk may hold tasks too."""
    questions = [row for row in rows if row.label in QUESTION_LABELS]
    return Tasks(asked=read_shipped_tasks(), not_asked=to_turns(questions))


def _choose_start(corpus: Sequence[CorpusText], settings: TrainingSettings, seed: int) -> Begin:
    if corpus:
        pretrained = start_from_corpus(corpus, settings, seed)
        return lambda rows: pretrained
    return lambda rows: start_from_rows(rows, settings)


def _calibrate(sources: Sequence[LabelledData], logits: NDArray[np.float64]) -> tuple[IntentPrediction, ...]:
    """Predictions of the folds, each half of a source's sessions at the temperature of the other half."""
    predictions: list[IntentPrediction] = []
    for source in sources:
        place = len(predictions)
        own = logits[place : place + len(source.rows)]
        predictions += [to_prediction(row) for row in calibrate_crosswise(own, source.rows)]
    return tuple(predictions)


def _compare(
    sources: Sequence[LabelledData],
    whole: Sequence[IntentPrediction],
    albert: Sequence[IntentPrediction],
) -> tuple[Comparison, ...]:
    """The figures of each source; both predictions stand in the order of the rows of all sources."""
    found = []
    place = 0
    for source in sources:
        own = slice(place, place := place + len(source.rows))
        model, alone = (
            compare(source.rows, each[own], alpha=choose_alpha_crosswise(source.rows, each[own]))
            for each in (whole, albert)
        )
        found.append(Comparison(name=source.name, model=model, albert=alone))
    return tuple(found)


def _measure_loss(
    rows: Sequence[LabelledQuestion], folded: FoldedPredictions, temperature: float
) -> tuple[float, float]:
    """Six-way accuracy and chit-chat accuracy that int8 loses on these rows, the first of the folds'."""

    def measure(logits: NDArray[np.float64]) -> Evaluation:
        chances = soften(logits[: len(rows)], temperature)
        return compare(rows, [to_prediction(row) for row in chances])

    plain, small = measure(folded.logits), measure(folded.quantised)
    chat = (plain.chit_chat.accuracy or 0.0) - (small.chit_chat.accuracy or 0.0)
    return plain.accuracy - small.accuracy, chat
