"""Fit the weights of `concept_graph/prerequisites/signals.py`, and measure them on a field that was left out.

python -m benchmarks prerequisite_fitting ../shared/data

Fields and their sets, each a text and labelled pairs of names: geometry (a school book, AL-CPL); computer
science (the Hello Algo textbook with the pairs of University Course and of Pan 2017; the curated graph of
the sample course in its notes); machine learning (Dive into Deep Learning and the other sample course with
AL-CPL data mining and Metacademy, Chinese lecture notes with the Chinese AL-CPL, the curated graph). A set
counts by the root of its size. Dive into Deep Learning is read in its author's order, which its folders do
not tell. Of a curated graph, whose indirect prerequisites are left out, so many other pairs are drawn that
they are three of four.
Physics and precalculus of AL-CPL are not read at all. Beside ours stands "mentioned first".
"""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.explanations import read_book
from concept_graph.prerequisites import signals as model
from concept_graph.prerequisites.occurrences import read
from concept_graph.prerequisites.pairs import locate, measure_pairs
from concept_graph.prerequisites.signals import DIRECTED
from knowledge.vectors.token_table import shipped_encoder
from lab.measures.judged_pairs import best_f1, direction, f1_of
from lab.measures.metrics import roc_auc
from vta.languages import Language
from vta.scoring import logistics
from vta.text import normalise
from vta.types.courses import Course, CourseId, PairId
from vta.types.pairs import Locator, QAPair, Source

