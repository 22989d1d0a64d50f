"""How well words of distress are told from their look-alikes, and the weights that are shipped.

python -m benchmarks distress intent/distress/weights ../shared/data

A logistic regression on `lab/data/distress.tsv`, written for this project, and every second
utterance of `lab/data`. Families of wordings are held out whole, in eight folds; the threshold is the
lowest that flags at most `AT_MOST` of the held-out look-alikes and utterances. Last, all rows are fitted
and written. Questions of the data folder that are flagged are counted.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from intent.distress import NGRAMS, VECTOR, DistressModel
from intent.guard.spelling import unmask
from intent.ngrams import NgramBranch, hash_plain
from knowledge.vectors.token_table import shipped_encoder
from vta.scoring import logistics, pack

FOLDS, STRENGTH, RAREST, STEPS = 8, 10.0, 2, 8
VECTOR_SCALE = 1.0
UTTERANCE_WEIGHT, WEIGHT = 1.0, 3.0
AT_MOST = {"look-alike": 0.10, "utterance": 0.01}
SETS = (
    "students/open",
    "students/open2",
    "vta/intent_dev",
    "vta/qa_dev",
    "fresh/chat_vs_course/en",
    "fresh/chat_vs_course/zh",
    "fresh/chat_vs_course/cs1qa_questions_en",
    "fresh/chat_vs_course/sight_comments_en",
)

Floats = np.ndarray


def read_rows() -> tuple[list[str], Floats, list[str]]:
    """Texts, whether each is distress, and the family of its wording; "" for an utterance."""
    lines = Path("lab/data/distress.tsv").read_text(encoding="utf-8").splitlines()
    rows = [tuple(line.split("\t")) for line in lines]
    for file in sorted(Path("lab/data").glob("utterances*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines()[::2]:
            rows.append(("other", "", json.loads(line)["question"]))
    labels = np.array([label == "distress" for label, _, _ in rows])
    return [text for _, _, text in rows], labels, [f"{a} {b}" if b else "" for a, b, _ in rows]


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
        asked = [row.get("text", row.get("question")) for row in map(json.loads, lines)]
        hits = [text for text in asked if isinstance(text, str) and model.in_distress(text)]
        flagged[name] = {"n": len(asked), "flagged": len(hits)}
    english = np.array([text.isascii() for text in texts])
    shares = {
        f"{name} {language}": {"n": int(part.sum()), "flagged": int((held[part] > threshold).sum())}
        for name, rows in (("distress", labels), *parts.items())
        for language, part in (("en", rows & english), ("zh", rows & ~english))
    }
    by_family = {
        family: f"{int((held[own] > threshold).sum())} of {int(own.sum())}"
        for family in named
        for own in [np.array(families) == family]
    }
    return {
        "held_out_by_family": shares,
        "by_family": by_family,
        "threshold": round(float(threshold), 3),
        "ngrams": len(keys),
        "bytes": sum((out / name).stat().st_size for name in (NGRAMS, VECTOR)),
        "flagged_questions": flagged,
    }
