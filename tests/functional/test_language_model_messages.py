"""What a language model server is sent for a question, and what a student gets when it fails."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any

import pytest
from scripted_llm import ScriptedLlm
from served_platform import Serve, Served

GOLDEN = Path(__file__).parent.parent / "data" / "golden"
KEY = "sk-canary-4711"
DIALOGUES = {
    "en": ("stacks-en", "What is a stack?", "Why do editors undo with a stack?"),
    "zh": ("stacks-zh", "什么是栈？", "栈和队列有什么区别？"),
}
DEADLINE_S = 1.0


def connected(serve: Serve, base_url: str, **more: Any) -> Any:
    return serve(llm_base_url=base_url, llm_model="m", llm_api_key=KEY, llm_timeout_s=DEADLINE_S, **more)


def as_text(messages: list[dict[str, str]]) -> str:
    return "".join(f"=== {message['role']} ===\n{message['content']}\n" for message in messages)


def everything_kept(api: Served) -> str:
    """All files of the data folder, as text."""
    home = api.platform.settings.home
    return "".join(file.read_bytes().decode("utf-8", "replace") for file in home.rglob("*") if file.is_file())


@pytest.mark.parametrize("mode", ["answer", "hint"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_messages_of_a_chain_of_teach_question_are_exactly_these(
    serve: Serve, scripted_llm: ScriptedLlm, language: str, mode: str
) -> None:
    """System with the four primers, history, then e + r + documents + q; VTA_WRITE_GOLDEN=1 rewrites them.

    Which documents are relevant is not held here: they are found by words, and none is too far off."""
    course, first, question = DIALOGUES[language]
    scripted_llm.play(scripted_llm.ok("[1]"))
    api = connected(serve, scripted_llm.base_url, embeddings_folder="none", relevance=0.05)
    session = api.ask(first, course)["session_id"]
    answer = api.ask(question, course, session_id=session, mode=mode)
    assert (answer["route"], answer["degraded"]) == ("chain_of_teach", None)
    messages = scripted_llm.messages[-1]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    golden = GOLDEN / f"messages.{mode}.{language}.txt"
    if os.environ.get("VTA_WRITE_GOLDEN"):
        golden.write_text(as_text(messages), encoding="utf-8")
    assert as_text(messages) == golden.read_text(encoding="utf-8")


def test_the_key_is_sent_to_the_model_and_shown_nowhere_else(
    serve: Serve, scripted_llm: ScriptedLlm, caplog: pytest.LogCaptureFixture
) -> None:
    """A good answer shows as little of the key as a failure; even /readyz and the page do."""
    caplog.set_level(logging.DEBUG)
    scripted_llm.play(scripted_llm.ok("On top [1]."))
    api = connected(serve, scripted_llm.base_url)
    shown = json.dumps(api.ask(DIALOGUES["en"][2], "stacks-en"))
    shown += "".join(api.client.get(path).text for path in ("/readyz", "/openapi.json", "/courses/stacks-en"))
    assert scripted_llm.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "sk-canary" not in shown + caplog.text + everything_kept(api)
