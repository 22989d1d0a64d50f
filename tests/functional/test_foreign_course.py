"""A key of course A and the name of course B, wherever it is put (T15)."""

from __future__ import annotations

import re

import pytest
from served_platform import Serve, Served

from vta.types.courses import CourseId, Role
from vta.types.faq import FaqDraft

OWN, FOREIGN, NOWHERE = "stacks-en", "stacks-zh", "nowhere-zh"
CANARY = "canary-of-the-foreign-course"


@pytest.fixture
def api(serve: Serve) -> Served:
    """The foreign course holds a canary that must come out nowhere."""
    served = serve(admin_key="an-admin-key-for-tests")
    draft = FaqDraft(question="What is a stack?", answer=CANARY)
    served.platform.stores.faq.add(CourseId(FOREIGN), [draft], editor="bo")
    served.platform.knowledge.current()
    return served


def credentials(api: Served) -> dict[str, dict[str, str]]:
    return {
        "instructor": api.bearer(Role.INSTRUCTOR),
        "platform": api.bearer(Role.PLATFORM),
        "visitor": api.learner(),
    }


def secured(api: Served) -> list[tuple[str, str]]:
    """Every operation of a course that takes a key or a token, from the document."""
    paths = api.client.get("/openapi.json").json()["paths"]
    return [
        (method.upper(), path)
        for path, operations in paths.items()
        for method, operation in operations.items()
        if operation.get("security") and "{course}" in path
    ]


def address(path: str, course: str) -> str:
    return re.sub(r"\{\w+\}", "x1", path.replace("{course}", course))


@pytest.mark.fault(case="T15")
@pytest.mark.parametrize("who", ["instructor", "platform", "visitor"])
def test_a_course_in_the_path_opens_only_with_its_own_key(api: Served, who: str) -> None:
    """On every operation 401 or 403, in the same words for a course that exists and for one that does not."""
    headers = credentials(api)[who]
    operations = secured(api)
    assert len(operations) >= 30
    for method, path in operations:
        body = {"question": "What is a stack?"} if path.endswith("/dialogue") else None
        given = {**headers, "Idempotency-Key": f"{method} {path}".replace(" ", "-")}
        there, nowhere = (
            api.client.request(method, address(path, course), json=body, headers=given)
            for course in (FOREIGN, NOWHERE)
        )
        assert there.status_code == nowhere.status_code, (method, path)
        assert there.status_code in (401, 403), (method, path, there.text)
        assert there.json() == nowhere.json(), (method, path)
        assert there.headers.keys() == nowhere.headers.keys()


ELSEWHERE = ("course", "course_id", "courseId")
HEADERS = ("X-Course", "X-Course-Id", "Course-Id", "X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Prefix")


@pytest.mark.fault(case="T15")
@pytest.mark.parametrize("who", ["instructor", "platform", "visitor"])
def test_a_course_in_query_or_headers_is_not_heard(api: Served, who: str) -> None:
    """Beside its own course in the path, a key gets its own course's reply, word by word."""
    headers = credentials(api)[who]
    path = f"/v1/courses/{OWN}/" + ("faq" if who == "instructor" else "sidebar")
    plain = api.client.get(path, headers=headers)
    assert plain.status_code == 200
    for course in (FOREIGN, NOWHERE):
        for name in ELSEWHERE:
            assert api.client.get(path, params={name: course}, headers=headers).text == plain.text
        named = {name: f"/v1/courses/{course}/faq" if "URL" in name else course for name in HEADERS}
        assert api.client.get(path, headers={**headers, **named}).text == plain.text
    assert CANARY not in plain.text


@pytest.mark.fault(case="T15")
@pytest.mark.parametrize("who", ["platform", "visitor"])
def test_a_question_is_asked_of_the_course_in_the_path(api: Served, who: str) -> None:
    """Another course in the query or a header changes nothing; in the body it is an unknown field, 422."""
    headers = credentials(api)[who]
    path, body = f"/v1/courses/{OWN}/dialogue", {"question": "What is a stack?"}
    for course in (FOREIGN, NOWHERE):
        asked = api.client.post(
            path,
            json=body,
            params=dict.fromkeys(ELSEWHERE, course),
            headers={**headers, **dict.fromkeys(HEADERS, course)},
        )
        assert asked.status_code == 200
        assert asked.json()["course_id"] == OWN
        assert CANARY not in asked.text
    for name in ELSEWHERE:
        there, nowhere = (
            api.client.post(path, json={**body, name: course}, headers=headers)
            for course in (FOREIGN, NOWHERE)
        )
        assert there.status_code == nowhere.status_code == 422
        assert there.json() == nowhere.json()


@pytest.mark.fault(case="T15")
def test_an_instructor_writes_into_the_course_in_the_path(api: Served) -> None:
    """A body that names another course is refused, and neither course has a new entry."""
    headers, faq = api.bearer(Role.INSTRUCTOR), api.platform.stores.faq
    draft = {"question": "When is the quiz?", "answer": "On Friday."}
    for name in ELSEWHERE:
        for course in (FOREIGN, NOWHERE):
            reply = api.client.post(f"/v1/courses/{OWN}/faq", json={**draft, name: course}, headers=headers)
            assert reply.status_code == 422
    made = api.client.post(f"/v1/courses/{OWN}/faq", params={"course": FOREIGN}, json=draft, headers=headers)
    assert made.status_code == 201
    assert len(faq.entries(CourseId(OWN))) == len(faq.entries(CourseId(FOREIGN))) == 1


@pytest.mark.fault(case="T15")
@pytest.mark.parametrize("course", [FOREIGN, NOWHERE])
def test_without_a_course_in_the_path_there_is_no_route(api: Served, course: str) -> None:
    """A course in the body, a header or the query alone opens nothing: 404."""
    for headers in credentials(api).values():
        for path in ("/v1/dialogue", "/v1/faq", "/v1/courses//faq", "/v1/courses/faq"):
            reply = api.client.post(
                path,
                json={"question": "What is a stack?", "course_id": course},
                params={"course": course},
                headers={**headers, "X-Course-Id": course},
            )
            assert reply.status_code in (404, 405)
            assert CANARY not in reply.text


def test_a_key_names_its_own_course_only(api: Served) -> None:
    """The list of models is the key's course, whatever the query says."""
    for role in (Role.INSTRUCTOR, Role.PLATFORM):
        listed = api.client.get("/v1/models", params={"course": FOREIGN}, headers=api.bearer(role)).json()
        assert [model["id"] for model in listed["data"]] == [OWN]
