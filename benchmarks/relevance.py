"""Fit and measure the learned relevance on judged sets, each held out in turn.

python -m benchmarks relevance ../shared/data [--write]

Every set is a platform of its own with the shipped settings. w is fitted as a conditional logit over the
candidates of a question and "none of them", each set counting alike; the scale and b after Platt, on the
first candidates of sets held out. `--write` writes knowledge/relevance.toml.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.fitting import write_weights
from benchmarks.record import ROOT
from benchmarks.relevance_sets import JudgedCourse, judged_courses
from knowledge.learned_ranking import DEPTH, LearnedRanker
from knowledge.relevance import WEIGHTS
from lab.measures.intervals import bootstrap_interval
from services.settings import Settings
from services.wiring import build_platform
from vta.patterns import read_table

Floats = NDArray[np.float64]
NAMES = tuple(name for name in read_table("knowledge", WEIGHTS)["vectors"] if name != "bias")
WORDS = tuple(name for name in read_table("knowledge", WEIGHTS)["words"] if name != "bias")
RIDGE = 1e-3
FIRST = (1, 3, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The candidates of a question, n x len(NAMES), with S, what they count as, and whether they answer.

    `answerable`: something in the course answers, be it among the candidates or not.
    """

    features: Floats
    scores: Floats
    places: tuple[str, ...]
    right: NDArray[np.bool_]
    answerable: bool


Sets = dict[str, list[Question]]


def read_set(course: JudgedCourse, *, vectors: bool) -> list[Question]:
    """Every question of a course with its candidates, on a new platform."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        vta = build_platform(Settings(home=Path(home)))
        try:
            course.fill(vta)
            known = vta.knowledge.current()
            ranker = known.ranker
            assert isinstance(ranker, LearnedRanker)
            if not vectors:
                ranker = LearnedRanker(ranker.by_words)
            found = []
            for text, right in course.judge(vta):
                intent = vta.reader.intents.predict(text, course=course.course.name)
                asked = ranker.by_words.ask(
                    text,
                    course=course.course,
                    mentions=known.linker.link(text, course=course.course),
                    chit_chat=intent.chit_chat,
                )
                read = ranker.read(ranker.gather(asked, DEPTH))
                found.append(
                    Question(
                        features=np.array([each.features for each in read]).reshape(-1, len(NAMES)),
                        scores=np.array([each.candidate.score for each in read]),
                        places=tuple(course.place(each.candidate.pair) for each in read),
                        right=np.array([each.candidate.pair.id in right for each in read], dtype=bool),
                        answerable=bool(right),
                    )
                )
            return found
        finally:
            vta.close()


def fit(sets: Sequence[Sequence[Question]], names: Sequence[str]) -> Floats:
    """w and b of a conditional logit, each set counting alike; the utility of "none of them" is 0."""
    columns = [NAMES.index(name) for name in names]
    chosen = [(q, 1 / len(each)) for each in sets for q in each if q.right.any() or not q.answerable]
    x = np.vstack([q.features[:, columns] for q, _ in chosen])
    of = np.repeat(np.arange(len(chosen)), [len(q.right) for q, _ in chosen])
    right = np.concatenate([q.right for q, _ in chosen]).astype(float)
    some = np.array([q.right.any() for q, _ in chosen])
    share = np.array([weight for _, weight in chosen])
    share /= share.sum()
    mean, spread = x.mean(axis=0), x.std(axis=0)
    spread[spread == 0] = 1.0
    x = (x - mean) / spread

    def loss(given: Floats) -> tuple[float, Floats]:
        utility = x @ given[:-1] + given[-1]
        highest = np.zeros(len(chosen))
        np.maximum.at(highest, of, utility)
        e, none = np.exp(utility - highest[of]), np.exp(-highest)
        whole = np.bincount(of, e, len(chosen)) + none
        wanted = np.where(some, np.bincount(of, e * right, len(chosen)), none)
        slope = (e / whole[of] - np.where(some[of], e * right / wanted[of], 0.0)) * share[of]
        value = share @ (np.log(whole) - np.log(wanted)) + RIDGE * given[:-1] @ given[:-1]
        return float(value), np.append(x.T @ slope + 2 * RIDGE * given[:-1], slope.sum())

    found = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B").x
    w = found[:-1] / spread
    return np.append(w, found[-1] - w @ mean)


def utilities(question: Question, weights: Floats, names: Sequence[str]) -> Floats:
    return np.asarray(
        question.features[:, [NAMES.index(name) for name in names]] @ weights[:-1] + weights[-1]
    )


def platt(sets: Sequence[Sequence[tuple[float, bool]]]) -> tuple[float, float]:
    """Scale and shift of utilities, by which the first candidate is right with the probability it has."""
    rows = [(u, right, 1 / len(each)) for each in sets for u, right in each]
    u, right, share = (np.array(column, dtype=float) for column in zip(*rows, strict=True))

    def loss(given: Floats) -> float:
        logit = given[0] * u + given[1]
        return float(share @ (np.logaddexp(0, logit) - right * logit))

    scale, shift = minimize(loss, np.array([1.0, 0.0])).x
    return float(scale), float(shift)


def weights_without(sets: Sets, name: str, names: Sequence[str]) -> Floats:
    """w and b of the sets of other families."""
    return fit([each for other, each in sets.items() if family(other) != family(name)], names)


def utilities_of(sets: Sets, weights: Mapping[str, Floats], names: Sequence[str]) -> dict[str, list[Floats]]:
    """The utilities of the candidates of each question, by the weights of its set."""
    return {
        name: [utilities(question, weights[name], names) for question in questions]
        for name, questions in sets.items()
    }


def family(name: str) -> str:
    """What is held out whole; of the two directions across languages each alone, as no other set has such
    questions.
    """
    kind, _, part = name.partition("/")
    asked, _, book = part.partition("-on-")
    return name if kind == "book" and asked != book else kind


def fitted(sets: Sets, names: Sequence[str]) -> tuple[dict[str, float], dict[str, list[Floats]]]:
    """Weights from all sets, and the utilities of each set's candidates with its family held out."""
    by_others = {name: weights_without(sets, name, names) for name in sets}
    orders = utilities_of(sets, by_others, names)
    tops = [
        [(float(u.max()), bool(q.right[u.argmax()])) for q, u in zip(sets[name], us, strict=True) if len(u)]
        for name, us in orders.items()
    ]
    scale, shift = platt(tops)
    weights = fit(list(sets.values()), names)
    table = dict(zip(("bias", *names), (weights[-1] * scale + shift, *weights[:-1] * scale), strict=True))
    return {name: round(float(value), 4) for name, value in table.items()}, orders


