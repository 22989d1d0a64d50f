"""`vta graph judge` against a scripted language model: cost, verdicts, resuming, and whose word counts."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from command_lines import Vta
from scripted_llm import ScriptedLlm

from services.use_cases.edge_judging import LOG_ODDS, PAIRS_A_CALL
from vta.types import EdgeVerdict

MATERIAL = Path(str(files("services.demo"))) / "courses" / "data-structures-zh" / "material"


@pytest.fixture(autouse=True)
def weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdicts of a model whose word counts."""
    for verdict, worth in zip(EdgeVerdict, (0.5, -0.5, -0.5), strict=True):
        monkeypatch.setitem(LOG_ODDS, verdict, worth)


@pytest.fixture
def vta(graph_command: Vta, scripted_llm: ScriptedLlm) -> Vta:
    """Commands over a course whose graph is built, with a model."""
    vta = graph_command
    assert vta("ingest", "ds", str(MATERIAL / "notes")).code == 0
    assert vta("graph", "build", "ds").code == 0
    vta("course", "list", llm_base_url=scripted_llm.base_url, llm_model="scripted")
    return vta


def says(*first: str) -> bytes:
    """A whole reply with these verdicts."""
    answer = {"reasons": [f"because {n}" for n, _ in enumerate(first)], "first": list(first)}
    return ScriptedLlm.completion(json.dumps(answer))


def edges(vta: Vta) -> dict[tuple[str, str], float]:
    found = vta("graph", "export", "ds").json["edges"]
    return {(each["prerequisite"], each["concept"]): each["score"] for each in found}


def test_the_cost_is_told_and_nothing_asked_by_a_dry_run(vta: Vta, scripted_llm: ScriptedLlm) -> None:
    """Calls, tokens and what is known already."""
    ran = vta("graph", "judge", "ds", "--most", "7", "--dry-run", "--json")
    assert ran.code == 0
    assert (ran.json["pairs"], ran.json["known"], ran.json["calls"]) == (7, 0, 2)
    assert ran.json["prompt_tokens"] > 7 * 20
    assert "7 pairs for scripted, 0 are judged already: 2 calls" in ran.err
    assert scripted_llm.requests == []


def test_verdicts_count_are_kept_and_survive_a_build(vta: Vta, scripted_llm: ScriptedLlm) -> None:
    """They move the scores of what was asked alone; asked again, and after a build, nothing is sent."""
    before = edges(vta)
    scripted_llm.play(scripted_llm.body(says(*["A"] * PAIRS_A_CALL)))
    ran = vta("graph", "judge", "ds", "--most", str(PAIRS_A_CALL), "--json")
    assert ran.code == 0, ran.err
    assert (ran.json["calls"], ran.json["prompt_tokens"]) == (1, 7)
    assert ran.json["holds"] + ran.json["reversed"] == PAIRS_A_CALL
    sent = scripted_llm.requests[0].body
    schema = sent["response_format"]["json_schema"]["schema"]
    assert schema["required"] == ["reasons", "first"]
    assert schema["properties"]["first"]["maxItems"] == PAIRS_A_CALL
    assert sent["messages"][1]["content"].count("<document") == PAIRS_A_CALL
    after = edges(vta)
    moved = {pair for pair in before if after[pair] != before[pair]}
    assert len(moved) == PAIRS_A_CALL
    assert sum(after[pair] > before[pair] for pair in moved) == ran.json["holds"]
    assert vta("graph", "build", "ds").code == 0
    assert edges(vta) == after
    assert vta("graph", "judge", "ds", "--most", str(PAIRS_A_CALL), "--json").json["calls"] == 0
    assert edges(vta) == after
    assert len(scripted_llm.requests) == 1


def test_a_run_that_was_cut_off_goes_on(vta: Vta, scripted_llm: ScriptedLlm) -> None:
    """What was judged before the model failed counts at once, and only the rest is asked then."""
    most = str(2 * PAIRS_A_CALL)
    good = scripted_llm.body(says(*["A"] * PAIRS_A_CALL))
    scripted_llm.play(good, scripted_llm.status(500))
    before = edges(vta)
    failed = vta("graph", "judge", "ds", "--most", most)
    assert failed.code != 0
    assert sum(edges(vta)[pair] != score for pair, score in before.items()) == PAIRS_A_CALL
    scripted_llm.play(good)
    ran = vta("graph", "judge", "ds", "--most", most, "--json")
    assert (ran.json["pairs"], ran.json["known"], ran.json["calls"]) == (PAIRS_A_CALL, PAIRS_A_CALL, 1)


def test_what_a_teacher_decided_is_neither_asked_nor_moved(vta: Vta, scripted_llm: ScriptedLlm) -> None:
    """An accepted prerequisite stays with score 1, a removed one stays away."""
    (kept, gone), rest = list(edges(vta))[:2], list(edges(vta))[2:]
    assert vta("graph", "edit", "ds", "link", *kept).code == 0
    assert vta("graph", "edit", "ds", "unlink", *gone).code == 0
    scripted_llm.play(scripted_llm.body(says(*["neither"] * PAIRS_A_CALL)))
    asked = vta("graph", "judge", "ds", "--dry-run", "--json").json
    assert asked["pairs"] == len(rest)
    assert vta("graph", "judge", "ds", "--most", str(PAIRS_A_CALL)).code == 0
    after = edges(vta)
    assert after[kept] == 1.0
    assert gone not in after


def test_a_course_without_a_built_graph_or_model_is_refused(graph_command: Vta, scripted_llm: Any) -> None:
    """The message says what to do."""
    without = graph_command("graph", "judge", "ds")
    assert without.code != 0
    assert "VTA_LLM_BASE_URL" in without.err
    ran = graph_command("graph", "judge", "ds", llm_base_url=scripted_llm.base_url, llm_model="m")
    assert ran.code == 2
    assert "vta graph build ds" in ran.err
