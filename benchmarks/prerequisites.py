"""Score labelled prerequisite pairs from a textbook's texts: ours beside what is plainer.

python -m benchmarks prerequisites ../shared/data/hello_algo/en \\
    ../shared/data/prerequisites/in_hello_algo

The labels measure alone. `plainest` is co-occurrence, its direction by which is mentioned first, and sure
where one name is made of the other.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concept_graph.prerequisites import score_pairs
from concept_graph.prerequisites.occurrences import TokenText, contained, read, tokens
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


def reference_matrices(text: TokenText, names: list[str]) -> dict[str, Matrix]:
    """Mentioned first, RefD (a in passages about b, less the reverse), co-occurrence, the plainest of them.

    Of each two names, [a, b]; every name occurs.
    """
    found = locate(text, names)
    first = np.array([each.places[0] for each in found]) / text.offsets[-1]
    held = np.zeros((len(names), len(text.passages)))
    for row, each in zip(held, found, strict=True):
        row[each.passages] = 1
    together = held @ held.T
    alone = together.diagonal()
    share = together / alone[None, :]
    above = np.log((together + 0.5) / (alone[:, None] * alone[None, :] / len(text.passages) + 0.5))
    order = first[None, :] - first[:, None]
    made = np.zeros_like(together)
    for a, b in contained([tokens(name) for name in names]):
        made[a, b], made[b, a] = 1, -1
    return {
        "mentioned_first": order,
        "refd": share - share.T,
        "co_occurrence": above,
        "plainest": above + np.sign(order) + (above.max() + 2) * made,
    }


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
    references = reference_matrices(read(passages), names)
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
    for name, matrix in references.items():
        right = right_way(matrix[a, b][positive], matrix[b, a][positive])
        methods[name] = {**figures(matrix[a, b], truth), "direction": right}
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
        "passages": len(passages),
        "sets": [measure(passages, file) for file in sorted(folder.glob("*.tsv"))],
    }
