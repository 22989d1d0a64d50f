"""Requests that are refused: with which status, and in words that tell nothing of the inside."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from plain_faults import plain
from small_platform import COURSES, KeywordIntents

from services.app import create_app
from services.http.uploads import LARGEST_BODY
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.errors import UpstreamFailed
from vta.types import CourseId, Role

COURSE = "stacks-en"
ROOT = f"/v1/courses/{COURSE}"
DIALOGUE = f"{ROOT}/dialogue"
ASKED = {"question": "What is a stack?"}


@pytest.fixture
async def platform(tmp_path: Path) -> AsyncIterator[Platform]:
    built = build_platform(Settings(home=tmp_path / "home"), intents=KeywordIntents())
    for course, _ in COURSES.values():
        built.stores.courses.add(course)
    yield built
    built.close()


@pytest.fixture
async def client(platform: Platform) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application itself, without a socket."""
    transport = httpx.ASGITransport(app=create_app(platform), client=("192.0.2.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
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
    "given",
    [{"beta": 0}, {"beta": -1}, {"beta": 101}, {"alpha": -0.1}, {"alpha": 1.1}, {"relevance": 1.1}],
)
async def test_a_threshold_that_makes_no_sense_is_422(client, platform, given):
    """With beta = 0 every pair would be a direct answer."""
    key, _ = platform.stores.keys.make(CourseId(COURSE), Role.INSTRUCTOR)
    headers = {"Authorization": f"Bearer {key}"}
    reply = await client.patch(f"{ROOT}/settings", json=given, headers=headers)
    assert reply.status_code == 422
    assert [fault["field"] for fault in reply.json()["errors"]] == list(given)


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


async def test_a_failed_service_is_not_named_by_its_fault_either(client, platform, monkeypatch):
    """Which one failed is for the log."""

    def fail(*_: object) -> None:
        raise UpstreamFailed(plain("Elasticsearch is away"))

    monkeypatch.setattr(type(platform.knowledge), "current", fail)
    reply = await client.post(DIALOGUE, json={"question": "Why so?"})
    assert (reply.json()["code"], reply.json()["fault"]) == ("upstream_failed", "api.upstream")


async def test_a_body_that_is_no_json_is_told_as_such_and_where(client):
    reply = await client.post(
        DIALOGUE, content=b'{"question" x}', headers={"Content-Type": "application/json"}
    )
    (fault,) = reply.json()["errors"]
    assert (reply.status_code, fault["field"]) == (422, "body")
    assert fault["message"] == "not JSON: Expecting ':' delimiter at character 12"
