"""What another site, an old session id or a plain GET can do to an instructor who is logged in: nothing."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import fastapi.routing
import httpx
import pytest
from served_platform import Served

from services.app import create_app
from vta.types.courses import CourseId
from vta.types.faq import FaqDraft

COURSE = "stacks-en"
INBOX = f"/console/{COURSE}/inbox"

pytestmark = pytest.mark.settings(trusted_proxies="127.0.0.1")


def browser(api: Served, **cookies: str) -> httpx.Client:
    return httpx.Client(base_url=api.address, trust_env=False, timeout=30.0, cookies=cookies)


def log_in(api: Served, client: httpx.Client) -> str:
    """Log in with a new key; the session id after it."""
    reply = client.post("/console/log-in", data={"key": api.key()})
    assert (reply.status_code, reply.headers["location"]) == (303, INBOX)
    return str(reply.cookies["vta_console"])


def opens(api: Served, cookie: str) -> bool:
    with closing(browser(api, vta_console=cookie)) as client:
        return client.get(INBOX).status_code == 200


def dump(api: Served) -> list[str]:
    """Everything that is stored."""
    with closing(sqlite3.connect(api.platform.settings.home / "vta.db")) as connection:
        return list(connection.iterdump())


def console_routes(api: Served, method: str) -> list[str]:
    """The addresses in the console that take this method."""
    routes = getattr(fastapi.routing, "iter_route_contexts", iter)(create_app(api.platform).routes)
    paths = [route.path for route in routes if method in route.methods]
    return [path.replace("{course}", COURSE) for path in paths if path.startswith("/console/")]


# Session fixation (T22)


@pytest.mark.fault(case="T22")
def test_a_session_id_of_before_the_log_in_is_not_the_one_after_it(api: Served) -> None:
    """An id that nobody gave out never opens anything, and the log-in gives a new one (T22)."""
    planted = "x" * 43
    with closing(browser(api, vta_console=planted)) as victim:
        assert log_in(api, victim) != planted
    assert not opens(api, planted)


@pytest.mark.fault(case="T22")
def test_a_live_session_that_was_planted_is_dead_after_the_log_in(api: Served) -> None:
    """Who puts their own session into somebody's browser has none once that person logs in (T22)."""
    with closing(browser(api)) as attacker:
        planted = log_in(api, attacker)
        assert opens(api, planted)
        with closing(browser(api, vta_console=planted)) as victim:
            fresh = log_in(api, victim)
        assert fresh != planted
        assert not opens(api, planted)
        assert opens(api, fresh)
        assert attacker.get(INBOX).status_code == 303


def test_no_session_id_comes_twice(api: Served) -> None:
    """Each log-in has its own id, and the store keeps none of them in plain (T22)."""
    given = set()
    for _ in range(5):
        with closing(browser(api)) as client:
            given.add(log_in(api, client))
    assert len(given) == 5
    kept = "".join(dump(api))
    assert not [cookie for cookie in given if cookie in kept]


# Requests that another site makes a browser send (T24)

FORGED = [
    ({"Content-Type": "application/x-www-form-urlencoded"}, "question=q&answer=a"),
    ({"Content-Type": "application/x-www-form-urlencoded"}, "question=q&answer=a&csrf=x"),
    ({"Content-Type": "text/plain"}, '{"question": "q", "answer": "a", "csrf": "TOKEN"}'),
    ({"Content-Type": "text/plain"}, "question=q&answer=a&csrf=TOKEN"),
    ({"Content-Type": "application/json"}, '{"question": "q", "answer": "a", "csrf": "TOKEN"}'),
    ({}, "question=q&answer=a&csrf=TOKEN"),
    ({"Content-Type": "multipart/form-data; boundary=b"}, "--b--\r\n"),
    (
        {"Content-Type": "multipart/form-data; boundary=b"},
        '--b\r\nContent-Disposition: form-data; name="csrf"\r\n\r\nx\r\n--b\r\n'
        'Content-Disposition: form-data; name="table"; filename="faq.csv"\r\n\r\nq,a\r\n--b--\r\n',
    ),
]
FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.fault(case="T24")
@pytest.mark.parametrize(("headers", "body"), FORGED)
def test_every_form_of_the_console_needs_its_token(api: Served, headers: dict[str, str], body: str) -> None:
    """Without the token, or with it in what is no form: 403 at every address, nothing is written (T24)."""
    addresses = [path for path in console_routes(api, "POST") if path.startswith(f"/console/{COURSE}/")]
    assert len(addresses) >= 10
    with closing(browser(api)) as client:
        log_in(api, client)
        page = client.get(f"/console/{COURSE}/faq/new").text
        token = re.search(r'name="csrf" value="([^"]+)"', page)
        assert token
        before = dump(api)
        for address in addresses:
            path = re.sub(r"\{\w+\}", "x1", address)
            reply = client.post(path, content=body.replace("TOKEN", token[1]), headers=headers)
            assert reply.status_code == 403, path
        assert dump(api) == before


