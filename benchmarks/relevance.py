"""Fit and measure the learned relevance on judged sets, each held out in turn.

.venv/bin/python benchmarks/relevance.py ../shared/data [--fit] [--json docs/runs/relevance.json]

Every set is a platform of its own with the shipped settings. w is fitted as a conditional logit over the
candidates of a question and "none of them", each set counting alike; the scale and b after Platt, on the
first candidates of sets held out. Whether there is an answer at all is fitted on the same first candidates,
each family and both outcomes counting alike; one in ten of those without an answer is a question of another
field, in either language. `--fit` writes knowledge/relevance.toml.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fitting import fit_logistic, write_weights
from numpy.typing import NDArray
from relevance_sets import JudgedCourse, judged_courses, questions_of_other_fields
from scipy.optimize import minimize

from knowledge.learned_ranking import DEPTH, LearnedRanker
from knowledge.relevance import WEIGHTS
from lab.measures.intervals import bootstrap_interval
from services.settings import Settings
from services.wiring import build_platform
from vta.patterns import read_table
from vta.scoring import logistic
from vta.types.courses import PairId

Floats = NDArray[np.float64]
NAMES = tuple(name for name in read_table("knowledge", WEIGHTS)["vectors"] if name != "bias")
ANSWER = ("bias", "relevance", "coverage", "foreign")
"""What a second regression tells of there being an answer; it is measured here and in no product."""
WORDS = tuple(name for name in read_table("knowledge", WEIGHTS)["words"] if name != "bias")
ALONE = ("forum", "syllabi", "stard_reduced", "boolq_dev", "cmrc2018_dev", "students")
"""Families whose questions have no answer left once the pairs that are right are taken away."""
RIDGE = 1e-3
STRANGE = 0.1
"""How many of the questions without an answer are of another field, as they count in the fit."""
FIRST = (1, 3, 5)
LIMITS = (0.25, 0.3, 0.35, 0.4, 0.5)
"""Chances of an answer below which a refusal is looked at; the shipped `near` is among them."""


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
AnswerRow = tuple[Floats, bool, bool]
"""Features of a first candidate, whether it answers, and whether the question is of another field."""


def read_set(
    course: JudgedCourse, strange: Sequence[str], *, vectors: bool
) -> tuple[list[Question], list[Question]]:
    """Every question of a course with its candidates, and every strange one, on a platform of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        vta = build_platform(Settings(home=Path(home)))
        try:
            course.fill(vta)
            known = vta.knowledge.current()
            ranker = known.ranker
            assert isinstance(ranker, LearnedRanker)
            if not vectors:
                ranker = LearnedRanker(ranker.by_words)
            judged = course.judge(vta)
            found = []
            for text, right in [*judged, *((text, set[PairId]()) for text in strange)]:
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
                        features=np.array([list(features.values()) for _, features in read]).reshape(
                            -1, len(NAMES)
                        ),
                        scores=np.array([each.score for each, _ in read]),
                        places=tuple(course.place(each.pair) for each, _ in read),
                        right=np.array([each.pair.id in right for each, _ in read], dtype=bool),
                        answerable=bool(right),
                    )
                )
            return found[: len(judged)], found[len(judged) :]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """Weights of relevance and of an answer at all, from all sets; `answered` and `strange` are the chances
    with each set's family held out, in the order of its questions and of those of other fields.
    """

    relevance: dict[str, float]
    answer: dict[str, float]
    orders: dict[str, list[Floats]]
    answered: dict[str, list[float]]
    strange: dict[str, list[float]]


def fitted(sets: Sets, strangers: Sets, names: Sequence[str]) -> Fitted:
    by_others = {name: weights_without(sets, name, names) for name in sets}
    orders = utilities_of(sets, by_others, names)
    tops = [
        [(float(u.max()), bool(q.right[u.argmax()])) for q, u in zip(sets[name], us, strict=True) if len(u)]
        for name, us in orders.items()
    ]
    scale, shift = platt(tops)
    weights = fit(list(sets.values()), names)
    table = dict(zip(("bias", *names), (weights[-1] * scale + shift, *weights[:-1] * scale), strict=True))
    logits = {name: [scale * u + shift for u in us] for name, us in orders.items()}
    odd = {
        name: [scale * u + shift for u in us]
        for name, us in utilities_of(strangers, by_others, names).items()
    }
    rows = {
        name: [row for q, u in zip(sets[name], us, strict=True) for row in answer_rows(q, u, name)]
        + [(best_signs(q, u), False, True) for q, u in zip(strangers[name], odd[name], strict=True) if len(u)]
        for name, us in logits.items()
    }
    answer = fit_answer(rows)
    answered, strange = {}, {}
    for name in sets:
        others = fit_answer({n: each for n, each in rows.items() if family(n) != family(name)})
        answered[name], strange[name] = (
            [
                chance(others, best_signs(q, u)) if len(u) else 0.0
                for q, u in zip(asked[name], found[name], strict=True)
            ]
            for asked, found in ((sets, logits), (strangers, odd))
        )
    rounded = {name: round(float(value), 4) for name, value in table.items()}
    return Fitted(
        relevance=rounded,
        answer={name: round(float(value), 4) for name, value in zip(ANSWER, answer, strict=True)},
        orders=orders,
        answered=answered,
        strange=strange,
    )


