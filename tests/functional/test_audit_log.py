"""The audit log: whoever changes something, by whatever way, is in it; students and secrets are not."""

from __future__ import annotations

import json
import re

import pytest
from command_lines import Vta
from console_client import token
from served_platform import ENGLISH, Serve, Served, bearer

from services.people.service import digest_of_password
from services.people.store import CourseRole, Person
from services.store.audit_log import Event
from vta.types.courses import CourseId, KeyId, Role

ADMIN = "an-admin-key-for-tests"
PASSWORD = "correct horse battery"
COURSE = CourseId(ENGLISH)
HTML = {"Accept": "text/html"}


@pytest.fixture
def api(serve: Serve) -> Served:
    return serve(admin_key=ADMIN)


def log(api: Served, **asked: object) -> list[dict]:
    """The entries that the admin reads, oldest first."""
    reply = api.client.get("/v1/audit-log", params=asked, headers=bearer(ADMIN))
    assert reply.status_code == 200, reply.text
    return reply.json()["entries"][::-1]


def last(api: Served, count: int) -> list[tuple]:
    """Who did what where to whom, of the last entries."""
    names = ("actor_kind", "actor_name", "event", "course_id", "person_name", "detail")
    return [tuple(each[name] for name in names) for each in log(api, limit=count)]


def person(api: Served, name: str, role: CourseRole = CourseRole.INSTRUCTOR) -> Person:
    people = api.platform.stores.people
    made = people.add(name=name, email=f"{name.lower()}@uni.example")
    people.set_password(made.id, digest_of_password(PASSWORD))
    api.platform.stores.memberships.put(COURSE, made.id, role)
    return made


def log_in(api: Served, **fields: str) -> int:
    return api.client.post("/console/log-in", data=fields, headers=HTML).status_code


def send(api: Served, form: str, page: str, **fields: str) -> None:
    """Send a form of the console, with the token of a page."""
    csrf = token(api.client.get(f"/console/{page}", headers=HTML))
    reply = api.client.post(f"/console/{form}", data={**fields, "csrf": csrf}, headers=HTML)
    assert reply.status_code < 400, reply.text


def test_log_ins_and_those_that_fail(api: Served) -> None:
    """With the person where the account is known, never with what was typed."""
    person(api, "Ann")
    key, kept = api.platform.stores.keys.make(COURSE, Role.INSTRUCTOR)
    assert log_in(api, email="ann@uni.example", password="wrong wrong wrong") == 403
    assert log_in(api, email="mallory@uni.example", password="wrong wrong wrong") == 403
    assert log_in(api, key="vta_wrong") == 403
    assert log_in(api, email="ann@uni.example", password=PASSWORD) == 303
    assert log_in(api, key=key, name="Kim") == 303
    assert last(api, 5) == [
        ("nobody", "", "log_in_failed", None, "Ann", ""),
        ("nobody", "", "log_in_failed", None, None, ""),
        ("nobody", "", "log_in_failed", None, None, ""),
        ("person", "Ann", "log_in", None, None, ""),
        ("key", "Kim", "log_in", ENGLISH, None, ""),
    ]
    assert kept.id in {each["actor_id"] for each in log(api)}


def test_what_a_person_changes_in_the_console(api: Served) -> None:
    """Settings by the names of their fields, people, keys, and the course itself."""
    ann, bo = person(api, "Ann"), person(api, "Bo", CourseRole.TA)
    log_in(api, email="ann@uni.example", password=PASSWORD)
    greeting = {"greeting": "SECRET-GREETING", "starters": "", "refusal": "", "hints": "on"}
    send(api, f"{ENGLISH}/settings/students", f"{ENGLISH}/settings", **greeting)
    send(api, f"{ENGLISH}/settings/keys/make", f"{ENGLISH}/settings")
    (made,) = (each for each in api.platform.stores.keys.keys(COURSE) if not each.revoked)
    send(api, f"{ENGLISH}/settings/keys/revoke", f"{ENGLISH}/settings", key=made.id)
    send(api, f"{ENGLISH}/people/role", f"{ENGLISH}/people", person=bo.id, role="instructor")
    send(api, f"{ENGLISH}/people/invite", f"{ENGLISH}/people", role="ta", email="cy@uni.example", name="Cy")
    send(api, f"{ENGLISH}/people/password", f"{ENGLISH}/people", person=bo.id)
    send(api, f"{ENGLISH}/people/remove", f"{ENGLISH}/people", person=bo.id)
    send(api, f"{ENGLISH}/settings/archive", f"{ENGLISH}/settings/course", archived="yes")
    assert last(api, 8) == [
        ("person", "Ann", "settings", ENGLISH, None, "greeting"),
        ("person", "Ann", "key_made", ENGLISH, None, f"{made.id}, instructor"),
        ("person", "Ann", "key_revoked", ENGLISH, None, made.id),
        ("person", "Ann", "member_put", ENGLISH, "Bo", "instructor"),
        ("person", "Ann", "invited", ENGLISH, None, "ta"),
        ("person", "Ann", "password_link", ENGLISH, "Bo", ""),
        ("person", "Ann", "member_removed", ENGLISH, "Bo", ""),
        ("person", "Ann", "course_archived", ENGLISH, None, ""),
    ]
    assert {each["actor_id"] for each in log(api, limit=8)} == {ann.id}
    page = api.client.get(f"/console/{ENGLISH}/settings/log").text
    assert page.count('data-testid="logged"') == len(log(api, course=ENGLISH))
    assert "Invitation made" in page
    none = api.client.get(f"/console/{ENGLISH}/settings/log?person=Nobody").text
    assert 'data-testid="logged"' not in none
    kept = json.dumps(log(api))
    assert not re.search(r"SECRET|@|127\.0\.0\.1", kept)


