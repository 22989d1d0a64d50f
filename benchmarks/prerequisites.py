"""Score labelled prerequisite pairs from a textbook's texts: ours beside simple orders and a forest.

python -m benchmarks prerequisites ../shared/data/hello_algo/en \\
    ../shared/data/prerequisites/in_hello_algo

The labels measure, and train the forest alone. The forest is trained on pairs that share no concept with
the pairs it scores, three times over nine blocks of pairs; it needs the extra `train`.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from concept_graph.prerequisites import score_pairs
from concept_graph.prerequisites.counts import Counts, count
from concept_graph.prerequisites.occurrences import read
from concept_graph.prerequisites.pairs import locate
from concept_graph.prerequisites.signals import THRESHOLD
from knowledge.vectors.token_table import shipped_encoder
from lab.measures.judged_pairs import best_f1, direction, f1_of
from lab.measures.metrics import roc_auc
from services.cli.graph import read_concept_pairs
from services.settings import Settings
from services.wiring import build_platform
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.types.courses import Course, CourseId
from vta.types.pairs import QAPair

SEED = 0
ROUNDS, BLOCKS = 3, 3
Matrix = NDArray[np.float64]


def read_passages(folder: Path) -> list[QAPair]:
    """The passages of a folder of Markdown, ingested as a course."""
    course = Course(id=CourseId("book"), name="Book", domains=("CS",), language=Language.EN)
    with tempfile.TemporaryDirectory() as home:
        platform = build_platform(Settings(home=Path(home)))
        platform.stores.courses.add(course)
        ingest([folder], course=course, readers=platform.readers, documents=platform.stores.documents)
        passages = list(platform.stores.documents.pairs())
        platform.close()
    return passages


def reference_matrices(counts: Counts) -> dict[str, Matrix]:
    """Mentioned first, RefD (a in passages about b, less the reverse), co-occurrence: name by name."""
    together, alone = counts.together_passages, counts.together_passages.diagonal()
    expected = alone[:, None] * alone[None, :] / counts.passages
    share = together / alone[None, :]
    return {
        "mentioned_first": counts.first[None, :] - counts.first[:, None],
        "refd": share - share.T,
        "co_occurrence": np.log((together + 0.5) / (expected + 0.5)),
    }


def forest_scores(features: Matrix, labels: Matrix, ends: NDArray[np.intp]) -> tuple[Matrix, Matrix]:
    """Scores of held-out pairs and their labels; no concept of a scored pair was seen in training."""
    random, scores, truth = np.random.default_rng(SEED), [], []
    for _ in range(ROUNDS):
        block = random.integers(0, BLOCKS, ends.max() + 1)[ends]
        for first in range(BLOCKS):
            for second in range(BLOCKS):
                held = (block[:, 0] == first) & (block[:, 1] == second)
                seen = ~np.isin(block, (first, second)).any(axis=1)
                if held.any() and len(set(labels[seen])) == 2:
                    forest = RandomForestClassifier(200, min_samples_leaf=3, random_state=SEED)
                    forest.fit(features[seen], labels[seen])
                    scores.append(forest.predict_proba(features[held])[:, 1])
                    truth.append(labels[held])
    return np.concatenate(scores), np.concatenate(truth)


def figures(scores: Matrix, labels: Matrix) -> dict[str, float]:
    """AUC of labels of both kinds, and F1 at the threshold that is best on these labels."""
    auc, best = roc_auc(labels == 1, scores), best_f1(scores, labels == 1)
    return {"auc": round(auc or 0.0, 3), "f1_best": round(best, 3)}


def right_way(forward: Matrix, backward: Matrix) -> float:
    """`direction`, rounded; there must be a pair."""
    return round(direction(forward, backward) or 0.0, 3)


def measure(passages: list[QAPair], file: Path) -> dict[str, object]:
    """All methods on one set, over the pairs whose two names were found."""
    pairs = read_concept_pairs(file)
    header, *rows = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines() if line)
    labels = np.array([float(row[header.index("label")]) for row in rows])
    began = time.perf_counter()
    both = score_pairs(passages, [*pairs, *((b, a) for a, b in pairs)], encoder=shipped_encoder())
    seconds = time.perf_counter() - began
    kept = np.array([score is not None for score in both[: len(pairs)]])
    ours = np.array([-1.0 if score is None else score for score in both])
    names = sorted({name for pair, keep in zip(pairs, kept, strict=True) if keep for name in pair})
    text = read(passages)
    counts = count(text, locate(text, names))
    ends = np.array(
        [[names.index(a), names.index(b)] for (a, b), keep in zip(pairs, kept, strict=True) if keep]
    )
    a, b = ends.T
    truth, positive = labels[kept], labels[kept] == 1
    forward, backward = ours[: len(pairs)][kept], ours[len(pairs) :][kept]
    methods: dict[str, object] = {
        "ours": {
            **figures(forward, truth),
            "f1_own_threshold": round(f1_of(forward >= THRESHOLD, positive), 3),
            "direction": right_way(forward[positive], backward[positive]),
            "brier": round(float(np.mean((forward - truth) ** 2)), 3),
        }
    }
    for name, matrix in reference_matrices(counts).items():
        right = right_way(matrix[a, b][positive], matrix[b, a][positive])
        methods[name] = {**figures(matrix[a, b], truth), "direction": right}
    often = np.log(counts.together_passages.diagonal())
    columns = [matrix[a, b] for matrix in reference_matrices(counts).values()]
    features = np.stack([*columns, often[a], often[b], counts.centre[a] - counts.centre[b]], axis=1)
    methods["forest_concepts_disjoint"] = figures(*forest_scores(features, truth, ends))
    return {
        "set": file.stem,
        "pairs": len(pairs),
        "found": int(kept.sum()),
        "positive": int(positive.sum()),
        "seconds": round(seconds, 1),
        "methods": methods,
    }


def run(book: Path, folder: Path) -> dict[str, Any]:
    """`book` holds the texts, `folder` the labelled pairs."""
    passages = read_passages(book)
    return {
        "seed": SEED,
        "passages": len(passages),
        "sets": [measure(passages, file) for file in sorted(folder.glob("*.tsv"))],
    }
