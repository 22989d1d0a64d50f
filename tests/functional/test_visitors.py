"""Visitors by HTTP: whose session is whose, who may ask, and what may embed the sidebar."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import httpx
import jwt
import pytest
from served_platform import Served, bearer

from vta.types.courses import CourseId, Role

COURSE = "stacks-en"
ROOT = f"/v1/courses/{COURSE}"


def ask(api: Served, headers: dict[str, str] | None = None, **more: Any) -> httpx.Response:
    body = {"question": "What is a stack?", **more}
    reply: httpx.Response = api.client.post(f"{ROOT}/dialogue", json=body, headers=headers or {})
    return reply


def test_only_a_platform_gets_tokens(api):
    """Not an instructor, a visitor, another course's platform, or nobody."""
    reply = api.client.post(f"{ROOT}/visitors", json={"learner_id": "ann"}, headers=api.bearer(Role.PLATFORM))
    assert reply.json().keys() == {"token", "expires_at", "learner_id"}
    assert reply.headers["cache-control"] == "no-store"
    assert datetime.fromisoformat(reply.json()["expires_at"]) <= datetime.now(UTC) + timedelta(hours=1)
    for headers, status in [
        ({}, 401),
        (api.learner(), 401),
        (bearer("vta_x"), 401),
        (api.bearer(), 403),
        (api.bearer(Role.PLATFORM, "stacks-zh"), 403),
    ]:
        assert api.client.post(f"{ROOT}/visitors", json={}, headers=headers).status_code == status


def test_what_a_learner_asks_with_a_token_is_theirs_alone(api):
    """Another learner and nobody find nothing there, whatever they try; the learner and the platform do."""
    ann, bob = api.learner("ann"), api.learner("bob")
    turn = ask(api, ann).json()
    session, turns = f"{ROOT}/sessions/{turn['session_id']}", f"{ROOT}/turns/{turn['turn_id']}"
    unknown = api.client.get(f"{ROOT}/sessions/none", headers=bob)
    for stranger in (bob, {}):
        for method, path, body in [
            ("GET", session, None),
            ("GET", f"{session}/ta-answers", None),
            ("POST", f"{session}/ta-answers/seen", {}),
            ("DELETE", session, None),
            ("POST", f"{turns}/feedback", {"rating": "up"}),
            ("POST", f"{turns}/ask-ta", {}),
        ]:
            reply = api.client.request(method, path, json=body, headers=stranger)
            assert reply.status_code == 404, (method, path)
        refused = api.client.get(session, headers=stranger).json()
        assert refused["detail"].replace(turn["session_id"], "none") == unknown.json()["detail"]
    again = api.learner("ann")
    assert len(api.client.get(session, headers=again).json()["turns"]) == 1
    assert api.client.post(f"{turns}/feedback", json={"rating": "up"}, headers=again).status_code == 204
    assert api.client.post(f"{turns}/ask-ta", headers=again).status_code == 201
    assert api.client.get(session, headers=api.bearer(Role.PLATFORM)).status_code == 200
    assert api.client.delete(session, headers=again).status_code == 204


@pytest.mark.fault(case="T22")
@pytest.mark.parametrize("before", ["nobody", "ann"])
def test_a_session_of_before_is_not_gone_on_with(api, before):
    """One begun without a token, or by another learner, is left: a new one opens, without history (T22)."""
    old = ask(api, api.learner("ann") if before == "ann" else None).json()["session_id"]
    bob = api.learner("bob")
    new = ask(api, bob, session_id=old, question="Why does it need a top?").json()
    assert new["session_id"] != old
    turns = api.client.get(f"{ROOT}/sessions/{new['session_id']}", headers=bob).json()["turns"]
    assert len(turns) == 1
    assert api.client.get(f"{ROOT}/sessions/{old}", headers=bob).status_code == 404


def test_a_learner_is_named_by_the_token_alone(api):
    """Nobody takes the name of a learner with a token, and such a learner takes no other."""
    ann = api.learner("ann")
    pseudonym = jwt.decode(ann["Authorization"][7:], options={"verify_signature": False})["sub"]
    assert ask(api, None, learner_id=pseudonym).status_code == 403
    assert ask(api, api.learner("bob"), learner_id=pseudonym).status_code == 403
    assert ask(api, ann, learner_id=pseudonym).status_code == 200
    by_platform = ask(api, api.bearer(Role.PLATFORM), learner_id="ann").json()["session_id"]
    assert api.client.get(f"{ROOT}/sessions/{by_platform}", headers=ann).status_code == 200