def hits(questions: Sequence[Question], orders: Sequence[Floats]) -> dict[str, object]:
    """Shares of the answerable questions whose first places hold a right one, with the interval at 1."""
    found: dict[int, list[float]] = defaultdict(list)
    for question, order in zip(questions, orders, strict=True):
        if not question.answerable:
            continue
        first: dict[str, bool] = {}
        rightful = {place for place, right in zip(question.places, question.right, strict=True) if right}
        for n in np.argsort(-order, kind="stable"):
            first.setdefault(question.places[n], question.places[n] in rightful)
        for k in FIRST:
            found[k].append(float(any(list(first.values())[:k])))
    low, high = bootstrap_interval(found[1], seed=0)
    shares = {f"hit@{k}": round(float(np.mean(each)), 3) for k, each in found.items()}
    return {"n": len(found[1]), **shares, "hit@1_interval_95": [round(low, 3), round(high, 3)]}


def run(data: Path, *, write: bool = False) -> dict[str, Any]:
    """`write`: write the weights fitted to all sets."""
    full, plain = dict[str, list[Question]](), dict[str, list[Question]]()
    for course in judged_courses(data):
        full[course.name] = read_set(course, vectors=True)
        if not course.foreign:
            plain[course.name] = read_set(course, vectors=False)
    full, plain = joined(full), joined(plain)
    (weights, orders), (by_words, plain_orders) = fitted(full, NAMES), fitted(plain, WORDS)
    cosine = NAMES.index("similarity")
    sets: dict[str, Any] = {}
    for name, questions in full.items():
        ranked = {
            "learned, held out": hits(questions, orders[name]),
            "S": hits(questions, [q.scores for q in questions]),
            "cosine": hits(questions, [q.features[:, cosine] for q in questions]),
        }
        if name in plain:
            ranked["learned without encoder, held out"] = hits(plain[name], plain_orders[name])
        sets[name] = {"ranked": ranked}
    tables = {"vectors": weights, "words": by_words}
    if write:
        write_weights(ROOT / "knowledge" / WEIGHTS, made_by="relevance", digits=4, **tables)
    return {"sets": sets, "weights": tables}


def joined(sets: Sets) -> Sets:
    """Courses of one kind as one set: the name up to the second "/"."""
    found: Sets = defaultdict(list)
    for name, questions in sets.items():
        found["/".join(name.split("/")[:2])] += questions
    return dict(found)
