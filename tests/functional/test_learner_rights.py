"""Who may read and erase what is kept of a learner."""

from __future__ import annotations

from typing import Any

import httpx
import jwt
import pytest
from served_platform import Served

from vta.types.courses import Role

COURSE = "stacks-en"
ROOT = f"/v1/courses/{COURSE}"
STUDENT = "2024-1701"


def visitor(api: Served, learner: str) -> tuple[dict[str, str], str]:
    """The header of a learner's browser, and the pseudonym for which it speaks."""
    headers = api.learner(learner)
    claims = jwt.decode(headers["Authorization"][7:], options={"verify_signature": False})
    return headers, claims["sub"]


def ask(api: Served, headers: dict[str, str] | None = None, **more: Any) -> str:
    """The session in which a question was answered."""
    return str(api.ask("What is a stack?", headers=headers, **more)["session_id"])


def kept(api: Served, session: str) -> bool:
    platform = api.bearer(Role.PLATFORM)
    reply: httpx.Response = api.client.get(f"{ROOT}/sessions/{session}", headers=platform)
    return reply.status_code == 200


def test_nobody_without_a_key_or_token_erases_a_vouched_learner(api):
    """The platform's own id of a learner, if guessed, erases only what was asked without a token."""
    token, pseudonym = visitor(api, STUDENT)
    vouched = ask(api, token)
    by_platform = ask(api, api.bearer(Role.PLATFORM), learner_id=STUDENT)
    plain = ask(api, learner_id=STUDENT)
    stranger, _ = visitor(api, "another")
    assert api.client.delete(f"{ROOT}/learners/{STUDENT}").status_code == 204
    assert api.client.delete(f"{ROOT}/learners/{pseudonym}").status_code == 403
    assert api.client.delete(f"{ROOT}/learners/{STUDENT}", headers=stranger).status_code == 403
    elsewhere = api.bearer(course="stacks-zh")
    assert api.client.delete(f"{ROOT}/learners/{STUDENT}", headers=elsewhere).status_code == 403
    assert [kept(api, session) for session in (vouched, by_platform, plain)] == [True, True, False]


def test_nobody_without_a_key_or_token_reads_a_vouched_learner(api):
    """401 without anything, 403 with what belongs to someone else."""
    token, pseudonym = visitor(api, STUDENT)
    ask(api, token)
    stranger, _ = visitor(api, "another")
    for name in (STUDENT, pseudonym):
        address = f"{ROOT}/learners/{name}"
        assert api.client.get(address).status_code == 401
        assert api.client.get(address, headers=stranger).status_code == 403
        assert api.client.get(address, headers=api.bearer(course="stacks-zh")).status_code == 403


@pytest.mark.parametrize("role", [Role.PLATFORM, Role.INSTRUCTOR])
def test_a_key_of_the_course_reads_and_erases_a_learner_by_the_platform_s_id(api, role):
    """Both keys may do both, under whichever of the learner's names it is kept."""
    token, _ = visitor(api, STUDENT)
    sessions = {ask(api, token), ask(api, learner_id=STUDENT)}
    key, address = api.bearer(role), f"{ROOT}/learners/{STUDENT}"
    exported = api.client.get(address, headers=key)
    assert exported.status_code == 200, exported.text
    assert {session["session_id"] for session in exported.json()["sessions"]} == sessions
    assert api.client.delete(address, headers=key).status_code == 204
    assert not any(kept(api, session) for session in sessions)


def test_a_learner_reads_and_erases_what_is_theirs(api):
    """With their own token, by the pseudonym for which it speaks."""
    token, pseudonym = visitor(api, STUDENT)
    session = ask(api, token)
    address = f"{ROOT}/learners/{pseudonym}"
    exported = api.client.get(address, headers=token)
    assert exported.status_code == 200, exported.text
    assert [each["session_id"] for each in exported.json()["sessions"]] == [session]
    assert api.client.delete(address, headers=token).status_code == 204
    assert not kept(api, session)


def test_an_instructor_s_key_asks_nothing_in_a_learner_s_name(api):
    """It reads and erases what is kept; the dialogue itself stays closed to it."""
    key = api.bearer()
    reply = api.client.post(f"{ROOT}/dialogue", json={"question": "What is a stack?"}, headers=key)
    assert reply.status_code == 403
