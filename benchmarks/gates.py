"""Fit and measure the gates before an answer, each course held out in turn.

python -m benchmarks gates HOME ../shared/data [--write]

HOME is a data folder with the courses of students/, their graphs built. Measured is the choice of small talk
and other tasks: the courses' questions against small talk of students and of the open sets, asked in every
course of its language. The classifier was fitted on the open sets, so their intents are those of a wide layer
fitted on two thirds of them without the text. `--write` writes vta/dialogue/gate.toml.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.fitting import fit_logistic, write_weights
from benchmarks.intent_on_open_sets import FOLDS, drop_repeated, guess_label, read_rows
from benchmarks.intent_on_open_sets import fit as fit_layer
from benchmarks.record import ROOT
from benchmarks.student_turns import interval, read_turns
from intent.albert import AlbertIntentClassifier, mix, soften, to_prediction
from intent.wide import other_task
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.dialogue.follow_up import find_operation, stands_alone
from vta.dialogue.gate import WEIGHTS, read_features
from vta.dialogue.routing import relevance_of
from vta.languages import Language
from vta.text import Analyser, detect_language, normalise
from vta.types.courses import Course, CourseId
from vta.types.pairs import Candidate
from vta.types.questions import IntentPrediction

Floats = NDArray[np.float64]
RIDGE = 1e-3
LOST = 0.009
"""The share of the known courses' questions that may be lost."""
COUNTS = {"students": 3.0, "open": 0.3, "elsewhere": 0.4, "off": 0.0}
"""How much a row of each source counts: "elsewhere" are questions of other courses, "off" is not fitted."""


@dataclass(frozen=True)
class Row:
    course: str
    source: str
    is_talk: bool
    language: str
    features: dict[str, float]


class Reader:
    """Reads questions with what a course holds on them."""

    def __init__(self, platform: Platform) -> None:
        self.platform, self.knowledge, self.analyser = platform, platform.knowledge.current(), Analyser()

    def course(self, course_id: str) -> Course:
        return self.platform.stores.courses.course(CourseId(course_id))

    def found(self, text: str, course: Course, top: int = 2) -> tuple[Candidate, ...]:
        mentions = self.knowledge.linker.link(text, course=course)
        return self.knowledge.ranker.rank(
            text, course=course, mentions=mentions, chit_chat=0.0, top=top
        ).candidates

    def alone(self, question: str, course: Course) -> bool:
        mentions = self.knowledge.linker.link(question, course=course)
        if not mentions and find_operation(question, Language(course.language)) is not None:
            return False
        return stands_alone(question, mentions, self.analyser)

    def row(
        self, text: str, course: Course, source: str, intent: IntentPrediction, *, talk: bool, head: str = ""
    ) -> Row:
        goes_on = bool(head) and not self.alone(text, course)
        found = self.found(f"{head} {text}" if goes_on else text, course)
        named = not goes_on and bool(self.knowledge.linker.link(text, course=course))
        best = max(map(relevance_of, found), default=0.0)
        features = read_features(intent, best, named=named)
        return Row(course.id, source, talk, detect_language(text, course.language), features)


def intents_held_out(data: Path) -> dict[str, IntentPrediction]:
    """Of the texts of the open sets, by a wide layer that was fitted without them."""
    classifier = AlbertIntentClassifier.load()
    rows = drop_repeated(read_rows(data))
    deep = classifier.deep([row.turn for row in rows])
    rows = [guess_label(row, logits) for row, logits in zip(rows, deep, strict=True)]
    chance, dealt = random.Random(5), dict[str, int]()
    folds = [dealt.setdefault(row.session or normalise(row.text), chance.randrange(FOLDS)) for row in rows]
    found: dict[str, IntentPrediction] = {}
    for fold in range(FOLDS):
        layer = fit_layer([row for row, own in zip(rows, folds, strict=True) if own != fold], None)
        places = [n for n, own in enumerate(folds) if own == fold]
        outputs = layer.outputs([rows[n].turn for n in places])
        shares = soften(mix(deep[places], outputs, 0.55), 1.0)
        for n, row, task in zip(places, shares, other_task(outputs), strict=True):
            found[rows[n].text] = to_prediction(row, other_task=float(task))
    return found


