"""`vta enrich` with a scripted model over a real socket."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from command_lines import Vta
from scripted_llm import Call, Scene, ScriptedLlm

pytestmark = pytest.mark.skipif(
    not (files("intent") / "weights" / "model.onnx").is_file(),
    reason="the command line is not proven: intent/weights/model.onnx is missing",
)

NOTES = {
    "spool": "# Spool\n\nThe spool hands out the newest sheet first, and a sheet enters at the top.\n",
    "hopper": "# Hopper\n\nThe hopper hands out the oldest sheet first, so a sheet waits in it.\n",
    "gasket": "# Gasket\n\nThe gasket seals the motor of each machine against oil and dust.\n",
}
QUESTION = "Which zebra drawer of the spool serves latecomers?"
WORDING = "zebra drawer latecomers"
CHINESE = "后来的纸张先出来吗？"
SUMMARY = "How the gasket, hopper or spool works in a machine."
RUN = ("enrich", "ma", "--yes", "--json")


@pytest.fixture
def course(command: Vta, scripted_llm: ScriptedLlm, tmp_path: Path) -> Vta:
    """Commands over the course `ma` of three passages, with a scripted model."""
    add = ("course", "add", "ma", "--name", "Machines", "--domain", "Machines", "--language", "en")
    assert command(*add, llm_base_url=scripted_llm.base_url, llm_model="m").code == 0
    for name, text in NOTES.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    assert command("ingest", "ma", *(tmp_path / f"{name}.md" for name in NOTES)).code == 0
    scripted_llm.play(answering(scripted_llm))
    return command


def answering(scripted_llm: ScriptedLlm) -> Scene:
    """A model that asks in words that do not stand in the passage, and summarises what is there."""

    async def scene(call: Call) -> None:
        prompt = call.request.body["messages"][1]["content"]
        english = [QUESTION] if "The spool" in prompt else []
        reply = {"english": english, "chinese": [CHINESE], "summary": SUMMARY}
        await scripted_llm.whole(json.dumps(reply))(call)

    return scene


def found(vta: Vta, question: str = WORDING) -> list[dict[str, Any]]:
    """What shares a word with the question, best first."""
    ranked = vta("search", "ma", question, "--json").json["hits"]
    return [each for each in ranked if each["score"] > 0]


def test_a_passage_is_found_by_words_it_does_not_hold_and_shows_none_of_them(
    course: Vta, scripted_llm: ScriptedLlm
) -> None:
    """Not before; and no answer quotes them."""
    assert not found(course)
    ran = course(*RUN)
    assert (ran.code, ran.json) == (0, {"asked": 3, "questions": 1, "dropped": 3, "left": 0, "failure": None})
    assert "newest sheet" in json.dumps(found(course)[0])
    answer = course("ask", "ma", "What does the spool hand out?", "--json", llm_base_url="", llm_model="")
    assert "newest sheet" in answer.out
    assert "zebra" not in answer.out
    assert SUMMARY not in answer.out
    system, user = scripted_llm.messages[0]
    assert "never an order" in system["content"]
    assert user["content"].startswith('<document n="1">')


def test_a_second_run_asks_nothing_and_removal_restores_the_ranking(
    course: Vta, scripted_llm: ScriptedLlm
) -> None:
    """Other languages are asked for; a file read again keeps what was asked about its passages."""
    questions = ("What does the spool hand out?", "gasket", "sheet")
    before = [found(course, each) for each in questions]
    assert course(*RUN).code == 0
    asked = len(scripted_llm.requests)
    assert course(*RUN).json["asked"] == 0
    assert len(scripted_llm.requests) == asked
    Path("spool.md").write_text(
        NOTES["spool"] + "\n## More\n\nThe lever moves the spool.\n", encoding="utf-8"
    )
    assert course("ingest", "ma", "spool.md").code == 0
    assert found(course)
    Path("spool.md").write_text(NOTES["spool"], encoding="utf-8")
    assert course("ingest", "ma", "spool.md").code == 0
    assert course(*RUN, "--both").json["asked"] == 3
    assert found(course, CHINESE)
    assert course("enrich", "ma", "--remove", "--json").code == 0
    assert not found(course)
    assert course("reindex").code == 0
    assert [found(course, each) for each in questions] == before


def test_a_run_that_was_broken_off_goes_on(course: Vta, scripted_llm: ScriptedLlm) -> None:
    """What was kept is searchable, and is not asked again."""
    scripted_llm.play(answering(scripted_llm), answering(scripted_llm), scripted_llm.whole("No JSON."))
    ran = course(*RUN)
    assert (ran.code, ran.json["asked"], ran.json["left"]) == (1, 2, 1)
    assert "1 passages are left" in ran.err
    scripted_llm.play(answering(scripted_llm))
    assert course(*RUN).json["asked"] == 1
    assert found(course)


def test_answers_that_are_cut_leave_their_passages_and_no_others(
    course: Vta, scripted_llm: ScriptedLlm, tmp_path: Path
) -> None:
    """A small model runs on in some; the server is there, so what comes after them is asked."""
    (tmp_path / "winch.md").write_text(
        "# Winch\n\nThe winch lifts the motor of a machine.\n", encoding="utf-8"
    )
    assert course("ingest", "ma", tmp_path / "winch.md").code == 0
    answer = answering(scripted_llm)

    async def scene(call: Call) -> None:
        is_last = "The winch" in call.request.body["messages"][1]["content"]
        await (answer if is_last else scripted_llm.whole('{"english": ["Wh', finish="length"))(call)

    scripted_llm.play(scene)
    ran = course(*RUN)
    assert (ran.code, ran.json["asked"], ran.json["left"]) == (1, 1, 3)


def test_the_cost_is_told_and_agreed_to_first(course: Vta, scripted_llm: ScriptedLlm) -> None:
    """A no asks nothing; JSON needs a yes beforehand; without a model the settings are named."""
    ran = course("enrich", "ma", stdin="n\n", llm_prompt_price="1000")
    assert ran.code == 1
    assert "0 of 3 passages are enriched" in ran.err
    assert re.search(r"3 passages in as many prompts, about \d+ \+ 360 tokens, cost about 0\.\d+", ran.err)
    refused = course("enrich", "ma", "--json")
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert not scripted_llm.requests


def test_without_a_model_the_settings_are_named(command: Vta) -> None:
    assert command("course", "add", "ma", "--name", "M", "--domain", "M", "--language", "en").code == 0
    ran = command("enrich", "ma", "--yes")
    assert (ran.code, "VTA_LLM_BASE_URL" in ran.err) == (2, True)
