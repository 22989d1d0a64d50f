"""How well attacks are told from questions, and the weights that are shipped.

python -m benchmarks guard ../shared/data intent/guard/weights

Cross-validation over groups (a group is one template with all it was filled with, or one field); the
threshold for a fold is chosen on the held-out logits of the others, so that neither model nor threshold saw
a counted row. Then each family of sources is held out whole. Last, all rows are fitted and written, and the
innocent texts of `lab/data/unseen.tsv`, of other fields and in no fit, are counted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.distress import read_table
from lab import guard_training as training
from lab.guard_training import KINDS, OWN, Labelled

AT_MOST = {"student": 0.0016, "innocent": 0.02, "harmless": 0.08, "look_alike": 0.10}
"""The shares of honest texts that the threshold may flag; "innocent" are orders in many fields."""
FOLDS, SEED = 5, 0
FILES = {
    "attacks/injection_zh_dev": "zh",
    "attacks/injection_en_dev": "en",
    "attacks/benign_hard_dev": "look_alike",
    "fresh/attacks/notinject": "harmless",
    "attacks/benign_en_dev": "other",
    "attacks/benign_student_dev": "student",
    "vta/intent_dev": "student",
    "vta/qa_dev": "student",
    "students/open": "student",
    "fresh/chat_vs_course/cs1qa_questions_en": "student",
    "fresh/syllabusqa/questions": "student",
    "fresh/muli_d2l_zh/questions": "student",
    "fresh/zoomcamp/faq": "student",
    "fresh/chat_vs_course/en": "student",
    "fresh/chat_vs_course/zh": "student",
}
"""Each file with the role of its rows; "harmless" are requests with trigger words, most of no course."""
FAMILIES = ("synthetic-ta", "PurpleLlama")
"""A source of attacks in Chinese, and one in English."""


def read(folder: Path, families: dict[str, str]) -> tuple[list[Labelled], str]:
    """All rows, each text once, with the hash of the files; `families` is filled with text to source."""
    digest, rows = hashlib.sha256(), [*training.own_texts(), *training.innocent_texts()]
    seen: set[str] = set()
    for name, role in FILES.items():
        file = folder / f"{name}.jsonl"
        digest.update(file.read_bytes())
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            text = row.get("text", row.get("question"))
            if not isinstance(text, str) or not any(map(str.isalnum, text)) or text in seen:
                continue
            seen.add(text)
            kind = row["kind"] if role in ("zh", "en") else None
            if kind is not None and kind not in KINDS:
                raise ValueError(f"unknown kind {kind!r}")
            families[text] = row.get("source", "")
            its_role = "chat" if row.get("label") in ("chat", "other_task") else role
            rows.append(
                Labelled(
                    text=text,
                    kind=kind,
                    group=row.get("group") or row.get("syllabus") or text,
                    role=its_role,
                    look_alike=role in ("look_alike", "harmless"),
                )
            )
    return rows, digest.hexdigest()[:16]


def shares(rows: Sequence[Labelled], flagged: np.ndarray) -> dict[str, float]:
    """The share flagged of each role."""
    roles = ("zh", "en", "student", "innocent", "look_alike", "harmless", "other", "chat")
    return {
        role: round(float(flagged[[row.role == role for row in rows]].mean()), 4)
        for role in roles
        if any(row.role == role for row in rows)
    }


def cross_validate(rows: list[Labelled], logits: np.ndarray) -> dict[str, float]:
    """Shares flagged, the held-out `logits` and the thresholds both from other groups."""
    counted = [i for i, row in enumerate(rows) if row.group != OWN]
    groups = sorted({rows[i].group for i in counted})
    part = {group: n % FOLDS for n, group in enumerate(np.random.default_rng(SEED + 100).permutation(groups))}
    flagged = np.zeros(len(rows), dtype=bool)
    for n in range(FOLDS):
        others = [i for i in counted if part[rows[i].group] != n]
        threshold = training.choose_threshold([rows[i] for i in others], logits[others], AT_MOST)
        here = [i for i in counted if part[rows[i].group] == n]
        flagged[here] = logits[here] > threshold
    return shares([rows[i] for i in counted], flagged[counted])


def hold_family(rows: list[Labelled], inside: Callable[[Labelled], bool]) -> dict[str, object]:
    """Recall on a family of sources that was not trained on, and what a third of the harmless rows pay."""
    third = np.random.default_rng(0).random(len(rows)) < 1 / 3
    held = [
        inside(row) or (bool(t) and row.kind is None and row.group != OWN)
        for row, t in zip(rows, third, strict=True)
    ]
    kept = [row for row, out in zip(rows, held, strict=True) if not out]
    logits = training.hold_out(kept, folds=FOLDS, seed=SEED)
    measured = [i for i, row in enumerate(kept) if row.group != OWN]
    threshold = training.choose_threshold([kept[i] for i in measured], logits[measured], AT_MOST)
    out = [row for row, away in zip(rows, held, strict=True) if away]
    flagged = training.score(training.fit(kept), out) > threshold
    return {"n": sum(map(inside, out)), "flagged": shares(out, flagged)}


def run(data: Path, weights: Path) -> dict[str, Any]:
    """Writes the weights into the folder `weights`."""
    families: dict[str, str] = {}
    rows, data_sha256 = read(data, families)
    logits = training.hold_out(rows, folds=FOLDS, seed=SEED)
    held = {
        f"{language} {family}": hold_family(
            rows, lambda row, f=family, r=language: row.role == r and f in families.get(row.text, "")
        )
        for language in ("zh", "en")
        for family in FAMILIES
        if any(row.role == language and family in families.get(row.text, "") for row in rows)
    }
    counted = [i for i, row in enumerate(rows) if row.group != OWN]
    threshold = training.choose_threshold([rows[i] for i in counted], logits[counted], AT_MOST)
    guard = training.write(training.fit(rows), threshold, weights)
    unseen = [text for label, _, text in read_table("unseen") if label == "other"]
    roles = {role: sum(row.role == role for row in rows) for role in sorted({row.role for row in rows})}
    return {
        "data_sha256": data_sha256,
        "rows": roles,
        "folds": FOLDS,
        "seed": SEED,
        "aimed_at": AT_MOST,
        "cross_validated": cross_validate(rows, logits),
        "unseen": {"n": len(unseen), "flagged": sum(guard.inspect(text).flag for text in unseen)},
        "family_held_out": held,
        "threshold": round(threshold, 4),
        "ngrams": len(guard.layer.keys),
        "weights_bytes": (weights / training.WEIGHTS).stat().st_size,
    }
