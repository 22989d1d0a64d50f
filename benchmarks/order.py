"""Fit and measure the learned order of excerpts, each course held out in turn.

python -m benchmarks order HOME ../shared/data [--write]

HOME is a data folder with the courses of students/, their graphs built. Every excerpt of the first candidates
is judged: one point where it holds all facts of the rubric, one where its passage is the right place and
holds most of them. A later turn is searched with the question that opened its conversation. `first` is the
share of turns whose first excerpt holds all facts, `cited` of those whose first place is right, `three` of
those all of whose facts stand in the passages of the first three. `--write` writes
vta/dialogue/teaching/order.npz, from all courses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray

from benchmarks.record import ROOT
from benchmarks.student_turns import interval, read_turns
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.choosing import Chooser
from vta.dialogue.teaching.order import TREES
from vta.scoring import Trees, pack
from vta.text import Analyser
from vta.types.courses import CourseId
from vta.types.pairs import Candidate

Floats = NDArray[np.float64]
JUDGED = 12
GRADES = 2
SEEDS = (0, 1, 2)
ROUNDS = 100
LEAVES = 7
SETTINGS = {
    "objective": "lambdarank",
    "label_gain": [2**grade - 1 for grade in range(GRADES + 1)],
    "lambdarank_truncation_level": 5,
    "num_leaves": LEAVES,
    "learning_rate": 0.05,
    "min_child_samples": 20,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "num_threads": 1,
    "deterministic": True,
    "verbose": -1,
}


@dataclass(frozen=True)
class Row:
    """A turn with the features of its n excerpts.

    `of` is the candidate of each, `right` whether it holds all facts, `cited` whether its passage is the
    right place (n); `facts` are those that each candidate holds (k, m).
    """

    course: str
    later: bool
    features: NDArray[np.float32]
    of: NDArray[np.int64]
    right: NDArray[np.bool_]
    cited: NDArray[np.bool_]
    facts: NDArray[np.bool_]

    @property
    def grades(self) -> NDArray[np.int64]:
        return self.right.astype(int) + self.cited.astype(int)

    def judge(self, scores: Floats) -> tuple[float, float, float]:
        """Whether the first excerpt is right, its place is, and the first three places hold all facts."""
        order = np.argsort(-scores, kind="stable")
        places = list(dict.fromkeys(self.of[order]))[:3]
        first = order[0]
        return float(self.right[first]), float(self.cited[first]), float(self.facts[places].any(axis=0).all())


def read_rows(home: Path, data: Path) -> list[Row]:
    """The turns that their courses answer."""
    turns, heads = read_turns(data)
    platform = build_platform(Settings(home=home))
    read = _Reader(platform)
    rows = [read(row, heads[row["conversation"]]) for row in turns if row["answerable"] is True]
    platform.close()
    return [row for row in rows if row is not None]


class _Reader:
    """Reads one row after the question that opened its conversation."""

    def __init__(self, platform: Platform) -> None:
        self._platform, self._knowledge, self._analyser = platform, platform.knowledge.current(), Analyser()

    def __call__(self, row: dict[str, Any], head: str) -> Row | None:
        import score  # beside the data

        course = self._platform.stores.courses.course(CourseId(row["course"]))
        question = row["question"]
        searched = f"{head} {question}" if row["turn"] else question
        mentions = self._knowledge.linker.link(searched, course=course)
        candidates = self._knowledge.ranker.rank(
            searched, course=course, mentions=mentions, chit_chat=0.0, top=JUDGED
        ).candidates
        if not candidates:
            return None
        concepts = [mention.concept for mention in mentions]
        asked = Asked(question, candidates, analyser=self._analyser, concepts=concepts, searched=searched)
        chooser = Chooser(asked, candidates)
        if not chooser.windows:
            return None

        def held(text: str) -> list[bool]:
            said = score.norm(text)
            return [any(score.found(p, said) for p in fact) for fact in row["must"]]

        facts = np.array([held(candidate.pair.answer) for candidate in candidates])
        named = np.array([_is_named(row["sources"], candidate) for candidate in candidates])
        of = np.array([window.n - 1 for window in chooser.windows])
        right = np.array([all(held(chooser.show(window).text)) for window in chooser.windows])
        return Row(
            row["course"],
            row["turn"] > 0,
            chooser.features,
            of=of,
            right=right,
            cited=(named & (2 * facts.sum(axis=1) > facts.shape[1]))[of],
            facts=facts,
        )


def _is_named(sources: Sequence[str], candidate: Candidate) -> bool:
    pair = candidate.pair
    place = " | ".join([pair.question, pair.document or "", *pair.locator.heading_path]).lower()
    return any(source.lower() in place for source in sources)


def fit(rows: Sequence[Row]) -> Trees:
    """Trees of all seeds together."""
    x = np.vstack([row.features for row in rows]).astype(float)
    grades, sizes = np.concatenate([row.grades for row in rows]), [len(row.features) for row in rows]
    found = []
    for seed in SEEDS:
        given = lightgbm.Dataset(x, grades, group=sizes)
        model = lightgbm.train({**SETTINGS, "seed": seed}, given, ROUNDS)
        found += [tree["tree_structure"] for tree in model.dump_model()["tree_info"]]
    return as_arrays(found)


def as_arrays(trees: Sequence[dict[str, Any]]) -> Trees:
    """LightGBM's trees as it dumps them."""
    size = 2 * LEAVES - 1
    feature, left, right = (np.zeros((len(trees), size), dtype=np.int16) for _ in range(3))
    threshold = np.full((len(trees), size), np.inf, dtype=np.float32)
    value = np.zeros((len(trees), size), dtype=np.float32)
    deepest = 0
    for t, root in enumerate(trees):
        waiting, used = [(root, 0, 0)], 1
        while waiting:
            node, at, depth = waiting.pop()
            deepest = max(deepest, depth)
            if "split_feature" not in node:
                left[t, at] = right[t, at] = at
                value[t, at] = node["leaf_value"]
                continue
            feature[t, at], threshold[t, at] = node["split_feature"], node["threshold"]
            left[t, at], right[t, at] = used, used + 1
            waiting += [(node["left_child"], used, depth + 1), (node["right_child"], used + 1, depth + 1)]
            used += 2
    return Trees(feature, threshold, left, right, value, np.array(deepest))