@pytest.mark.fault(case="T24")
@pytest.mark.parametrize("foreign", FOREIGN)
def test_no_form_is_taken_from_another_site(api: Served, foreign: dict[str, str]) -> None:
    """Though cookie and token are right: 403 at every address, the log-in and log-out included (T24)."""
    with closing(browser(api)) as client:
        cookie = log_in(api, client)
        page = client.get(f"/console/{COURSE}/faq/new").text
        token = re.search(r'name="csrf" value="([^"]+)"', page)
        assert token
        before = dump(api)
        for address in console_routes(api, "POST"):
            path = re.sub(r"\{\w+\}", "x1", address)
            reply = client.post(
                path, data={"csrf": token[1], "question": "q", "answer": "a"}, headers=foreign
            )
            assert reply.status_code == 403, path
        assert dump(api) == before
    assert opens(api, cookie)


@pytest.mark.fault(case="T24")
def test_the_cookie_of_the_console_opens_nothing_of_the_api(api: Served) -> None:
    """The API listens to bearers alone, so that no other site can speak in an instructor's name (T24)."""
    with closing(browser(api)) as client:
        log_in(api, client)
        for headers in ({}, {"Content-Type": "text/plain"}, {"Origin": "https://evil.example"}):
            draft = '{"question": "q", "answer": "a"}'
            reply = client.post(f"/v1/courses/{COURSE}/faq", content=draft, headers=headers)
            assert reply.status_code == 401
    assert api.platform.stores.faq.entries(CourseId(COURSE)) == ()


@pytest.mark.fault(case="T24")
def test_a_get_changes_nothing(api: Served) -> None:
    """Every page, read with a session: the store is the same byte for byte; what only writes is 405 (T24).

    But for the note, for ten minutes, that a TA has a waiting question open.
    """
    draft = FaqDraft(question="When is the quiz?", answer="On Friday.")
    (entry,) = api.platform.stores.faq.add(CourseId(COURSE), [draft], editor="ann")
    waiting, _ = api.ask_ta("Why is the quiz on Friday?")
    with closing(browser(api)) as client:
        log_in(api, client)
        before = dump(api)
        statuses = []
        for address in console_routes(api, "GET"):
            path = re.sub(r"\{\w+\}", "en", address.replace("{entry}", entry.id))
            query = {
                "q": waiting,
                "csrf": "x",
                "question": "q",
                "answer": "a",
                "name": "stack",
                "action": "reject",
            }
            statuses.append(client.get(path, params=query).status_code)
        assert statuses.count(200) >= 12
        writing = set(console_routes(api, "POST")) - set(console_routes(api, "GET"))
        refused = [path for path in writing if "{" not in path]
        assert len(refused) >= 5
        for path in refused:
            wanted = (404, 405) if "/faq/" in path else (405,)  # an entry could be called so
            assert client.get(path, params={"csrf": "x", "key": "k"}).status_code in wanted, path
        after = [line for line in dump(api) if not line.startswith('INSERT INTO "question_readers"')]
        assert after == before


def cookies_set(api: Served, scheme: str) -> Iterator[str]:
    headers, form = {"X-Forwarded-Proto": scheme}, {"key": api.key()}
    yield api.client.post("/console/log-in", data=form, headers=headers).headers["set-cookie"].lower()
    yield api.client.get("/console/language/zh", headers=headers).headers["set-cookie"].lower()


@pytest.mark.fault(case="T24")
def test_every_cookie_is_out_of_reach(api: Served) -> None:
    """HttpOnly, SameSite and for the console alone; Secure wherever the browser came by https (T24)."""
    for cookie in cookies_set(api, "https"):
        attributes = cookie.split("; ")
        assert "secure" in attributes
        assert "httponly" in attributes
        assert "path=/console" in attributes
        assert "samesite=strict" in attributes or "vta_console" not in cookie
        assert {"samesite=strict", "samesite=lax"} & set(attributes)
    for cookie in cookies_set(api, "http"):
        assert "secure" not in cookie.split("; "), "a browser on http would never send it back"


@pytest.mark.fault(case="T25")
def test_no_page_of_the_console_may_be_framed(api: Served) -> None:
    """Whatever the address, logged in or not (T25)."""
    with closing(browser(api)) as client:
        log_in(api, client)
        for path in (INBOX, f"/console/{COURSE}/faq", f"/console/{COURSE}/settings", "/console/log-in"):
            policy = client.get(path).headers["content-security-policy"]
            assert "frame-ancestors 'none'" in policy.split("; "), path