@pytest.mark.fault(case="T23")
def test_every_forged_token_is_a_401(api):
    """alg=none, a wrong key id, another course, expired, from the future; the right one opens (T23)."""
    secret = api.platform.stores.secrets.secret("visitor tokens")
    now = datetime.now(UTC)
    good = {"aud": COURSE, "sub": "visitor:x", "iat": now, "exp": now + timedelta(minutes=5)}
    kid = {"kid": sha256(secret).hexdigest()[:12]}
    assert ask(api, bearer(jwt.encode(good, secret, headers=kid))).status_code == 200
    past, future = now - timedelta(minutes=20), now + timedelta(minutes=10)
    for forged in [
        jwt.encode(good, "", algorithm="none", headers=kid),
        jwt.encode(good, b"x" * 32, headers=kid),
        jwt.encode(good, secret, headers={"kid": "x"}),
        jwt.encode({**good, "aud": "stacks-zh"}, secret, headers=kid),
        jwt.encode({**good, "iat": past, "exp": past + timedelta(minutes=10)}, secret, headers=kid),
        jwt.encode({**good, "iat": future, "exp": future + timedelta(minutes=5)}, secret, headers=kid),
    ]:
        reply = ask(api, bearer(forged))
        assert reply.status_code == 401
        assert reply.json()["code"] == "unauthorized"
        assert reply.headers["WWW-Authenticate"] == "Bearer"
        assert forged not in reply.text


def test_a_closed_sidebar_needs_a_token(serve):
    """With VTA_OPEN_SIDEBAR=false nobody asks or reads without a token or the platform's key."""
    api = serve(open_sidebar=False)
    for method, path in [
        ("POST", "dialogue"),
        ("GET", "sessions/s"),
        ("GET", "sessions/s/ta-answers"),
        ("GET", "sidebar"),
        ("GET", "concepts/stack"),
        ("GET", "concepts/stack/neighbourhood.svg"),
        ("DELETE", "learners/ann"),
    ]:
        body = {"question": "What is a stack?"} if method == "POST" else None
        assert api.client.request(method, f"{ROOT}/{path}", json=body).status_code == 401, path
    assert ask(api, api.learner()).status_code == 200
    assert ask(api, api.bearer(Role.PLATFORM)).status_code == 200


# Embedding


@pytest.mark.fault(case="T25")
def test_the_frame_opens_on_the_course_s_own_origins_only(api):
    """The list is the frame's frame-ancestors; everything else stays within this site (T25)."""
    good = "https://good.example"
    origins = [f"{good}/", good, "HTTP://b.example:80"]
    reply = api.client.patch(f"{ROOT}/settings", json={"origins": origins}, headers=api.bearer())
    assert reply.json()["origins"] == [good, "http://b.example"]
    policy = api.client.get(f"/embed/{COURSE}").headers["content-security-policy"]
    assert f"frame-ancestors 'self' {good} http://b.example" in policy.split("; ")
    for path in ("/embed/stacks-zh", f"/courses/{COURSE}", "/embed.js", f"{ROOT}/sidebar"):
        elsewhere = api.client.get(path).headers["content-security-policy"]
        assert "frame-ancestors 'self'" in elsewhere.split("; "), path
    assert api.client.get("/console/log-in").headers["content-security-policy"].endswith("'none'")


@pytest.mark.parametrize(
    "origin",
    [
        "*",
        "null",
        "good.example",
        "https://good.example/page",
        "https://*.example",
        "https://a b",
        "https://a;script-src *",
        "https://a:99999",
        "https://user@a.example",
        "ftp://a.example",
        "'none'",
        "",
    ],
)
def test_what_is_no_origin_is_refused(api, origin):
    """Nothing that would widen the policy, or end it, is kept."""
    reply = api.client.patch(f"{ROOT}/settings", json={"origins": [origin]}, headers=api.bearer())
    assert reply.status_code == 422
    assert reply.json()["errors"][0]["field"] == "origins"
    assert api.platform.stores.settings.settings(CourseId(COURSE)).origins == ()