def read_talk(reader: Reader, data: Path, turns: list[dict[str, Any]], heads: dict[str, str]) -> list[Row]:
    """The turns of students, and the small talk and other tasks of the open sets in all courses."""
    rows, before = [], dict[str, str]()
    for row in turns:
        course, previous = reader.course(row["course"]), before.get(row["conversation"], "")
        before[row["conversation"]] = row["question"]
        is_talk = row["answerable"] == "chat" or row["kind"] == "off"
        is_asked = row["answerable"] is True
        is_operation = previous and find_operation(row["question"], Language(course.language))
        if (is_talk or is_asked) and not is_operation:
            intents = reader.platform.reader.intents
            intent = intents.predict(row["question"], previous=previous, course=course.name)
            head = heads[row["conversation"]] if previous else ""
            source = "off" if row["kind"] == "off" else "students"
            rows.append(reader.row(row["question"], course, source, intent, talk=is_talk, head=head))
    courses = [reader.course(each) for each in sorted({row["course"] for row in turns})]
    intents = intents_held_out(data)
    for name in ("en", "zh"):
        path = data / f"fresh/chat_vs_course/{name}.jsonl"
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if line["text"] in intents:
                talk, intent = line["label"] != "course", intents[line["text"]]
                rows += [
                    reader.row(line["text"], course, "open" if talk else "elsewhere", intent, talk=talk)
                    for course in courses
                    if course.language == name
                ]
    return rows


def fit(rows: list[Row]) -> Floats:
    """Bias and weights; the bias is where `LOST` of the courses' questions are above 0."""
    x, talk = as_matrix(rows), np.array([row.is_talk for row in rows])
    share = np.array([COUNTS[row.source] for row in rows])
    w = fit_logistic(x[:, 1:], talk, share / share.sum(), ridge=2 * RIDGE)
    own = np.array([row.source == "students" and not row.is_talk for row in rows])
    w[0] -= np.quantile((x @ w)[own], 1 - LOST)
    return w


def as_matrix(rows: list[Row]) -> Floats:
    return np.array([[1.0, *row.features.values()] for row in rows])


def measure_talk(rows: list[Row], scores: Floats) -> dict[str, Any]:
    """The share taken for small talk: of the courses' questions, and of small talk and other tasks."""
    figures = {}
    for source, talk in (
        *(("students", False), ("elsewhere", False)),
        *(("students", True), ("off", True), ("open", True)),
    ):
        for language in ("en", "zh"):
            own = [
                float(score > 0)
                for row, score in zip(rows, scores, strict=True)
                if (row.source, row.is_talk, row.language) == (source, talk, language)
            ]
            name = f"{'caught' if talk else 'lost'}, {source}, {language}"
            figures[name] = {"n": len(own), "share": interval(own)}
    asked = [
        float(score > 0)
        for row, score in zip(rows, scores, strict=True)
        if row.source == "students" and not row.is_talk
    ]
    return {"lost": {"n": len(asked), "share": interval(asked)}, **figures}


def run(home: Path, data: Path, *, write: bool = False) -> dict[str, Any]:
    """`write`: write the weights fitted to all courses."""
    turns, heads = read_turns(data)
    platform = build_platform(Settings(home=home))
    rows = read_talk(Reader(platform), data, turns, heads)
    platform.close()
    x, left_out = as_matrix(rows), np.zeros(len(rows))
    for course in {row.course for row in rows}:
        out = np.array([row.course == course for row in rows])
        left_out[out] = x[out] @ fit([row for row in rows if row.course != course])
    w = fit(rows)
    if write:
        weights = dict(zip(("bias", *rows[0].features), w, strict=True))
        write_weights(ROOT / "vta" / "dialogue" / WEIGHTS, made_by="gates", digits=4, weights=weights)
    return {"left_out": measure_talk(rows, left_out), "known": measure_talk(rows, x @ w)}
