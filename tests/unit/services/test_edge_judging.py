"""What a language model says of edges: how it is asked, read, kept and added."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from services.use_cases.edge_judging import (
    LOG_ODDS,
    Comparison,
    EdgeJudge,
    comparison_of,
    nearest_first,
    with_judgement,
)
from services.use_cases.judgement_file import JudgementFile, KeptJudgement
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.types import SURE, ChatMessage, Concept, ConceptEdge, ConceptId, EdgeVerdict, Language

NAMES = [f"concept {n}" for n in range(12)]
CONCEPTS = [Concept(id=ConceptId(name), name=name) for name in NAMES]
EDGES = [
    ConceptEdge(
        prerequisite=ConceptId(NAMES[n]), concept=ConceptId(NAMES[n + 1]), score=0.8, evidence=(f"s{n}",)
    )
    for n in range(11)
]


@pytest.fixture(autouse=True)
def weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdicts of a model whose word counts."""
    for verdict, worth in zip(EdgeVerdict, (0.5, -0.5, -0.5), strict=True):
        monkeypatch.setitem(LOG_ODDS, verdict, worth)


class Reader:
    """A model that knows the order: the number in the name; a `short` one gives too few verdicts."""

    def __init__(self, *, short: bool = False) -> None:
        self.short = short
        self.first_shown: list[bool] = []

    async def fill(self, messages: Sequence[ChatMessage], shape: type[Any], *, language: Language) -> Any:
        shown = [line for line in messages[1].content.splitlines() if line[:2] in ("A:", "B:")]
        numbers = [int(line.rsplit(" ", 1)[1]) for line in shown]
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        self.first_shown += [a < b for a, b in pairs]
        first = ["A" if a < b else "B" for a, b in pairs]
        if self.short:
            raise UpstreamFailed(Fault("model.wrong_form", reason="first: too_short"))
        return Comparison(reasons=tuple("x" for _ in pairs), first=tuple(first))


def judge(folder: Path, model: str = "m") -> EdgeJudge:
    return EdgeJudge(CONCEPTS, JudgementFile(folder / "j.jsonl"), model=model, language=Language.EN)


async def test_verdicts_are_read_whichever_concept_is_shown_first(tmp_path: Path) -> None:
    """Both orders occur, and the same edge is always shown the same way."""
    model, told = Reader(), list[int]()
    await judge(tmp_path).judge(EDGES, model, told=told.append)
    assert {True, False} == set(model.first_shown)
    assert told == [5, 10, 11]
    judged = judge(tmp_path).judged(EDGES)
    assert {each.judgement.verdict for each in judged if each.judgement} == {EdgeVerdict.HOLDS}
    assert all(each.score > 0.8 for each in judged)
    assert judge(tmp_path).judged(judged) == judged


async def test_a_reply_of_another_length_is_not_taken(tmp_path: Path) -> None:
    """The form says how many verdicts there are; a batch without them is left, and the next one asked."""
    with pytest.raises(ValidationError):
        TypeAdapter(comparison_of(2)).validate_python({"reasons": ["r", "r"], "first": ["A"]})
    await judge(tmp_path).judge(EDGES, Reader(short=True), told=lambda _: None)
    assert judge(tmp_path).unjudged(EDGES) == EDGES


async def test_another_model_is_asked_anew_and_its_word_counts(tmp_path: Path) -> None:
    """So is an edge whose evidence changed; a line that was cut off is passed over."""
    await judge(tmp_path).judge(EDGES[:5], Reader(), told=lambda _: None)
    with (tmp_path / "j.jsonl").open("a") as file:
        file.write('\n{"pair": "0", "verd')
    assert judge(tmp_path).unjudged(EDGES) == EDGES[5:]
    await judge(tmp_path).judge(EDGES[5:6], Reader(), told=lambda _: None)
    assert judge(tmp_path).unjudged(EDGES) == EDGES[6:]
    assert judge(tmp_path, "other").unjudged(EDGES) == EDGES


@pytest.mark.parametrize("verdict", EdgeVerdict)
def test_a_judgement_moves_an_edge_but_not_a_persons(verdict: EdgeVerdict) -> None:
    """Up where it holds, else down; from the score without it, however often it is added."""
    kept = KeptJudgement(pair="p", verdict=verdict, reason="r", model="m")
    once = with_judgement(EDGES[0], kept)
    assert (once.score > 0.8) is (verdict is EdgeVerdict.HOLDS)
    assert with_judgement(once, kept) == once
    certain = ConceptEdge(prerequisite=ConceptId("a"), concept=ConceptId("b"), score=1.0, curated=True)
    assert with_judgement(certain, kept) == certain


def test_those_nearest_to_the_threshold_come_first() -> None:
    """On either side of it."""
    near = [
        ConceptEdge(prerequisite=ConceptId("a"), concept=ConceptId(str(n)), score=SURE + by)
        for n, by in enumerate((-0.3, 0.05, -0.01))
    ]
    assert [edge.concept for edge in nearest_first(near)] == ["2", "1", "0"]
