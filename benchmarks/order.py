"""Fit and measure the learned order of passages, each course held out in turn.

.venv/bin/python benchmarks/order.py HOME ../shared/data [--fit] [--json docs/runs/order.json]

HOME is a data folder with the courses of students/, their graphs built. A passage counts by the share of the
rubric's facts that its excerpt holds; a later turn is searched with the question that opened its
conversation. `first` and `two` are the shares of turns all of whose facts stand in the excerpts of the first
one and two. `without` leaves out one sign. `--fit` writes vta/dialogue/teaching/order.npz, from all courses.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray
from student_turns import interval, read_options, read_turns

from knowledge.vectors.token_table import shipped_encoder
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.choosing import Chooser
from vta.dialogue.teaching.order import TREES, PassageSigns, Trees
from vta.text import Analyser
from vta.types.courses import CourseId

Floats = NDArray[np.float64]
NAMES = tuple(field.name for field in fields(PassageSigns))
JUDGED = 12
GRADES = 3
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
    """A turn: the signs of its candidates (n, k), and which of its facts the excerpt of each holds (n, m)."""

    course: str
    later: bool
    signs: tuple[PassageSigns, ...]
    facts: NDArray[np.bool_]

    @property
    def grades(self) -> NDArray[np.int64]:
        return np.round(self.facts.mean(axis=1) * GRADES).astype(int)

    def holds(self, scores: Floats, first: int) -> float:
        """Whether the excerpts of the first so many hold all facts together."""
        order = np.argsort(-scores, kind="stable")[:first]
        return float(self.facts[order].any(axis=0).all())


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
        chooser = Chooser(asked, candidates, embedder=shipped_encoder())
        facts = []
        for n, candidate in enumerate(candidates, start=1):
            shown = "".join(excerpt.text for excerpt in chooser.excerpts([n]))
            said = score.norm(f"{candidate.pair.question}\n{shown}")
            facts.append([any(score.found(p, said) for p in fact) for fact in row["must"]])
        return Row(row["course"], row["turn"] > 0, tuple(chooser.signs), np.array(facts))


def fit(rows: Sequence[Row], names: Sequence[str] = NAMES) -> Trees:
    """Trees of all seeds together, of the signs of these names."""
    x = np.vstack([[astuple(signs) for signs in row.signs] for row in rows])
    x[:, [name not in names for name in NAMES]] = 0.0
    grades, sizes = np.concatenate([row.grades for row in rows]), [len(row.signs) for row in rows]
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


def left_out(rows: Sequence[Row], names: Sequence[str] = NAMES) -> list[Floats]:
    """The scores of each row's candidates by the trees of the other courses."""
    scores: list[Floats] = [np.zeros(0)] * len(rows)
    for course in sorted({row.course for row in rows}):
        trees = fit([row for row in rows if row.course != course], names)
        for n, row in enumerate(rows):
            if row.course == course:
                scores[n] = trees.scores(row.signs).astype(float)
    return scores


def measure(rows: Sequence[Row], scores: Sequence[Floats]) -> dict[str, Any]:
    """For first and later turns: how often one and two excerpts hold all facts."""
    found: dict[str, Any] = {}
    for name, later in (("first turns", False), ("later turns", True)):
        of = [(row, each) for row, each in zip(rows, scores, strict=True) if row.later is later]
        found[name] = {
            "n": len(of),
            "first": interval([row.holds(each, 1) for row, each in of]),
            "two": interval([row.holds(each, 2) for row, each in of]),
        }
    return found


def main() -> None:
    options = read_options(__doc__)
    rows = read_rows(options.home, options.data)
    found: dict[str, Any] = {
        "command": "benchmarks/order.py HOME ../shared/data --fit",
        "as found": measure(rows, [-np.arange(len(row.signs), dtype=float) for row in rows]),
        "left out": measure(rows, left_out(rows)),
    }
    trees = fit(rows)
    found["known"] = measure(rows, [trees.scores(row.signs).astype(float) for row in rows])
    if options.json:
        found["without"] = {
            name: measure(rows, left_out(rows, [each for each in NAMES if each != name])) for name in NAMES
        }
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(json.dumps({name: found[name] for name in list(found)[:4]}, indent=1) + "\n")
    if options.fit:
        place = Path(__file__).parents[1] / "vta" / "dialogue" / "teaching" / TREES
        arrays = {field.name: getattr(trees, field.name) for field in fields(Trees)}
        np.savez_compressed(place, **arrays)


if __name__ == "__main__":
    main()