def best_signs(question: Question, logits: Floats) -> Floats:
    """What tells whether the first candidate answers: 1 and the features of `ANSWER`."""
    first = dict(zip(NAMES, question.features[logits.argmax()], strict=True))
    return np.array([1.0, logits.max(), first["coverage"] * (1 - first["foreign"]), first["foreign"]])


def answer_rows(question: Question, logits: Floats, name: str) -> list[AnswerRow]:
    """A question as it is, and again without the pairs that are right."""
    found = question.right.any()
    if not len(logits) or (question.answerable and not found):
        return []
    rows = [(best_signs(question, logits), bool(found), False)]
    if found and not question.right.all() and family(name) in ALONE:
        rows.append((best_signs(question, np.where(question.right, -np.inf, logits)), False, False))
    return rows


def fit_answer(rows: Mapping[str, Sequence[AnswerRow]]) -> Floats:
    """A logistic regression in which each family, and in it both outcomes, counts alike."""
    every = [(name.split("/")[0], *row) for name, each in rows.items() for row in each]
    many = Counter((of, right, strange) for of, _, right, strange in every)
    x = np.array([features for _, features, *_ in every])
    share = np.array(
        [
            (1.0 if right else STRANGE if strange else 1 - STRANGE) / many[of, right, strange]
            for of, _, right, strange in every
        ]
    )
    right = np.array([right for *_, right, _ in every])
    return fit_logistic(x[:, 1:], right, share / share.sum(), ridge=2 * RIDGE)


def chance(weights: Floats, features: Floats) -> float:
    return logistic(float(weights @ features))


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


def refusals(questions: Sequence[Question], chances: Sequence[float], threshold: float) -> dict[str, object]:
    """Shares refused below a chance: of the questions without an answer, and of the others."""
    below: dict[bool, list[bool]] = {True: [], False: []}
    for question, answered in zip(questions, chances, strict=True):
        below[question.answerable].append(answered < threshold)
    return {
        "unanswerable": len(below[False]),
        "refused": round(float(np.mean(below[False])), 3) if below[False] else None,
        "answerable_refused": round(float(np.mean(below[True])), 3) if below[True] else None,
    }


def strange_refusals(
    questions: Sequence[Question], chances: Sequence[float], threshold: float
) -> dict[str, object]:
    """Shares of the questions of other fields refused below a chance, by the language of the best pair."""
    below: dict[bool, list[bool]] = {True: [], False: []}
    for question, answered in zip(questions, chances, strict=True):
        is_foreign = len(question.features) > 0 and question.features[:, NAMES.index("foreign")].mean() > 0.5
        below[is_foreign].append(answered < threshold)
    return {
        name: round(float(np.mean(below[foreign])), 3) if below[foreign] else None
        for name, foreign in (("same_language", False), ("other_language", True))
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--fit", action="store_true", help="write the weights")
    parser.add_argument("--json", type=Path, help="write the record here")
    given = parser.parse_args()
    record: dict[str, object] = {"command": "benchmarks/relevance.py", "seed": 0, "sets": {}}
    full, plain, odd, plain_odd = ({}, {}, {}, {})  # type: Sets, Sets, Sets, Sets
    for course in judged_courses(given.data):
        strange = questions_of_other_fields(given.data, course.name)
        full[course.name], odd[course.name] = read_set(course, strange, vectors=True)
        if not course.foreign:
            plain[course.name], plain_odd[course.name] = read_set(course, strange, vectors=False)
        print(course.name, len(full[course.name]), flush=True)
    full, plain, odd, plain_odd = map(joined, (full, plain, odd, plain_odd))
    ours, by_words = fitted(full, odd, NAMES), fitted(plain, plain_odd, WORDS)
    cosine = NAMES.index("similarity")
    for name, questions in full.items():
        rows = {
            "learned, held out": hits(questions, ours.orders[name]),
            "S": hits(questions, [q.scores for q in questions]),
            "cosine": hits(questions, [q.features[:, cosine] for q in questions]),
        }
        if name in plain:
            rows["learned without encoder, held out"] = hits(plain[name], by_words.orders[name])
        refused = {f"{limit}": refusals(questions, ours.answered[name], limit) for limit in LIMITS}
        of_other_fields = {
            f"{limit}": strange_refusals(odd[name], ours.strange[name], limit) for limit in LIMITS
        }
        record["sets"][name] = {  # type: ignore[index]
            "ranked": rows,
            "refused_below": refused,
            "of_other_fields_refused_below": of_other_fields,
        }
        print(name, json.dumps(rows), json.dumps(refused), json.dumps(of_other_fields), flush=True)
    tables = {
        "vectors": ours.relevance,
        "words": by_words.relevance,
        "answer_by_vectors": ours.answer,
        "answer_by_words": by_words.answer,
    }
    record |= {"weights": tables}
    print(json.dumps(tables, indent=1))
    if given.fit:
        shipped = {name: tables[name] for name in ("vectors", "words")}
        place = Path(__file__).parents[1] / "knowledge" / WEIGHTS
        write_weights(place, made_by="relevance.py", digits=4, **shipped)
    if given.json:
        given.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def joined(sets: Sets) -> Sets:
    """Courses of one kind as one set: the name up to the second "/"."""
    found: Sets = defaultdict(list)
    for name, questions in sets.items():
        found["/".join(name.split("/")[:2])] += questions
    return dict(found)


if __name__ == "__main__":
    main()
