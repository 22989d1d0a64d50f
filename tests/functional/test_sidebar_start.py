"""What the sidebar is given to start with: the page in either language, and what became of each turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from small_platform import COURSES

from vta.dialogue.question import LONGEST_QUESTION
from vta.types.courses import CourseId

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
    (waiting,) = api.platform.stores.asked.all_questions(CourseId("stacks-en"))
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


LECTURE = {
    "notes/trees.md": "# Trees\n\nA tree is a graph without cycles.\n\n## Notes\n\nTrees have leaves.\n",
    "v/02-trees.srt": (
        "1\n00:00:01,000 --> 00:00:05,000\nWelcome to the course.\n\n"
        "2\n00:02:01,000 --> 00:02:09,000\nNow we look at a queue again: a queue serves the levels.\n"
    ),
}


def first_questions(api: Any, course: str = "stacks-en", **place: object) -> list[str]:
    found = api.client.get(f"/v1/courses/{course}/sidebar", params=place).json()["first_questions"]
    assert isinstance(found, list)
    return found


def test_a_course_is_given_first_questions_that_it_answers(serve: Serve) -> None:
    """They are of its headings and FAQ, in its language, and each is answered with a source."""
    api = serve()
    for course in ("stacks-en", "stacks-zh"):
        offered = first_questions(api, course)
        assert len(offered) == 3
        for question in offered:
            body = {"question": question, "stream": False}
            answer = api.client.post(f"/v1/courses/{course}/dialogue", json=body).json()
            assert answer["route"] in ("direct", "chain_of_teach"), question
            assert answer["citations"], question
    assert any("certificate" in question for question in first_questions(api))
    assert all("什么" in question or "怎" in question for question in first_questions(api, "stacks-zh"))


def test_first_questions_are_of_the_place_where_the_student_is(serve: Serve) -> None:
    """What is said at the second of the video, or is in the notes named, comes first."""
    stacks, files = COURSES["stacks-en"]
    api = serve({"stacks-en": (stacks, {**files, **LECTURE})})
    assert first_questions(api, video="02-trees.srt", second=125)[0] == "What is queue?"
    assert first_questions(api, unit="queue")[0] == "What is queue?"
    assert first_questions(api, unit="stack")[0] == "What is stack?"
    assert first_questions(api, unit="elsewhere") == first_questions(api)
    refused = api.client.get(f"{ROOT}/sidebar", params={"second": "-1"})
    assert refused.status_code == 422


def test_first_questions_follow_the_course(serve: Serve) -> None:
    """A question whose FAQ entry is gone is offered no longer."""
    api = serve()
    before = first_questions(api)
    assert "How do I get a certificate?" in before
    api.platform.materials.remove(CourseId("stacks-en"), "faq.csv")
    assert "How do I get a certificate?" not in first_questions(api)


def test_instructors_say_how_a_course_greets_and_what_it_suggests(serve: Serve) -> None:
    """Their questions stand alone, wherever the student is; without them they are found again."""
    api = serve()
    before = api.client.get(f"{ROOT}/sidebar").json()
    assert before["greeting"] is None
    address, who = f"{ROOT}/settings", api.bearer()
    own = {"greeting": "Hi, I know the stacks.", "starters": ["Why a stack?", "When is the exam?"]}
    assert api.client.patch(address, json=own, headers=who).status_code == 200
    shown = api.client.get(f"{ROOT}/sidebar", params={"unit": "queue"}).json()
    assert (shown["greeting"], shown["suggestions"]) == (own["greeting"], own["starters"])
    assert shown["first_questions"] == []
    assert api.client.patch(address, json={"greeting": None, "starters": []}, headers=who).status_code == 200
    assert api.client.get(f"{ROOT}/sidebar").json() == before


def test_a_course_with_nothing_in_it_is_given_none(serve: Serve) -> None:
    """An empty course offers no question that it could not answer."""
    stacks, _ = COURSES["stacks-en"]
    assert first_questions(serve({"stacks-en": (stacks, {"a.txt": "x"})})) == []
