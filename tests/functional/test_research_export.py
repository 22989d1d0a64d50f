"""The export of conversations that learners gave to the course's study: who is in it, and what is not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from console_client import logged_in
from served_platform import Serve, Served, bearer

from vta import __version__
from vta.types.courses import CourseId, Role

COURSE, OTHER = "stacks-en", "stacks-zh"
STUDY = "How students ask."
MAIL = "ann@example.org"
QUESTION = "What is a stack?"


def set_study(api: Served, text: str | None, course: str = COURSE) -> None:
    address, headers = f"/v1/courses/{course}/settings", api.bearer(course=course)
    assert api.client.patch(address, json={"research": text}, headers=headers).status_code == 200


def decide(api: Served, headers: dict[str, str], given: bool, course: str = COURSE) -> None:
    body = {"given": given, "study": STUDY}
    address = f"/v1/courses/{course}/research/consent"
    assert api.client.put(address, json=body, headers=headers).status_code == 204


def export(api: Served, address: str = "", course: str = COURSE, **query: Any) -> Any:
    root = f"/v1/courses/{course}/research/turns"
    return api.client.get(root + address, params=query or None, headers=api.bearer(course=course))


def rows(api: Served, course: str = COURSE) -> list[dict[str, Any]]:
    reply = export(api, course=course)
    assert (reply.status_code, reply.headers["content-type"]) == (200, "application/x-ndjson")
    return [json.loads(line) for line in reply.text.splitlines()]


def asked(api: Served, course: str = COURSE) -> set[str]:
    return {row["question"] for row in rows(api, course)}


def test_only_turns_given_to_the_present_study_are_exported(api: Served) -> None:
    """Not those refused, revoked, undecided, without a learner, or given to another text."""
    assert (export(api).status_code, export(api).json()["fault"]) == (409, "research.no_study")
    set_study(api, STUDY)
    ann, bob = api.learner("ann"), api.learner("bob")
    for who, name in (
        (ann, "ann"),
        (bob, "bob"),
        (api.learner("eve"), "eve"),
        (api.learner(), "nobody"),
        ({}, "all"),
    ):
        api.ask(f"What is a stack of {name}?", headers=who)
    assert rows(api) == []
    decide(api, ann, True)
    decide(api, bob, False)
    assert asked(api) == {"What is a stack of ann?"}
    decide(api, bob, True)
    assert asked(api) == {"What is a stack of ann?", "What is a stack of bob?"}
    decide(api, ann, False)
    assert asked(api) == {"What is a stack of bob?"}
    set_study(api, "Another study.")
    assert rows(api) == []
    set_study(api, None)
    assert export(api).status_code == 409


def test_an_instructor_exports_their_own_course(serve: Serve) -> None:
    """The same learner has another pseudonym in each course; no other key, and no token, opens it."""
    api = serve()
    for course in (COURSE, OTHER):
        set_study(api, STUDY, course)
        ann = api.learner("ann", course)
        api.ask(f"{QUESTION} {course}", course, ann)
        decide(api, ann, True, course)
    here, there = rows(api), rows(api, OTHER)
    assert [row["question"] for row in here + there] == [f"{QUESTION} {COURSE}", f"{QUESTION} {OTHER}"]
    assert here[0]["learner"] != there[0]["learner"]
    root = f"/v1/courses/{COURSE}/research/turns"
    refused = (({}, 401), (bearer("vta_x"), 401), (api.learner("ann"), 403), (api.bearer(course=OTHER), 403))
    for headers, status in (*refused, (api.bearer(Role.PLATFORM), 403)):
        assert api.client.get(root, headers=headers).status_code == status
    assert api.client.get(f"/console/{COURSE}/analytics/research").status_code == 303


@pytest.mark.parametrize("is_private", [True, False])
def test_a_row_tells_what_became_of_a_question_and_not_who_asked(api: Served, is_private: bool) -> None:
    """Thumb and the TA's answer, public or not; neither ids, names nor addresses are among the bytes."""
    set_study(api, STUDY)
    body = {"learner_id": "ann-4711", "email": MAIL}
    platform = api.bearer(Role.PLATFORM)
    visitor = api.client.post(f"/v1/courses/{COURSE}/visitors", json=body, headers=platform).json()
    ann = bearer(visitor["token"])
    revision = api.platform.stores.documents.revisions()[1][CourseId(COURSE)]
    waiting, turn = api.ask_ta(QUESTION, headers=ann, position={"unit": "Week 2"})
    decide(api, ann, True)
    thumb = {"rating": "down", "reason": "wrong", "comment": "no"}
    address = f"/v1/courses/{COURSE}/turns/{turn['turn_id']}/feedback"
    assert api.client.post(address, json=thumb, headers=ann).status_code == 204
    assert rows(api)[0]["ta_answer"] is None
    answer = {"text": "Look at it as a pile."} if is_private else {}
    public = {"question": QUESTION, "answer": "Look at it as a pile."}
    path, more = ("reply", answer) if is_private else ("answer", {"entry": public})
    sent = api.client.post(
        f"/v1/courses/{COURSE}/questions/{path}", json={"questions": [waiting], **more}, headers=api.bearer()
    )
    assert sent.status_code in (201, 204), sent.text
    reply = export(api)
    (row,) = [json.loads(line) for line in reply.text.splitlines()]
    conditions = row["conditions"]
    assert (conditions["program"], conditions["model"]) == (__version__, None)
    assert len(conditions["prompts"]) == 12
    assert conditions["revision"] == revision > 0
    assert (row["turn_id"], row["number"], row["answer"]) == (turn["turn_id"], 1, turn["text"])
    assert row["thumb"] == {"rating": "down", "reason": "wrong"}
    assert row["ta_answer"] == "Look at it as a pile."
    assert row["position"] == {"unit": "Week 2"}
    assert [each["title"] for each in row["citations"]] == [each["title"] for each in turn["citations"]]
    assert turn["citations"]
    hidden = (
        visitor["learner_id"],
        visitor["learner_id"].partition(":")[2],
        "ann-4711",
        MAIL,
        turn["session_id"],
    )
    for secret in hidden:
        assert secret not in reply.text