SEED, RIDGE = 0, 1.0
CURATED_OTHERS = 3
CHAPTERS = (
    "introduction", "linear-regression", "linear-classification", "multilayer-perceptrons",
    "convolutional-neural-networks", "convolutional-modern", "recurrent-neural-networks", "recurrent-modern",
    "attention-mechanisms-and-transformers", "optimization",
)  # fmt: skip
TOC = re.compile(r"```toc\n(.*?)```", re.DOTALL)
Matrix = NDArray[np.float64]
Rows = Sequence[tuple[str, str, bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A set: `related`, `directed` (k columns) and `first` (how far a's first mention is before b's) of each
    pair (a, b), its label, if both are written so; `asked`, the A of the model.

    Names that were found by their parts alone (`locate`) are measured, but nothing is fitted to them.
    """

    name: str
    field: str
    pairs: int
    asked: float
    related: Matrix
    directed: Matrix
    first: Matrix
    labels: NDArray[np.bool_]
    written: NDArray[np.bool_]


def read_sets(data: Path) -> Iterator[Judged]:
    """The sets of all fields; a set without a positive pair whose names were found would be an error."""
    geometry = data / "fresh/concepts/geometry_textbook_en"
    sections = [json.loads(line) for line in (geometry / "sections.jsonl").read_text().splitlines()]
    pairs = [json.loads(line) for line in (geometry / "pairs.jsonl").read_text().splitlines()]
    rows = [(row["prerequisite"], row["target"], row["label"] == 1) for row in pairs]
    yield _judge("geometry", "geometry", [_section(row) for row in sections], rows)
    algo = _book(data / "hello_algo/en", Language.EN)
    for file in sorted((data / "prerequisites/in_hello_algo").glob("*.tsv")):
        yield _judge(file.stem, "computer science", algo, _table(file))
    mining = _table(data / "prerequisites/al_cpl.tsv", "data_mining")
    metacademy = _table(data / "prerequisites/metacademy.tsv")
    d2l = _in_order(data / "students/d2l_material", _book(data / "students/d2l_material", Language.EN))
    yield _judge("al_cpl_data_mining__d2l", "machine learning", d2l, mining)
    yield _judge("metacademy__d2l", "machine learning", d2l, metacademy)
    muli = _book(data / "fresh/muli_d2l_zh/material", Language.ZH)
    chinese = _table(data / "prerequisites/ch_al_cpl.tsv", "data_mining")
    yield _judge("ch_al_cpl_data_mining__muli", "machine learning", muli, chinese)
    passages, curated = _sample("machine-learning-en", Language.EN)
    yield _judge("al_cpl_data_mining__sample", "machine learning", passages, mining)
    yield _judge("metacademy__sample", "machine learning", passages, metacademy)
    yield _judge("machine-learning-en", "machine learning", passages, curated)
    yield _judge("data-structures-zh", "computer science", *_sample("data-structures-zh", Language.ZH))


def _sample(course: str, language: Language) -> tuple[list[QAPair], Rows]:
    """The notes and subtitles of a sample course, and the pairs of its curated graph."""
    with as_file(files("services.demo").joinpath("courses", course, "material")) as folder:
        return _book(folder, language), _curated(next(folder.rglob("concepts.json")))


def _judge(name: str, field: str, passages: Sequence[QAPair], rows: Rows) -> Judged:
    names, signals = measure_pairs(passages, [(a, b) for a, b, _ in rows], encoder=shipped_encoder())
    if signals is None:
        raise ValueError(f"no name of {name} occurs")
    at = {each: n for n, each in enumerate(names)}
    ends = [(at.get(normalise(a)), at.get(normalise(b)), label) for a, b, label in rows]
    found = [(a, b, label) for a, b, label in ends if a is not None and b is not None]
    occurrences = locate(read(passages), names)
    sure = [each.whole for each in occurrences]
    places = np.array([each.places[0] for each in occurrences])
    first, second = np.array([a for a, *_ in found]), np.array([b for _, b, _ in found])
    return Judged(
        name=name,
        field=field,
        pairs=len(rows),
        asked=model.asked_related(signals, zip(first.tolist(), second.tolist(), strict=True)),
        related=signals.related[first, second],
        directed=np.stack([each[first, second] for each in signals.directed], axis=1),
        first=places[second] - places[first],
        labels=np.array([label for *_, label in found], dtype=bool),
        written=np.array([sure[a] and sure[b] for a, b, _ in found], dtype=bool),
    )


def _section(row: Mapping[str, str]) -> QAPair:
    return QAPair(
        id=PairId(row["_id"]),
        course_id=CourseId("book"),
        source=Source.MATERIAL,
        question=row["title"],
        answer=row["text"],
        document=f"{row['_id']}.md",
        locator=Locator(heading_path=(row["title"],)),
    )


def _book(folder: Path, language: Language) -> list[QAPair]:
    course = Course(id=CourseId("book"), name="Book", domains=("any",), language=language)
    return read_book(folder, course, (".md", ".srt", ".vtt"))


def _in_order(folder: Path, passages: Sequence[QAPair]) -> list[QAPair]:
    """The passages with the numbers of their pages: by chapters, and in each by its own list of pages."""
    pages: list[str] = []
    for chapter in CHAPTERS:
        index = folder / f"chapter_{chapter}" / "index.md"
        listed = TOC.search(index.read_text(encoding="utf-8")) if index.exists() else None
        pages.append(f"chapter_{chapter}/index.md")
        pages += [f"chapter_{chapter}/{page}.md" for page in (listed[1].split() if listed else ())]
    at = {page: n for n, page in enumerate(pages)}
    numbered = ((at.get(each.document or "", len(at)), each) for each in passages)
    return [replace(each, document=f"{number:03}/{each.document}") for number, each in numbered]


def _table(file: Path, domain: str | None = None) -> Rows:
    with file.open(encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        (row["concept_a"], row["concept_b"], row["label"] == "1")
        for row in rows
        if domain in (None, row["domain"])
    ]


def _curated(file: Path) -> Rows:
    concepts = json.loads(file.read_text(encoding="utf-8"))["concepts"]
    names = [each["name"] for each in concepts]
    edges = [(before, each["name"]) for each in concepts for before in each.get("prerequisites", ())]
    implied = set(nx.transitive_closure(nx.DiGraph(edges)).edges)
    others = [(a, b) for a in names for b in names if a != b and (a, b) not in implied]
    drawn = random.Random(SEED).sample(others, CURATED_OTHERS * len(edges))
    return [*((a, b, True) for a, b in edges), *((a, b, False) for a, b in drawn)]


def fit(sets: Sequence[Judged]) -> tuple[float, float, float, Matrix]:
    """(weight of R, bias, weight of A, of the directed signals) of greatest likelihood; no weight below 0."""
    k = len(DIRECTED)

    def loss(values: Matrix) -> float:
        total = RIDGE / 2 * float((values[: k + 1] ** 2).sum())
        for each in sets:
            odds = related(each, values[0], values[k + 1], values[k + 2])
            scores = np.clip(joint(odds, each.directed @ values[1 : k + 1]), 1e-9, 1 - 1e-9)
            likelihood = np.where(each.labels, np.log(scores), np.log1p(-scores))[each.written]
            total -= float(likelihood.sum()) / len(likelihood) ** 0.5
        return total

    bounds = [(0.0, None)] * (k + 1) + [(None, None), (0.0, None)]
    best = minimize(loss, np.full(k + 3, 0.5), method="L-BFGS-B", bounds=bounds).x
    return float(best[0]), float(best[k + 1]), float(best[k + 2]), best[1 : k + 1]


def related(each: Judged, weight: float, bias: float, asked: float) -> Matrix:
    """The log odds that the pairs are related, by the formula of `concept_graph/prerequisites/signals.py`."""
    return np.asarray(weight * np.maximum(each.related, 0) + bias + asked * each.asked)


def joint(odds: Matrix, direction: Matrix) -> Matrix:
    """P(a before b) by the same formula."""
    return logistics(odds) * logistics(direction)


def score(each: Judged, weight: float, bias: float, asked: float, directed: Matrix) -> Matrix:
    """The scores of the pairs, as `model.score_names` makes them."""
    return model.combine(related(each, weight, bias, asked), each.directed @ directed)


def figures(each: Judged, scores: Matrix, order: Matrix) -> dict[str, float]:
    """AUC, F1 at the best threshold on these labels and at our own, and how many are the right way round.

    `order` is positive where a comes first.
    """
    right = order[each.labels]
    return {
        "auc": round(roc_auc(each.labels, scores) or 0.0, 3),
        "f1_best": round(best_f1(scores, each.labels), 3),
        "f1_own_threshold": round(f1_of(scores >= model.THRESHOLD, each.labels), 3),
        "direction": round(direction(right, -right) or 0.0, 3),
    }


def run(data: Path) -> dict[str, Any]:
    """Figures of each set by the weights of the other fields, and the weights of all."""
    sets = list(read_sets(data))
    measured = []
    for held in dict.fromkeys(each.field for each in sets):
        weights = fit([each for each in sets if each.field != held])
        for each in (one for one in sets if one.field == held):
            first = each.first
            measured.append(
                {
                    "set": each.name,
                    "field_left_out": held,
                    "pairs": each.pairs,
                    "found": len(each.labels),
                    "positive": int(each.labels.sum()),
                    "ours": figures(each, score(each, *weights), each.directed @ weights[3]),
                    "shipped": figures(
                        each,
                        score(each, model.RELATED, model.BIAS, model.ASKED, np.array(model.DIRECTED_WEIGHTS)),
                        each.directed @ np.array(model.DIRECTED_WEIGHTS),
                    ),
                    "mentioned_first": {
                        name: value
                        for name, value in figures(each, first, first).items()
                        if "own" not in name
                    },
                }
            )
    weight, bias, asked, directed = fit(sets)
    return {
        "seed": SEED,
        "fitted": {
            "related": round(weight, 2),
            "bias": round(bias, 2),
            "asked": round(asked, 2),
            "directed": dict(zip(DIRECTED, directed.round(2).tolist(), strict=True)),
        },
        "sets": measured,
    }
