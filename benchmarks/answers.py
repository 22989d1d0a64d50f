"""Ask the students' turns without a language model, each course held out of the order of passages, and score.

python -m benchmarks answers HOME ../shared/data

HOME is a data folder with the courses of students/, their graphs built; it is copied, not changed. `coverage`
are the turns, small talk apart, that are answered outright or as the closest place with at least this
relevance, `risk` the share of them that is not right. `even` is the relevance at which a place is as likely
right as not: a logistic regression on its logit, over all courses and with each held out.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks import order
from benchmarks.student_turns import interval, read_turns
from services.dialogue.answers import answer_out
from services.settings import Settings
from services.wiring import build_platform
from vta.dialogue import deciding
from vta.dialogue.teaching import choosing
from vta.scoring import Trees
from vta.types.answers import Route
from vta.types.courses import CourseId, SessionId
from vta.types.questions import Question

Asked = dict[str, Any]
SHARES = np.arange(0.1, 1.01, 0.1)


def ask(home: Path, turns: Sequence[Asked], trees: dict[str, Trees]) -> list[Asked]:
    """Every turn with its verdict and, where it was looked up, the relevance of what was found."""
    import score  # beside the data

    decided: list[deciding.Decision] = []
    course_asked = ""
    decide = deciding.decide

    def noted(*given: Any, **named: Any) -> deciding.Decision:
        decided.append(decide(*given, **named))
        return decided[-1]

    deciding.decide = noted
    choosing.shipped_trees = lambda: trees[course_asked]  # type: ignore[assignment]
    platform = build_platform(Settings(home=home))
    sessions: dict[str, SessionId] = {}
    last: dict[str, dict[str, object]] = {}
    found = []
    for turn in turns:
        course_asked, conversation = turn["course"], turn["conversation"]
        decided.clear()
        question = Question(
            course_id=CourseId(course_asked), text=turn["question"], session_id=sessions.get(conversation)
        )
        answer = asyncio.run(platform.assistant.answer(question))
        out = answer_out(answer)
        verdict, _, cited, length = score.judge(turn, out, last.get(conversation))
        sessions[conversation], last[conversation] = answer.session_id, out
        is_taught = bool(decided) and answer.route is Route.CHAIN_OF_TEACH
        relevance = decided[-1].relevance if is_taught else None
        found.append({**turn, "verdict": verdict, "cited": cited, "length": length, "relevance": relevance})
    platform.close()
    return found


def figures(turns: Sequence[Asked]) -> dict[str, list[float]]:
    """The figures of score.py with their intervals."""
    answerable = [t for t in turns if t["answerable"] is True]
    later = [t for t in answerable if t["turn"]]

    def share(of: Sequence[Asked], *verdicts: str) -> list[float]:
        return interval([float(t["verdict"] in verdicts) for t in of])

    return {
        "right": share(turns, "right"),
        "answerable right": share(answerable, "right"),
        "later right": share(later, "right"),
        "wrong": share(turns, "wrong"),
        "first citation": interval([float(t["cited"]) for t in turns if t["cited"] is not None]),
        "within the longest": interval(
            [float(t["verdict"] == "right" and t["length"] <= t["longest"]) for t in turns]
        ),
    }


def curve(turns: Sequence[Asked]) -> list[dict[str, float]]:
    """Coverage and risk from the surest place on."""
    chances, right = _places(turns)
    ordered = np.argsort(-chances, kind="stable")
    wrong = 1 - right[ordered]
    counts = np.ceil(SHARES * len(ordered)).astype(int)
    return [
        {
            "coverage": round(float(share), 1),
            "risk": round(float(wrong[:n].mean()), 3),
            "from": round(float(chances[ordered][n - 1]), 3),
        }
        for share, n in zip(SHARES, counts, strict=True)
    ]


def even(turns: Sequence[Asked]) -> float:
    """The relevance at which a place is as likely right as not."""
    chances, right = _places(turns)
    logits = np.log(chances / (1 - chances))

    def loss(given: NDArray[np.float64]) -> float:
        z = given[0] * logits + given[1]
        return float(np.mean(np.logaddexp(0, z) - right * z))

    scale, shift = minimize(loss, np.array([1.0, 0.0])).x
    return round(float(1 / (1 + np.exp(shift / scale))), 3)


def _places(turns: Sequence[Asked]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    shown = [t for t in turns if t["relevance"] is not None and t["answerable"] != "chat"]
    chances = np.clip([t["relevance"] for t in shown], 1e-3, 1 - 1e-3)
    return chances, np.array([float(t["verdict"] == "right" and t["answerable"] is True) for t in shown])


def run(home: Path, data: Path) -> dict[str, Any]:
    """Figures of all turns and by course, the curve of coverage and risk, and `even`."""
    turns, _ = read_turns(data)
    rows = order.read_rows(home, data)
    courses = sorted({turn["course"] for turn in turns})
    trees = {course: order.fit([row for row in rows if row.course != course]) for course in courses}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / "home"
        shutil.copytree(home, copy)
        asked = ask(copy, turns, trees)
    by_course = {course: [turn for turn in asked if turn["course"] == course] for course in courses}
    return {
        "n": len(asked),
        "all": figures(asked),
        "courses": {course: figures(of)["right"] for course, of in by_course.items()},
        "curve": curve(asked),
        "even": even(asked),
        "even, held out": {
            course: even([turn for turn in asked if turn["course"] != course]) for course in courses
        },
    }