def test_whoever_follows_an_invitation(api: Served) -> None:
    """Is nobody until they have an account; they give themselves the role of the invitation."""
    person(api, "Ann")
    log_in(api, email="ann@uni.example", password=PASSWORD)
    csrf = token(api.client.get(f"/console/{ENGLISH}/people", headers=HTML))
    page = api.client.post(
        f"/console/{ENGLISH}/people/invite", data={"csrf": csrf, "role": "ta"}, headers=HTML
    )
    link = re.search(r'data-testid="new-link">http://[^/]+([^<]+)<', page.text)
    assert link
    api.client.cookies.clear()
    api.client.post(link[1], data={"name": "Di", "email": "di@uni.example", "password": PASSWORD})
    assert last(api, 3) == [
        ("nobody", "", "person_added", None, "Di", "member"),
        ("person", "Di", "member_put", ENGLISH, "Di", "ta"),
        ("person", "Di", "log_in", None, None, ""),
    ]


def test_what_keys_change_by_the_api(api: Served) -> None:
    """An instructor's key in its course, the admin key everywhere; uploads are whose who sent them."""
    text, key = api.platform.stores.keys.make(COURSE, Role.INSTRUCTOR)
    course, who = {"id": "new", "name": "New", "domains": ["Maths"], "language": "en"}, bearer(ADMIN)
    api.client.post("/v1/courses", json=course, headers=who)
    api.client.post("/v1/courses/new/copy", json={"id": "newer", "name": "Newer"}, headers=who)
    api.client.delete("/v1/courses/newer", headers=who)
    files = [("files", ("trees.md", b"# Trees\n\nA tree has a root and branches.\n", "text/markdown"))]
    begun = api.client.post(f"/v1/courses/{ENGLISH}/materials", files=files, headers=bearer(text))
    while api.client.get(begun.headers["location"], headers=bearer(text)).json()["state"] != "done":
        pass
    removed = api.client.delete(
        f"/v1/courses/{ENGLISH}/materials", params={"path": "trees.md"}, headers=bearer(text)
    )
    assert removed.status_code == 204
    assert last(api, 5) == [
        ("admin_key", "", "course_made", "new", None, ""),
        ("admin_key", "", "course_copied", "newer", None, ""),
        ("admin_key", "", "course_removed", "newer", None, ""),
        ("key", "", "material_put", ENGLISH, None, "trees.md"),
        ("key", "", "material_removed", ENGLISH, None, "trees.md"),
    ]
    assert {each["actor_id"] for each in log(api, limit=2)} == {key.id}


def test_students_are_not_in_it(api: Served) -> None:
    """Neither for what they ask nor for what they hand on, rate or erase."""
    before = len(log(api, limit=1000))
    turn = api.ask("What is a stack?", learner_id="student-17")
    address = f"/v1/courses/{ENGLISH}/turns/{turn['turn_id']}"
    api.client.post(f"{address}/feedback", json={"rating": "up"})
    api.client.post(f"{address}/ask-ta")
    api.client.delete(f"/v1/courses/{ENGLISH}/sessions/{turn['session_id']}")
    assert len(log(api, limit=1000)) == before


def test_instructors_read_that_of_their_course_alone(api: Served) -> None:
    """Page by page; the admin filters by course and person."""
    mine = api.bearer()
    api.key(course="stacks-zh")
    for key in api.platform.stores.keys.keys(COURSE)[:1]:
        api.platform.stores.keys.revoke(COURSE, KeyId(key.id))
        mine = api.bearer()
    address = f"/v1/courses/{ENGLISH}/audit-log"
    first = api.client.get(address, params={"limit": 2}, headers=mine).json()
    rest = api.client.get(address, params={"cursor": first["next"]}, headers=mine).json()
    entries = first["entries"] + rest["entries"]
    assert (len(first["entries"]), rest["next"]) == (2, None)
    assert {each["course_id"] for each in entries} == {ENGLISH}
    assert [each["event"] for each in entries[:3]] == ["key_made", "key_revoked", "key_made"]
    assert api.client.get("/v1/courses/stacks-zh/audit-log", headers=mine).status_code == 403
    assert api.client.get("/v1/audit-log", headers=mine).status_code == 403
    assert {each["course_id"] for each in log(api, course="stacks-zh")} == {"stacks-zh"}
    person(api, "Ann")
    assert {each["person_name"] for each in log(api, person="ann")} == {"Ann"}


def test_what_the_command_line_does(graph_command: Vta, tmp_path) -> None:
    """Is told by `vta audit`, newest first."""
    vta = graph_command
    for line in (
        ("people", "add", "ann@uni.example", "--name", "Ann", "--course", "ds"),
        ("people", "edit", "ann@uni.example", "--admin", "--disable"),
        ("course", "key", "ds", "--role", "platform"),
        ("backup", tmp_path / "all.zip"),
    ):
        assert vta(*line).code == 0
    rows = vta("audit", "--json").lines[::-1]
    assert {row["actor_kind"] for row in rows} == {"command_line"}
    assert [row["event"] for row in rows] == [
        "course_made",
        "person_added",
        "member_put",
        "password_link",
        "person_role",
        "person_disabled",
        "key_made",
        "backup_made",
    ]
    assert vta("audit", "--course", "ds", "--person", "ann").out.split("\t")[1:] == [
        "command_line", "member_put", "ds", "Ann", "instructor\n",
    ]  # fmt: skip
    assert len(vta("audit", "--limit", "2").out.splitlines()) == 2


def test_every_event_has_words_in_both_languages() -> None:
    """So each can be read in the console."""
    from services.console.pages import TEXTS

    for texts in TEXTS.values():
        assert all(texts[f"event_{event}"] for event in Event)