def test_pages_hold_each_turn_once_while_others_are_asked(api: Served) -> None:
    """The links lead to the end; what came in meanwhile is there as well, and the console has the same."""
    set_study(api, STUDY)
    ann, found = api.learner("ann"), []
    decide(api, ann, True)
    for n in range(5):
        api.ask(f"What is a stack, {n}?", headers=ann)
    reply = export(api, limit=2)
    while True:
        lines = [json.loads(line)["question"] for line in reply.text.splitlines()]
        found += lines
        if "link" not in reply.headers:
            break
        assert len(lines) == 2
        assert reply.links["next"]["url"].startswith("?cursor=")
        if len(found) < 6:
            api.ask(f"What is a queue, {len(found)}?", headers=ann)
        reply = export(api, reply.links["next"]["url"])
    assert found == [f"What is a stack, {n}?" for n in range(5)] + [
        "What is a queue, 2?",
        "What is a queue, 4?",
    ]
    assert export(api, cursor="x").status_code == 422
    assert export(api, limit=501).status_code == 422
    with logged_in(api) as client:
        assert 'data-testid="research-turns"' in client.get(f"/console/{COURSE}/analytics").text
        saved = client.get(f"/console/{COURSE}/analytics/research")
        assert saved.headers["content-disposition"].endswith('-research.ndjson"')
        assert saved.text == export(api).text
        set_study(api, None)
        assert 'data-testid="research-turns"' not in client.get(f"/console/{COURSE}/analytics").text
        assert client.get(f"/console/{COURSE}/analytics/research").status_code == 409


async def test_all_pages_are_read_one_after_the_other(api: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the smallest size, together they are one file."""
    set_study(api, STUDY)
    ann = api.learner("ann")
    decide(api, ann, True)
    for n in range(3):
        api.ask(f"What is a stack, {n}?", headers=ann)
    monkeypatch.setattr("services.learners.research.MOST_TURNS", 1)
    pages = [page async for page in api.platform.stores.research.pages(CourseId(COURSE))]
    assert len(pages) == 3
    assert "".join(pages) == export(api).text


def test_statements_are_of_the_same_turns_and_learners(api: Served) -> None:
    """As in the export of conversations, where one learner is enough; without the words of a question."""
    address = f"/v1/courses/{COURSE}/analytics/xapi"
    reply = api.client.get(address, headers=api.bearer())
    assert (reply.status_code, reply.json()["fault"]) == (409, "research.no_study")
    set_study(api, STUDY)
    for name in ("ann", "bob", "eve"):
        answer = api.ask(
            f"{QUESTION} {name}", headers=api.learner(name), position={"video": "1.srt", "second": 9}
        )
        api.ask(f"{QUESTION} {name}", headers=api.learner(name), session_id=answer["session_id"])
    assert api.client.get(address, headers=api.bearer()).json() == []
    decide(api, api.learner("ann"), True)
    decide(api, api.learner("bob"), False)
    reply = api.client.get(address, headers=api.bearer())
    statements, exported = reply.json(), rows(api)
    of_turn = {each["object"]["id"].rpartition(":")[2]: each for each in statements}
    assert list(of_turn) == [row["turn_id"] for row in exported]
    assert {each["actor"]["account"]["name"] for each in statements} == {exported[0]["learner"]}
    assert len({each["context"]["registration"] for each in statements}) == 1
    assert statements[0]["verb"]["id"].endswith("/asked")
    video = statements[0]["object"]["definition"]["extensions"]["urn:vta:course:video"]
    assert video == {"video": "1.srt", "second": 9.0}
    assert len({each["id"] for each in statements}) == 2
    assert statements == api.client.get(address, headers=api.bearer()).json()
    for hidden in (QUESTION, "ann", answer["session_id"], exported[0]["session"]):
        assert hidden not in reply.text
