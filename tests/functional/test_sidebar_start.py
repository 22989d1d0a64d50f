"""What the sidebar is given to start with: the page in either language, and what became of each turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vta.dialogue.question import LONGEST_QUESTION
from vta.types import CourseId

Serve = Callable[..., Any]
ROOT = "/v1/courses/stacks-en"
OPEN = {"rating": None, "ta_question": None}


def state_of_last_turn(api: Any, session: str) -> dict[str, Any]:
    turn = api.client.get(f"{ROOT}/sessions/{session}").json()["turns"][-1]
    return {name: turn.get(name, "absent") for name in OPEN}


def test_a_stored_turn_says_how_it_was_rated_and_whether_a_ta_has_it(serve: Serve) -> None:
    api = serve()
    answer = api.client.post(f"{ROOT}/dialogue", json={"question": "Will the exam cover it?"}).json()
    session, turn = answer["session_id"], f"{ROOT}/turns/{answer['turn_id']}"
    assert state_of_last_turn(api, session) == OPEN
    assert api.client.post(f"{turn}/feedback", json={"rating": "down"}).status_code == 204
    assert api.client.post(f"{turn}/ask-ta").status_code == 201
    assert state_of_last_turn(api, session) == {"rating": "down", "ta_question": "waiting"}
    (waiting,) = api.platform.stores.sessions.waiting_questions(CourseId("stacks-en"))
    api.platform.stores.ta_queue.reject(CourseId("stacks-en"), [waiting.id], reason="not of this course")
    assert state_of_last_turn(api, session) == {"rating": "down", "ta_question": "rejected"}


def test_the_start_names_the_longest_question(serve: Serve) -> None:
    start = serve().client.get(f"{ROOT}/sidebar").json()
    assert start.get("longest_question") == LONGEST_QUESTION


def test_the_course_page_is_there_in_both_languages(serve: Serve) -> None:
    """The other language leads to the same course; the page says which language its texts are in."""
    client = serve().client
    own = client.get("/courses/stacks-en")
    assert '<html lang="en">' in own.text
    assert 'href="/courses/stacks-en?lang=zh"' in own.text
    other = client.get("/courses/stacks-en?lang=zh")
    assert '<html lang="zh">' in other.text
    assert 'href="/courses/stacks-en?lang=en"' in other.text
    assert 'course="stacks-en" lang="zh"' in other.text
    assert client.get("/courses/stacks-en?lang=fr").status_code == 422
