"""What a language model is asked about the passages of a course, in the console."""

from __future__ import annotations

import json
import threading

import httpx
from console_client import logged_in, token
from scripted_llm import ScriptedLlm
from served_platform import ENGLISH, Serve, Served

from vta.types.courses import CourseId
from vta.types.pairs import Source

PAGE = f"/console/{ENGLISH}/materials/enrichment"
REPLY = {"english": ["Where does a new stack element go?"], "chinese": [], "summary": ""}


def press(client: httpx.Client, action: str) -> httpx.Response:
    form = {"csrf": token(client.get(PAGE)), "action": action, "language": "course"}
    return client.post(PAGE, data=form)


def questions(api: Served) -> list[str]:
    """What the model said that passages are asked as."""
    pairs = api.platform.stores.documents.pairs(CourseId(ENGLISH))
    return sorted(text for pair in pairs for text in pair.asked_as if pair.source is Source.MATERIAL)


def test_a_teacher_sees_the_cost_asks_and_removes(serve: Serve, scripted_llm: ScriptedLlm) -> None:
    """The page counts what was asked about; nothing is left to ask, and nothing stays after removal."""
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m", llm_prompt_price="1000")
    scripted_llm.play(scripted_llm.whole(json.dumps(REPLY)))
    with logged_in(api, ENGLISH) as client:
        assert f'href="{PAGE}"' in client.get(f"/console/{ENGLISH}/materials").text
        page = client.get(PAGE).text
        assert "0 of" in page
        assert "at the prices that are set" in page
        job = press(client, "ask").headers["location"]
        state = f"/console/{ENGLISH}/materials/uploads/{job.rpartition('/')[2]}/state"
        while client.get(state).json()["running"]:
            threading.Event().wait(0.05)
        assert 'data-testid="enriched"' in client.get(job).text
        assert set(questions(api)) == {*REPLY["english"]}
        assert 'data-testid="ask"' not in client.get(PAGE).text
        removed = client.get(press(client, "remove").headers["location"]).text
        assert 'data-testid="done"' in removed
        assert 'data-testid="ask"' in removed
        assert 'data-testid="remove"' not in removed
        assert not questions(api)


def test_without_a_model_the_page_says_so(serve: Serve) -> None:
    """No button asks, and a form that does is refused in words."""
    api = serve()
    with logged_in(api, ENGLISH) as client:
        assert "No language model is configured." in client.get(PAGE).text
        refused = press(client, "ask")
        assert refused.status_code == 422
        assert "VTA_LLM_BASE_URL" in refused.text
