"""How fast the intent classifier answers: ONNX int8, ONNX fp32, torch eager, n-gram regression.

python -m benchmarks intent_speed ../shared/data/vta/intent_dev.jsonl

One thread each, tokenisation and n-gram layer included. Torch and fp32 run a model of the shipped sizes with
random weights:
time does not depend on the values. int8 is the shipped file, and the same random model beside it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from intent.albert import AlbertIntentClassifier, ModelConfig, mix
from intent.encoding import TurnEncoder, TurnText
from intent.wide import LABELS
from lab.intent.baseline import fit_regression
from lab.intent.export import export
from lab.intent.fitting import configure, infer
from lab.intent.labels import LabelledQuestion, read_labelled, to_turns
from lab.intent.ngram_fitting import fit_wide
from lab.intent.settings import TrainingSettings

_SINGLE, _WARM, _BATCH = 1000, 50, 64


def measure(
    ask: Callable[[Sequence[LabelledQuestion]], object], rows: list[LabelledQuestion]
) -> dict[str, float]:
    """Milliseconds of one question at the 50th and 99th percent, and questions per second in batches."""
    times = []
    for row in rows[:_WARM]:
        ask([row])
    for row in rows[:_SINGLE]:
        started = time.perf_counter()
        ask([row])
        times.append(1000 * (time.perf_counter() - started))
    started = time.perf_counter()
    for at in range(0, len(rows), _BATCH):
        ask(rows[at : at + _BATCH])
    seconds = time.perf_counter() - started
    p50, p99 = np.percentile(times, (50, 99))
    return {"p50_ms": round(p50, 3), "p99_ms": round(p99, 3), "per_second": round(len(rows) / seconds)}


def run(data: Path) -> dict[str, Any]:
    """Milliseconds a question by way, one thread."""
    torch.set_num_threads(1)
    rows = list(read_labelled(data).rows)
    shipped = AlbertIntentClassifier.load()
    settings = TrainingSettings()
    encoder: TurnEncoder = shipped.encoder
    from transformers import AlbertForSequenceClassification

    model = AlbertForSequenceClassification(configure(encoder, settings)).eval()
    config = ModelConfig(
        labels=LABELS,
        max_length=settings.max_length,
        temperature=1.0,
        ngram_share=settings.ngram_share,
    )
    wide = fit_wide(rows)
    regress = fit_regression(rows, seed=0)
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        variants = {"onnx_fp32": False, "onnx_int8": True}
        loaded = {}
        for name, quantised in variants.items():
            sample: list[TurnText] = to_turns(rows[:64])
            export(model, encoder, config, Path(folder) / name, sample, quantised=quantised, wide=wide)
            loaded[name] = AlbertIntentClassifier.load(Path(folder) / name)
        figures["shipped"] = measure(lambda some: shipped.predict_many(to_turns(some)), rows)
        for name, classifier in loaded.items():
            figures[name] = measure(lambda some, c=classifier: c.predict_many(to_turns(some)), rows)

    def run_torch(some: Sequence[LabelledQuestion]) -> object:
        turns = to_turns(some)
        return mix(infer(model, encoder, turns), wide.outputs(turns), settings.ngram_share)

    figures["torch_eager"] = measure(run_torch, rows)
    figures["regression"] = measure(regress, rows)
    return {
        "data": data.name,
        "questions": len(rows),
        "figures": figures,
        "int8_of_torch_eager": round(figures["onnx_int8"]["p50_ms"] / figures["torch_eager"]["p50_ms"], 3),
        "int8_of_regression": round(figures["onnx_int8"]["p50_ms"] / figures["regression"]["p50_ms"], 3),
    }
