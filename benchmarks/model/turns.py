"""Whole conversations of natural questions, asked of the platform with and without the model and peers."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from asking import Reply, Ways
from numpy.typing import NDArray

from lab.evaluation.labelled_rows import read_rows
from lab.measures.intervals import bootstrap_statistic
from vta.types.courses import CourseId, SessionId
from vta.types.questions import Question

EVERY, EVERY_PEERS = 4, 3
"""Of the conversations every fourth is held, and every third of these with the peers, too."""
WITH, WITHOUT = "platform with the model", "platform without a model"

Row = dict[str, Any]


def read_scorer(data: Path) -> ModuleType:
    """The set's own scorer."""
    spec = importlib.util.spec_from_file_location("score", data / "students" / "score.py")
    assert spec is not None
    assert spec.loader is not None
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    return scorer


def draw_conversations(data: Path, every: int = EVERY) -> list[list[Row]]:
    """Every n-th whole conversation of the seven courses, as `score.py --every` draws them."""
    conversations: dict[str, list[Row]] = {}
    for name in ("open", "open2"):
        for row in read_rows(data / "students" / f"{name}.jsonl"):
            conversations.setdefault(str(row["conversation"]), []).append(dict(row))
    return list(conversations.values())[::every]


def hold(ways: Ways, conversation: Sequence[Row], *, peers: bool) -> list[dict[str, Reply]]:
    """One conversation, each way in a dialogue of its own; plain retrieval has the platform's passages."""
    sessions: dict[str, SessionId] = {}
    said: dict[str, list[tuple[str, str]]] = {"plain retrieval": [], "bare model": []}
    turns = []
    for row in conversation:
        course, text = CourseId(row["course"]), row["question"]
        replies: dict[str, Reply] = {}
        for way, vta in ((WITH, ways.platform), (WITHOUT, ways.without)):
            question = Question(course_id=course, text=text, session_id=sessions.get(way))
            replies[way], answer = ways.ask(vta, way, question)
            sessions[way] = answer.session_id
        if peers:
            passages = ways.passages(course, replies[WITH].standalone)
            plain = ways.plain_retrieval(text, passages, said["plain retrieval"])
            bare = ways.bare_model(text, said["bare model"])
            for reply in (plain, bare):
                said[reply.way].append((text, reply.text))
                replies[reply.way] = reply
        turns.append(replies)
    return turns


def judge(
    scorer: ModuleType, conversations: Sequence[Sequence[Row]], held: Sequence[Sequence[Mapping[str, Reply]]]
) -> list[Row]:
    """One row a turn and way: verdict, whether it was marked, whether the first citation is right, length."""
    judged = []
    for conversation, turns in zip(conversations, held, strict=True):
        last: dict[str, dict[str, Any]] = {}
        for row, replies in zip(conversation, turns, strict=True):
            for way, reply in replies.items():
                answer = {"route": reply.route, "text": reply.text, "citations": reply.citations}
                verdict, _, cited, length = scorer.judge(row, answer, last.get(way))
                last[way] = answer
                judged.append(
                    {
                        "conversation": row["conversation"],
                        **{name: row[name] for name in ("turn", "course", "kind", "answerable")},
                        "way": way,
                        "verdict": verdict,
                        "cited": cited,
                        "length": length,
                        "within": length <= row["longest"],
                        "sourced": bool(reply.citations),
                        "answered": reply.route in ("direct", "chain_of_teach"),
                        "pairs": [each["pair_id"] for each in reply.citations],
                        **{k: asdict(reply)[k] for k in ("route", "text", "marked", "calls")},
                    }
                )
    return judged


def figures(judged: Sequence[Row]) -> dict[str, Any]:
    """Shares with 95 % bootstrap intervals over conversations, and the platform's lead, paired."""
    ways = list(dict.fromkeys(row["way"] for row in judged))
    measures: dict[str, Callable[[Row], float | None]] = {
        "right": lambda row: row["verdict"] == "right",
        "right and within the longest": lambda row: row["verdict"] == "right" and row["within"],
        "wrong and unmarked": lambda row: row["verdict"] == "wrong" and not row["marked"],
        "wrong": lambda row: row["verdict"] == "wrong",
        "wrongly refused": lambda row: row["verdict"] == "wrongly refused",
        "small talk right": lambda row: row["verdict"] == "right" if row["answerable"] == "chat" else None,
        "first citation right": lambda row: row["cited"],
        "answered with a source": lambda row: row["sourced"] if row["answered"] else None,
    }
    result: dict[str, Any] = {}
    for way in ways:
        own = [row for row in judged if row["way"] == way]
        result[way] = {name: interval(own, measure) for name, measure in measures.items()}
        result[way]["turns"] = len(own)
    for other in (way for way in ways if way != WITH):
        result[f"right: lead over {other}"] = _lead(judged, other)
    return result


def interval(rows: Sequence[Row], measure: Callable[[Row], float | None]) -> list[float] | None:
    """Mean, lower and upper bound."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        if (value := measure(row)) is not None:
            groups.setdefault(row["conversation"], []).append(float(value))
    return _bootstrap(list(groups.values()))


def _lead(judged: Sequence[Row], other: str) -> list[float] | None:
    right = {(r["conversation"], r["turn"], r["way"]): float(r["verdict"] == "right") for r in judged}
    groups: dict[str, list[float]] = {}
    for conversation, turn, way in right:
        if way == other:
            lead = right[conversation, turn, WITH] - right[conversation, turn, other]
            groups.setdefault(conversation, []).append(lead)
    return _bootstrap(list(groups.values()))


def _bootstrap(groups: Sequence[Sequence[float]]) -> list[float] | None:
    if not groups:
        return None
    sums, counts = np.array([sum(group) for group in groups]), np.array([len(group) for group in groups])

    def mean(places: NDArray[np.int64]) -> float:
        return float(sums[places].sum() / counts[places].sum())

    interval = bootstrap_statistic(len(groups), mean, seed=0) or ()
    return [round(each, 3) for each in (mean(np.arange(len(groups))), *interval)]
