"""How well words of distress are told from their look-alikes, and the weights that are shipped.

python -m benchmarks distress intent/distress/weights ../shared/data

A logistic regression on `lab/data/distress.tsv`, `innocent.tsv` and every second utterance of `lab/data`,
written for this project. Families of wordings and fields are held out whole, in eight folds; the threshold
is the lowest that flags at most `AT_MOST` of the held-out look-alikes and utterances. Last, all rows are
fitted and written. Counted is what is flagged of `lab/data/unseen.tsv`, which is in no fit, and of the
questions of the data folder.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from intent.distress import CERTAIN, NGRAMS, VECTOR, DistressModel
from intent.guard.spelling import unmask
from intent.ngrams import NgramBranch, hash_plain
from knowledge.vectors.token_table import shipped_encoder
from vta.scoring import logistics, pack

FOLDS, STRENGTH, RAREST, STEPS = 8, 10.0, 2, 8
VECTOR_SCALE = 1.0
UTTERANCE_WEIGHT, WEIGHT = 1.0, 3.0
AT_MOST = {"look-alike": 0.06, "utterance": 0.006}
SETS = (
    "students/open",
    "students/open2",
    "vta/intent_dev",
    "vta/qa_dev",
    "fresh/chat_vs_course/en",
    "fresh/chat_vs_course/zh",
    "fresh/chat_vs_course/cs1qa_questions_en",
    "fresh/chat_vs_course/sight_comments_en",
    "ir/boolq_dev/queries",
    "ir/cmrc2018_dev/queries",
    "ir/stard_reduced/queries",
)

Floats = np.ndarray


def read_rows() -> tuple[list[str], Floats, list[str]]:
    """Texts, whether each is distress, and the family of its wording; "" for an utterance."""
    rows = [*read_table("distress"), *(("other", field, text) for field, text in read_table("innocent"))]
    for file in sorted(Path("lab/data").glob("utterances*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines()[::2]:
            rows.append(("other", "", json.loads(line)["question"]))
    labels = np.array([label == "distress" for label, _, _ in rows])
    return [text for _, _, text in rows], labels, [f"{a} {b}" if b else "" for a, b, _ in rows]


def read_table(name: str) -> list[list[str]]:
    """The columns of a table of texts written for this project."""
    lines = Path(f"lab/data/{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]


def fit(kernel: Floats, labels: Floats, weights: Floats) -> tuple[Floats, float]:
    """Dual coefficients and bias of the regression with an L2 penalty, by Newton's method."""
    dual, bias = np.zeros(len(labels)), 0.0
    for _ in range(STEPS):
        logits = kernel @ dual + bias
        chance = logistics(logits)
        curve = np.maximum(weights * chance * (1 - chance), 1e-6)
        target = logits + weights * (labels - chance) / curve
        both = np.column_stack([target, np.ones(len(labels))])
        solved = np.linalg.solve(kernel + np.diag(1 / (STRENGTH * curve)), both)
        bias = float(solved[:, 0].sum() / solved[:, 1].sum())
        dual = solved[:, 0] - bias * solved[:, 1]
    return dual, bias


def run(out: Path, data: Path) -> dict[str, Any]:
    """Writes the weights into the folder `out`."""
    texts, labels, families = read_rows()
    hashed = [hash_plain(unmask(text)) for text in texts]
    keys, rows_of = np.unique(np.concatenate([own for own, _ in hashed]), return_counts=True)
    keys, often = keys[rows_of >= RAREST], rows_of[rows_of >= RAREST]
    rarity = (np.log((1 + len(texts)) / (1 + often)) + 1).astype(np.float16)
    grams = np.zeros((len(texts), len(keys)), np.float32)
    for row, (own, counts) in enumerate(hashed):
        places = np.minimum(np.searchsorted(keys, own), len(keys) - 1)
        known = keys[places] == own
        grams[row, places[known]] = (1 + np.log(counts[known])) * rarity[places[known]]
    grams /= np.maximum(np.linalg.norm(grams, axis=1, keepdims=True), 1e-9)
    encoder = shipped_encoder()
    vectors = encoder.embed([unmask(text) for text in texts])
    kernel = (grams @ grams.T + VECTOR_SCALE * vectors @ vectors.T).astype(np.float64)
    is_utterance = np.array([not family for family in families])
    weights = np.where(is_utterance, UTTERANCE_WEIGHT, WEIGHT)

    named = sorted(set(families) - {""}, key=lambda family: (family.split()[0], family))
    fold = {family: n % FOLDS for n, family in enumerate(named)}
    place = np.array([fold.get(family, n % FOLDS) for n, family in enumerate(families)])
    held = np.zeros(len(texts))
    for n in range(FOLDS):
        inside, outside = np.flatnonzero(place == n), np.flatnonzero(place != n)
        dual, bias = fit(kernel[np.ix_(outside, outside)], labels[outside], weights[outside])
        held[inside] = kernel[np.ix_(inside, outside)] @ dual + bias
    look_alike = ~labels & ~is_utterance
    parts = {"look-alike": look_alike, "utterance": is_utterance}
    threshold = max(np.quantile(held[parts[name]], 1 - most) for name, most in AT_MOST.items())

    dual, bias = fit(kernel, labels, weights)
    layer = NgramBranch(
        keys=keys,
        rarity=rarity,
        weights=(grams.T @ dual)[:, None].astype(np.float16),
        bias=np.array([bias - threshold], np.float32),
    )
    direction = (VECTOR_SCALE * vectors.T @ dual).astype(np.float32)
    out.mkdir(parents=True, exist_ok=True)
    (out / NGRAMS).write_bytes(pack(layer))
    file = io.BytesIO()
    np.save(file, direction, allow_pickle=False)
    (out / VECTOR).write_bytes(file.getvalue())
    model = DistressModel.load(encoder, out)

    flagged = {}
    for name in SETS:
        lines = (data / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        asked = [row.get("text", row.get("question", row.get("query"))) for row in map(json.loads, lines)]
        found = np.array([model.danger(text) for text in asked if isinstance(text, str)])
        flagged[name] = {
            "n": len(asked),
            "flagged": int((found > 0).sum()),
            "certain": int((found > CERTAIN).sum()),
        }
    english = np.array([text.isascii() for text in texts])
    shares = {
        f"{name} {language}": {"n": int(part.sum()), "flagged": int((held[part] > threshold).sum())}
        for name, rows in (("distress", labels), *parts.items())
        for language, part in (("en", rows & english), ("zh", rows & ~english))
    }
    unseen: dict[str, dict[str, int]] = {}
    for label, family, text in read_table("unseen"):
        group, danger = f"{label} {family}", model.danger(text)
        counts = unseen.setdefault(group, {"n": 0, "flagged": 0, "certain": 0})
        for name, holds in (("n", True), ("flagged", danger > 0), ("certain", danger > CERTAIN)):
            counts[name] += holds
    return {
        "held_out_by_family": shares,
        "unseen": unseen,
        "threshold": round(float(threshold), 3),
        "ngrams": len(keys),
        "bytes": sum((out / name).stat().st_size for name in (NGRAMS, VECTOR)),
        "flagged_questions": flagged,
    }