def left_out(rows: Sequence[Row]) -> list[Floats]:
    """The scores of each row's candidates by the trees of the other courses."""
    scores: list[Floats] = [np.zeros(0)] * len(rows)
    for course in sorted({row.course for row in rows}):
        trees = fit([row for row in rows if row.course != course])
        for n, row in enumerate(rows):
            if row.course == course:
                scores[n] = trees.scores(row.features).astype(float)
    return scores


def measure(rows: Sequence[Row], scores: Sequence[Floats]) -> dict[str, Any]:
    """The shares of first and later turns, with intervals."""
    found: dict[str, Any] = {}
    for name, later in (("first turns", False), ("later turns", True)):
        of = [row.judge(each) for row, each in zip(rows, scores, strict=True) if row.later is later]
        shares = {
            key: interval([each[n] for each in of]) for n, key in enumerate(("first", "cited", "three"))
        }
        found[name] = {"n": len(of), **shares}
    return found


def run(home: Path, data: Path, *, write: bool = False) -> dict[str, Any]:
    """`write`: write the trees of all courses."""
    rows = read_rows(home, data)
    trees = fit(rows)
    found: dict[str, Any] = {
        "as found": measure(rows, [-np.arange(len(row.features), dtype=float) for row in rows]),
        "left out": measure(rows, left_out(rows)),
        "known": measure(rows, [trees.scores(row.features).astype(float) for row in rows]),
    }
    if write:
        (ROOT / "vta" / "dialogue" / "teaching" / TREES).write_bytes(pack(trees))
    return found
