"""FAQ entries, waiting questions and keys over a real socket: what is live, who may, who was quicker."""

from __future__ import annotations

import pytest
from served_platform import Served, bearer

from vta.types.courses import Role

ADMIN = "an-admin-key-for-tests"
COURSE, OTHER = "stacks-en", "stacks-zh"
DRAFT = {"question": "When is the quiz about stacks?", "answer": "On Friday at ten."}

pytestmark = pytest.mark.settings(admin_key=ADMIN)


def test_an_entry_answers_directly_from_the_moment_it_is_written(api):
    """The very next question gets the answer, then its edit, and nothing of it after its removal."""
    who = api.bearer()
    made = api.client.post(f"/v1/courses/{COURSE}/faq", json=DRAFT, headers=who)
    assert (made.status_code, made.headers["etag"]) == (201, '"1"')
    assert api.ask(DRAFT["question"])["text"].startswith("On Friday at ten.")

    address = made.headers["location"]
    edited = api.client.put(
        address, json={**DRAFT, "answer": "On Monday."}, headers={**who, "If-Match": '"1"'}
    )
    assert (edited.status_code, edited.headers["etag"]) == (200, '"2"')
    answer = api.ask(DRAFT["question"])
    assert (answer["route"], answer["citations"][0]["source"]) == ("direct", "faq")
    assert answer["text"].startswith("On Monday.")

    gone = api.client.delete(address, headers={**who, "If-Match": '"2"'})
    assert gone.json()["removed"]
    assert "Monday" not in api.ask(DRAFT["question"])["text"]
    history = api.client.get(f"{address}/history", headers=who).json()["versions"]
    assert [(v["version"], v["answer"], v["removed"]) for v in history] == [
        (1, "On Friday at ten.", False),
        (2, "On Monday.", False),
        (3, "On Monday.", True),
    ]
    back = api.client.post(f"{address}/rollback", json={"version": 1}, headers={**who, "If-Match": '"3"'})
    assert (back.json()["version"], back.json()["answer"]) == (4, "On Friday at ten.")
    assert api.ask(DRAFT["question"])["text"].startswith("On Friday at ten.")


def test_the_slower_of_two_editors_sees_both_versions(api):
    """412 with what is there now; 422 for an If-Match that is no ETag; 409 for a question that is taken."""
    who = api.bearer()
    address = api.client.post(f"/v1/courses/{COURSE}/faq", json=DRAFT, headers=who).headers["location"]
    quicker = {**DRAFT, "answer": "On Monday."}
    assert api.client.put(address, json=quicker, headers={**who, "If-Match": '"1"'}).status_code == 200
    slower = api.client.put(address, json=DRAFT, headers={**who, "If-Match": '"1"'})
    assert (slower.status_code, slower.json()["code"]) == (412, "precondition_failed")
    assert slower.headers["etag"] == '"2"'
    assert slower.json()["current"]["answer"] == "On Monday."
    assert api.client.put(address, json=DRAFT, headers={**who, "If-Match": "x"}).status_code == 422
    assert api.client.get(address, headers=who).json()["answer"] == "On Monday."
    again = {**DRAFT, "question": DRAFT["question"].upper()}
    taken = api.client.post(f"/v1/courses/{COURSE}/faq", json=again, headers=who)
    assert (taken.status_code, taken.json()["code"]) == (409, "conflict")


def test_a_waiting_question_is_answered_for_its_askers_and_for_the_next_student(api):
    """Ask a TA, answer, be told, and the next student gets it directly."""
    first_id, first = api.ask_ta("Will the final exam cover undo stacks in editors?")
    second_id, second = api.ask_ta("Are undo stacks part of the final?")
    ids = [first_id, second_id]
    who = api.bearer()
    listed = api.client.get(f"/v1/courses/{COURSE}/questions?state=waiting", headers=who).json()["questions"]
    assert [q["id"] for q in listed] == ids
    entry = {"question": "Does the final exam cover undo stacks?", "answer": "Yes, **chapter 4**."}
    body = {"questions": ids, "entry": entry}
    answered = api.client.post(f"/v1/courses/{COURSE}/questions/answer", json=body, headers=who)
    assert answered.status_code == 201, answered.text
    for turn in (first, second):
        told = f"/v1/courses/{COURSE}/sessions/{turn['session_id']}/ta-answers"
        (answer,) = api.client.get(told).json()["answers"]
        assert (answer["turn_id"], answer["text"], answer["seen"]) == (
            turn["turn_id"],
            entry["answer"],
            False,
        )
        assert "<strong>chapter 4</strong>" in answer["html"]
        assert api.client.post(f"{told}/seen").status_code == 204
        assert api.client.get(told).json()["answers"][0]["seen"]
    next_student = api.ask("Are undo stacks part of the final?")
    assert (next_student["route"], next_student["citations"][0]["source"]) == ("direct", "faq")
    again = api.client.post(f"/v1/courses/{COURSE}/questions/answer", json=body, headers=who)
    assert again.status_code == 409


