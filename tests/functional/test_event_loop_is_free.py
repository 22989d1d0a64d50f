"""No route waits for the store, the index or another server on the event loop, where it would hold up all."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import fastapi.routing
import httpx
import pytest
from fastapi import FastAPI
from loop_watch import LoopWatch
from scripted_llm import ScriptedLlm
from served_platform import Build, client_of
from small_platform import COURSES

from services.app import create_app
from services.people.sessions import COOKIE
from services.people.store import PlatformRole
from services.wiring import Platform
from vta.types.courses import CourseId, Role
from vta.types.faq import FaqDraft

COURSE = CourseId("stacks-en")
ADMIN = "an-admin-key-for-the-tests"
DRAFT = {"question": "When is the exam?", "answer": "In week sixteen."}
JSON_BODIES: dict[str, Any] = {
    "POST /v1/courses/{course}/dialogue": {"question": "What is a stack?"},
    "POST /v1/courses/{course}/turns/{turn}/feedback": {"rating": "up"},
    "POST /v1/courses/{course}/turns/{turn}/ask-ta": None,
    "POST /v1/courses/{course}/chat/completions": {"messages": [{"role": "user", "content": "A stack?"}]},
    "POST /v1/chat/completions": {
        "model": "stacks-en",
        "messages": [{"role": "user", "content": "A stack?"}],
    },
    "POST /v1/courses/{course}/faq": DRAFT,
    "PUT /v1/courses/{course}/faq/{entry}": DRAFT | {"answer": "In week 15."},
    "POST /v1/courses/{course}/faq/{entry}/rollback": {"version": 1},
    "POST /v1/courses/{course}/faq/batches": {"entries": ["f"], "state": "draft"},
    "POST /v1/courses/{course}/questions/answer": {"questions": ["q"], "entry": DRAFT},
    "POST /v1/courses/{course}/questions/merge": {"questions": ["q"], "faq_id": "f"},
    "POST /v1/courses/{course}/questions/reject": {"questions": ["q"], "reason": "no"},
    "POST /v1/courses/{course}/replay": {"entry": DRAFT},
    "POST /v1/courses/{course}/graph/edits": {"kind": "add_alias", "concept": "stack", "alias": "LIFO list"},
    "PATCH /v1/courses/{course}/settings": {"refusal": "Ask in the forum."},
    "POST /v1/courses/{course}/settings/keys": {"role": "instructor"},
    "POST /v1/courses": {"id": "new", "name": "New", "domains": ["CS"], "language": "en"},
    "POST /v1/courses/{course}/copy": {"id": "copied", "name": "Copied"},
    "PUT /v1/courses/{course}/materials/release": {"paths": [next(iter(COURSES["stacks-en"][1]))]},
    "POST /v1/courses/{course}/keys": {"role": "platform"},
    "PATCH /v1/courses/{course}": {"name": "Stacks"},
    "POST /v1/people/password-links": {"email": "bo@b.example"},
    "POST /v1/courses/{course}/visitors": {"learner_id": "u-1"},
}
FORM = {
    "question": "What is a heap?", "answer": "A tree.", "action": "preview", "kind": "add_alias",
    "concept": "stack", "version": "1", "entry": "f", "name": "x", "to": "1", "mark": "good", "turn": "t",
    "relevance": "", "alpha": "", "beta": "", "refusal": "", "origins": "", "webhook_url": "", "key": "k",
    "path": "/x", "q": "stack", "ticket": "t", "iss": "i", "login_hint": "h", "state": "s", "id_token": "t",
    "about": "stack", "note": "", "language": "en", "email": "a@b.example", "role": "ta",
    "password": "long enough", "old": "long enough", "person": "p", "domains": "Maths", "id": "new-course",
    "typed": "no", "archived": "no", "copy_id": "copied-2", "copy_name": "Copied", "weeks": "1",
}  # fmt: skip


@pytest.fixture
def platform(build: Build, scripted_llm: ScriptedLlm) -> Platform:
    return build(admin_key=ADMIN, llm_base_url=scripted_llm.base_url, llm_model=scripted_llm.model)


@pytest.fixture
async def client(platform: Platform) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(platform) as client:
        yield client
    await platform.model.aclose()


def operations(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Method and path of every operation."""
    for route in getattr(fastapi.routing, "iter_route_contexts", iter)(app.routes):
        for method in sorted(route.methods - {"HEAD", "OPTIONS"}):
            yield method, route.path


