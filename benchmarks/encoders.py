"""Compare sentence encoders: how often the right document is first or among the first five, and their cost.

python -m benchmarks encoders ../shared/data NAME=FOLDER...

The shipped table is always measured; each NAME is a sentence-transformers folder exported to ONNX. `--skip
NAME:PART` leaves out the sets whose name holds PART, for a model that does not know the language. By cosine
alone, no words. `--cache` keeps embeddings between runs, not their cost. One thread, processor time.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import typer

from benchmarks.encoder_sets import QuestionSet, read_sets
from knowledge.vectors.caching import CachedEmbedder
from knowledge.vectors.local_model import LocalEmbedder
from knowledge.vectors.token_table import shipped_encoder
from vta.ports import Embedder

_RESAMPLES = 2_000
_TIMED = 200
"""Questions one by one, and passages together, whose time is taken."""


def measure(embedder: Embedder, each: QuestionSet) -> Mapping[str, object]:
    """hit@1 and hit@5 with their 95 % percentile bootstrap intervals, and the mean reciprocal rank."""
    ranks = each.hits(embedder)
    rng = np.random.default_rng(0)
    figures: dict[str, object] = {"questions": len(ranks), "passages": len(each.passages)}
    for most in (1, 5):
        found = ranks <= most
        resampled = rng.choice(found, size=(_RESAMPLES, len(found))).mean(axis=1)
        figures[f"hit@{most}"] = round(float(found.mean()), 3)
        figures[f"hit@{most} interval"] = [round(float(q), 3) for q in np.quantile(resampled, (0.025, 0.975))]
    return figures | {"mrr": round(float((1 / ranks).mean()), 3)}


def cost(embedder: Embedder, each: QuestionSet) -> Mapping[str, float]:
    """Milliseconds a question asked alone, and passages a second."""
    questions, passages = each.questions[:_TIMED], each.passages[:_TIMED]
    embedder.embed(questions[:5])
    started = time.process_time()
    for question in questions:
        embedder.embed([question])
    asked = time.process_time()
    embedder.embed(passages)
    ended = time.process_time()
    return {
        "question_ms": round((asked - started) * 1e3 / len(questions), 3),
        "passages_a_second": round(len(passages) / (ended - asked)),
        "passage_characters": round(float(np.mean([len(text) for text in passages]))),
    }


def run(
    data: Path,
    models: list[str] = typer.Argument(None, metavar="NAME=FOLDER"),
    *,
    skip: list[str] = [],  # noqa: B006
    cache: Path | None = None,
) -> dict[str, Any]:
    """`skip`: NAME:PART; `cache`: a folder of embeddings."""
    embedders: dict[str, Embedder] = {"shipped table": shipped_encoder()}
    for model in models or []:
        name, _, folder = model.partition("=")
        embedders[name] = LocalEmbedder(Path(folder))
    skipped = [tuple(each.split(":", 1)) for each in skip]
    sets = list(read_sets(data))
    timed = next(each for each in sets if each.name.startswith("zoomcamp"))
    result: dict[str, object] = {}
    for name, embedder in embedders.items():
        known = [each for each in sets if not any(n == name and part in each.name for n, part in skipped)]
        result[name] = {
            "model": embedder.name,
            "cost": cost(embedder, timed),
            "sets": {
                each.name: measure(CachedEmbedder(embedder, cache) if cache else embedder, each)
                for each in known
            },
        }
    return {"encoders": result}