def guarded(api: Served) -> list[tuple[str, str]]:
    """Every operation that the document says needs an instructor's key or the admin's."""
    paths = api.client.get("/openapi.json").json()["paths"]
    return [
        (
            method.upper(),
            path.format(
                course=COURSE,
                entry="e1",
                key="k1",
                question="q1",
                learner="l1",
                ingest="i1",
                batch="b1",
                test="t1",
            ),
        )
        for path, operations in paths.items()
        for method, operation in operations.items()
        if {"HTTPBearer": []} in operation.get("security", ())
    ]


ADMINS = (
    *(f"/v1/courses{rest}" for rest in ("", f"/{COURSE}")),
    *(f"/v1/courses/{COURSE}/{rest}" for rest in ("keys", "copy")),
    "/v1/people/password-links",
    "/v1/audit-log",
)


def test_every_instructor_route_refuses_everybody_else(api):
    """No key and unknown ones: 401. A platform's key, and an instructor's of another course: 403 (T15, T19).

    A route under these addresses that asks for no key would be missing here.
    """
    operations = guarded(api)
    assert len(operations) == 67
    for method, path in operations:
        assert api.client.request(method, path).status_code == 401
        if path not in (*ADMINS, f"/v1/courses/{COURSE}/keys/k1"):
            assert api.client.request(method, path, headers=bearer("vta_x")).status_code == 401
        for wrong in (api.bearer(Role.PLATFORM), api.bearer(course=OTHER)):
            assert api.client.request(method, path, headers=wrong).status_code == 403


@pytest.mark.fault(case="T20")
def test_a_revoked_key_is_refused_at_once(api):
    """The admin makes keys and takes them back; the key's text is in no other reply (T20)."""
    admin = bearer(ADMIN)
    made = api.client.post(f"/v1/courses/{COURSE}/keys", json={"role": "instructor"}, headers=admin).json()
    who = bearer(made["key"])
    assert api.client.get(f"/v1/courses/{COURSE}/faq", headers=who).status_code == 200
    assert made["key"][17:] not in api.client.get(f"/v1/courses/{COURSE}/keys", headers=admin).text
    gone = api.client.delete(f"/v1/courses/{COURSE}/keys/{made['id']}", headers=admin)
    assert gone.status_code == 204
    assert api.client.get(f"/v1/courses/{COURSE}/faq", headers=who).status_code == 401


def test_a_key_is_replaced_without_a_gap(api):
    """Old and new work until the hours are over. Only the admin replaces platforms' keys."""
    old = api.platform.stores.keys.make(COURSE, Role.INSTRUCTOR)
    platforms = api.platform.stores.keys.make(COURSE, Role.PLATFORM)[1]
    keys, who = f"/v1/courses/{COURSE}/settings/keys", bearer(old[0])
    body = {"role": "instructor", "replaces": old[1].id, "hours": 2}
    made = api.client.post(keys, json=body, headers=who).json()
    for text in (old[0], made["key"]):
        listed = api.client.get(keys, headers=bearer(text)).json()["keys"]
    ends = {each["id"]: each["ends_at"] for each in listed}
    assert ends[made["id"]] is None
    assert ends[old[1].id] is not None
    assert api.client.post(keys, json=body, headers=who).status_code == 404
    assert api.client.post(keys, json={**body, "hours": -1}, headers=who).status_code == 422
    other = {"role": "platform", "replaces": platforms.id, "hours": 0}
    assert api.client.post(keys, json=other, headers=who).status_code == 403
    path = f"/v1/courses/{COURSE}/keys"
    assert api.client.post(path, json=other, headers=bearer(ADMIN)).status_code == 201
    revoked = {each["id"]: each["revoked"] for each in api.client.get(keys, headers=who).json()["keys"]}
    assert revoked[platforms.id] is True


def test_two_admin_keys_during_a_change(serve):
    """The old one opens the API as long as it is named."""
    api = serve(admin_key="a-new-admin-key-of-the-platform", old_admin_key=ADMIN)
    for key in ("a-new-admin-key-of-the-platform", ADMIN):
        assert api.client.get("/v1/courses", headers=bearer(key)).status_code == 200
        assert api.client.get("/v1/models", headers=bearer(key)).status_code == 200
    changed = serve(admin_key="a-new-admin-key-of-the-platform")
    assert changed.client.get("/v1/courses", headers=bearer(ADMIN)).status_code == 403
    alone = serve(old_admin_key=ADMIN)
    assert alone.client.get("/v1/courses", headers=bearer(ADMIN)).status_code == 403


def test_courses_are_made_with_the_admin_key_alone(serve):
    """Where none is set nobody may; with it a course is there at once, and once only."""
    course = {"id": "new", "name": "New", "domains": ["maths"], "language": "en"}
    closed = serve()
    assert closed.client.post("/v1/courses", json=course, headers=bearer(ADMIN)).status_code == 403
    api = serve(admin_key=ADMIN)
    wrong = api.client.post("/v1/courses", json=course, headers=bearer("another-admin-key"))
    assert wrong.status_code == 403
    assert api.client.post("/v1/courses", json=course, headers=bearer(ADMIN)).status_code == 201
    assert api.client.post("/v1/courses", json=course, headers=bearer(ADMIN)).status_code == 409
    asked = api.client.post("/v1/courses/new/dialogue", json={"question": "What is a set?"})
    assert asked.status_code == 200