def prepare(platform: Platform) -> tuple[dict[str, dict[str, str]], dict[str, str], dict[str, str]]:
    """The headers of each kind of caller, the tokens of their forms, and what stands in addresses."""
    keys = {role: platform.stores.keys.make(COURSE, role) for role in (Role.INSTRUCTOR, Role.PLATFORM)}
    cookie, session = platform.stores.console.open(COURSE, "Ann", key_id=keys[Role.INSTRUCTOR][1].id)
    person = platform.stores.people.add(name="Bo", email="bo@b.example", role=PlatformRole.ADMIN)
    persons, of_person = platform.stores.console.open(None, person.name, person=person)
    draft = FaqDraft(question="Where is the room?", answer="Upstairs.")
    (entry,) = platform.stores.faq.add(COURSE, [draft], editor="a")
    headers = {
        "instructor": {"Authorization": f"Bearer {keys[Role.INSTRUCTOR][0]}"},
        "platform": {"Authorization": f"Bearer {keys[Role.PLATFORM][0]}"},
        "admin": {"Authorization": f"Bearer {ADMIN}"},
        "console": {"Cookie": f"{COOKIE}={cookie}"},
        "person": {"Cookie": f"{COOKIE}={persons}"},
        "nobody": {},
    }
    words = {"course": COURSE, "entry": entry.id, "learner": "u-1", "key": "k", "job": "j", "language": "en"}
    return headers, {"console": session.csrf, "person": of_person.csrf}, words


def callers(path: str) -> tuple[str, ...]:
    """Who asks: the route's own kind of caller first."""
    if path.startswith("/console/-/"):
        return ("person", "nobody")
    if path.startswith("/console/{course}"):
        return ("console",)
    return ("platform", "instructor", "admin", "nobody") if path.startswith("/v1") else ("nobody",)


def body_of(method: str, path: str, csrf: str) -> dict[str, Any]:
    """What the operation is sent: files, a form, JSON, or nothing."""
    if method == "POST" and path.endswith("/materials"):
        return {"files": {"files": ("a.md", b"# A\n\nA tree.\n")}, "data": {"csrf": csrf}}
    if method == "POST" and path.startswith(("/console", "/lti")):
        return {"data": {**FORM, "csrf": csrf}}
    return {"json": JSON_BODIES.get(f"{method} {path}")}


async def test_no_route_blocks_the_event_loop(client: Any, platform: Platform) -> None:
    """Every operation is asked by every kind of caller. Most do their work; others refuse it."""
    headers, csrf, words = await asyncio.to_thread(prepare, platform)
    asked = await client.post(f"/v1/courses/{COURSE}/dialogue", json={"question": "What is a stack?"})
    words |= {"session": asked.json()["session_id"], "turn": asked.json()["turn_id"], "name": "stack"}
    handed_on = await client.post(f"/v1/courses/{COURSE}/turns/{words['turn']}/ask-ta")
    words |= {"question": handed_on.json()["question_id"], "path": next(iter(COURSES["stacks-en"][1]))}
    everything = sorted(operations(create_app(platform)), key=lambda each: each[0] == "DELETE")
    done, asks = set(), 0
    with LoopWatch() as watch:
        watch.look_at(platform.index)
        watch.look_at(platform.knowledge)
        for method, path in everything:
            address = re.sub(r"\{(\w+)(?::path)?\}", lambda found: words.get(found[1], "x"), path)
            for caller in callers(path):
                asks += 1
                sent = {**headers[caller], "Idempotency-Key": f"key-{asks}"}
                asks_for = {"q": "stack", "name": "stack", "path": words["path"]} if method == "GET" else None
                body = body_of(method, path, csrf.get(caller, ""))
                reply = await client.request(method, address, **body, params=asks_for, headers=sent)
                if reply.status_code < 400:
                    done.add((method, path))
    assert not watch.found, watch.report()
    assert len(done) > 0.6 * len(everything), sorted(set(everything) - done)


QUESTIONS = ("What is a stack?", "Why do editors undo with a stack?", "hello", "I want to die", "And why?")


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
async def test_no_kind_of_question_blocks_the_event_loop(
    client: Any, platform: Platform, stream: bool
) -> None:
    """Direct, taught, chit-chat, distress and a follow-up."""
    session = None
    with LoopWatch() as watch:
        watch.look_at(platform.index)
        watch.look_at(platform.knowledge)
        for question in QUESTIONS:
            body = {"question": question, "stream": stream, "session_id": session}
            reply = await client.post(f"/v1/courses/{COURSE}/dialogue", json=body)
            assert reply.status_code == 200
            (session,) = set(re.findall(r'"session_id": ?"([\w-]+)"', reply.text))
    assert not watch.found, watch.report()


async def test_what_would_be_found(platform: Platform) -> None:
    """A read of the store and a look at the index on the loop are; the same in a thread is not."""
    with LoopWatch() as watch:
        watch.look_at(platform.index)
        await asyncio.to_thread(platform.stores.documents.revision)
        await asyncio.to_thread(platform.index.stamp)
        assert watch.found == {}
        platform.stores.documents.revision()
        platform.index.stamp()
    assert {"store", f"{type(platform.index).__name__}.stamp"} <= watch.found.keys()
