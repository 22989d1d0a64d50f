"""Requests that are refused: with which status, and in words that tell nothing of the inside."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator

import httpx
import pytest
from plain_faults import plain
from served_platform import Build, client_of

from services.web.uploads import LARGEST_BODY
from services.wiring import Platform
from vta.errors import UpstreamFailed
from vta.types.courses import CourseId, Role

COURSE = "stacks-en"
ROOT = f"/v1/courses/{COURSE}"
DIALOGUE = f"{ROOT}/dialogue"
ASKED = {"question": "What is a stack?"}


@pytest.fixture
def platform(build: Build) -> Platform:
    return build()


@pytest.fixture
async def client(platform: Platform) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(platform, "192.0.2.1") as client:
        yield client


async def _pieces(length: int) -> AsyncIterator[bytes]:
    for _ in range(length // 50_000 + 1):
        yield b" " * 50_000


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "chunked"])
@pytest.mark.parametrize("key", ["k-1", None], ids=["with a key", "without"])
async def test_a_body_over_the_limit_is_413_with_or_without_an_idempotency_key(client, declared, key):
    """It is the same problem, whichever layer reads the body."""
    content = b" " * (LARGEST_BODY + 1) if declared else _pieces(LARGEST_BODY)
    headers = {"Content-Type": "application/json"} | ({"Idempotency-Key": key} if key else {})
    reply = await client.post(DIALOGUE, content=content, headers=headers)
    assert (reply.status_code, reply.json()["code"]) == (413, "body_too_large")
    assert reply.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("stream", [True, False])
async def test_no_reply_to_a_student_holds_an_inner_address(client, platform, caplog, monkeypatch, stream):
    """Where a service fails, the student reads plain words, and the log says which one and why."""
    inside = "Elasticsearch at http://search.internal:9200 cannot be reached"

    def fail(*_: object) -> None:
        raise UpstreamFailed(plain(inside))

    monkeypatch.setattr(type(platform.knowledge), "current", fail)
    with caplog.at_level(logging.WARNING):
        reply = await client.post(DIALOGUE, json={"question": "Why so?", "stream": stream})
    assert "search.internal" not in reply.text
    assert "upstream_failed" in reply.text
    assert stream or reply.json()["fault"] == "api.upstream"
    assert "search.internal" in caplog.text


async def test_no_reply_holds_the_path_of_the_store(client, platform, caplog):
    """Neither one to a student nor that of /readyz, which anyone may ask for."""
    with platform.stores.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE store_state RENAME TO gone")
        connection.exec_driver_sql("ALTER TABLE sessions RENAME TO gone_too")
    place = str(platform.settings.home)
    for reply in (await client.get(f"{ROOT}/sessions/s1"), await client.get("/readyz")):
        assert reply.status_code == 503
        assert place not in reply.text
        assert "vta.db" not in reply.text
        assert "no such table" not in reply.text
    assert "vta.db" in caplog.text


@pytest.mark.parametrize(
    "sent",
    ["Bearer mistyped", "Bearer VTA_0123456789ab_x", "Bearer ", "vta_0123456789ab_x", "Token abc"],
)
async def test_a_bearer_that_is_no_key_is_401(client, sent):
    """Whoever sends a key means to be known by it, and is not served as nobody."""
    reply = await client.post(DIALOGUE, json=ASKED, headers={"Authorization": sent})
    assert (reply.status_code, reply.json()["code"]) == (401, "unauthorized")
    assert reply.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("wrong", ["begin", "case", "prefix"])
async def test_a_mistyped_key_of_ours_is_401_for_openai_clients_too(client, platform, wrong):
    """They always send a key, and one of another service counts as none; a damaged one of ours does not."""
    key, _ = platform.stores.keys.make(CourseId(COURSE), Role.PLATFORM)
    damaged = {"begin": key[1:], "case": key.upper(), "prefix": "sk-" + key}[wrong]
    body = {"model": "any", "messages": [{"role": "user", "content": "What is a stack?"}]}
    address = f"{ROOT}/chat/completions"
    reply = await client.post(address, json=body, headers={"Authorization": f"Bearer {damaged}"})
    assert reply.status_code == 401
    for foreign in ("unused", "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"):
        reply = await client.post(address, json=body, headers={"Authorization": f"Bearer {foreign}"})
        assert reply.status_code != 401


@pytest.mark.parametrize(
    ("method", "path", "body", "fault"),
    [
        ("POST", DIALOGUE, {"question": " "}, "api.request"),
        ("GET", "/v1/courses/nowhere/graph", None, "course.unknown"),
        ("GET", "/v1/courses/ds/faq", None, "key.instructor_needed"),
        ("GET", "/nothing/here", None, "api.http"),
    ],
)
async def test_a_problem_names_its_fault_by_code(client, method, path, body, fault):
    """Beside its kind in `code`; the detail stays in English whatever the client reads."""
    reply = await client.request(method, path, json=body, headers={"Accept-Language": "zh"})
    problem = reply.json()
    assert problem["fault"] == fault
    assert problem["detail"].isascii()


async def test_a_body_that_is_no_json_is_told_as_such_and_where(client):
    reply = await client.post(
        DIALOGUE, content=b'{"question" x}', headers={"Content-Type": "application/json"}
    )
    (fault,) = reply.json()["errors"]
    assert (reply.status_code, fault["field"]) == (422, "body")
    assert fault["message"] == "not JSON: Expecting ':' delimiter at character 12"
