"""`Idempotency-Key`: what is sent again has one effect; Zulip's cases, Stripe's check of parameters, ours."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from plain_faults import plain
from served_platform import Served
from sqlalchemy import text

from vta.errors import UpstreamFailed
from vta.types.courses import CourseId, Role

ADMIN = "an-admin-key-for-tests"
COURSE = "stacks-en"
DIALOGUE = f"/v1/courses/{COURSE}/dialogue"
FAQ = f"/v1/courses/{COURSE}/faq"
ASK = {"question": "What is a stack?"}
DRAFT = {"question": "When is the quiz about stacks?", "answer": "On Friday at ten."}
KEY = "6b1c6f0e-6c5c-4f7e-9c59-4ad4cf1a9c11"

pytestmark = pytest.mark.settings(admin_key=ADMIN)


def post(api: Served, path: str, body: Any, key: str | None = KEY, **headers: str) -> httpx.Response:
    named = {"Idempotency-Key": key} if key is not None else {}
    reply: httpx.Response = api.client.post(path, json=body, headers={**named, **headers})
    return reply


def count(api: Served, table: str) -> int:
    with api.platform.stores.engine.connect() as connection:
        return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar() or 0)


def test_the_same_request_again_gets_the_same_reply_and_has_no_second_effect(api):
    """One turn, one session, one reply; the second says that it is a replay."""
    first, second = post(api, DIALOGUE, ASK), post(api, DIALOGUE, ASK)
    assert first.status_code == second.status_code == 200
    assert first.content == second.content
    assert ("idempotency-replayed" in first.headers, second.headers["idempotency-replayed"]) == (
        False,
        "true",
    )
    assert count(api, "turns") == 1


def test_without_a_key_or_with_another_one_it_is_another_request(api):
    """No key promises nothing; two keys are two questions."""
    replies = [post(api, DIALOGUE, ASK, key) for key in (None, None, KEY, "another")]
    assert len({reply.json()["turn_id"] for reply in replies}) == 4


@pytest.mark.fault(case="T54")
def test_a_key_with_other_parameters_is_refused(api):
    """422 for another body or query; the order of fields and blanks do not matter."""
    who = api.bearer()
    made = post(api, FAQ, DRAFT, **who)
    other = post(api, FAQ, {**DRAFT, "answer": "On Monday."}, **who)
    assert (made.status_code, other.status_code, other.json()["code"]) == (
        201,
        422,
        "idempotency_key_reused",
    )
    assert other.headers["content-type"] == "application/problem+json"
    assert post(api, f"{FAQ}?more=1", DRAFT, **who).status_code == 422
    turned = post(api, FAQ, dict(reversed(DRAFT.items())), **who)
    assert (turned.json(), turned.headers["etag"]) == (made.json(), '"1"')
    assert turned.headers["location"] == made.headers["location"]
    assert count(api, "faq_entries") == 1


def test_a_key_counts_for_its_caller_course_and_route_only(api):
    """Another caller, another course and another route may use the same text."""
    asked = post(api, DIALOGUE, ASK)
    german = post(api, "/v1/courses/stacks-zh/dialogue", ASK)
    keyed = post(api, DIALOGUE, ASK, **api.bearer(Role.PLATFORM))
    thumbs = post(api, f"/v1/courses/{COURSE}/turns/{asked.json()['turn_id']}/feedback", {"rating": "up"})
    assert len({reply.json()["turn_id"] for reply in (asked, german, keyed)}) == 3
    assert thumbs.status_code == 204
    again = post(api, f"/v1/courses/{COURSE}/turns/{asked.json()['turn_id']}/feedback", {"rating": "up"})
    assert (again.status_code, again.headers["idempotency-replayed"]) == (204, "true")


def test_a_request_that_is_still_at_work_gives_409_and_is_then_replayed(serve, scripted_llm):
    """While the model writes, the same request is told to wait; one question reaches the model."""
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m", llm_timeout_s=60.0)
    release = threading.Event()

    async def held(call: Any) -> None:
        await asyncio.to_thread(release.wait, 30)
        await scripted_llm.ok("Because the last lies on top. [1]")(call)

    scripted_llm.play(held)
    body = {"question": "Why do editors undo with a stack?"}
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(post, api, DIALOGUE, body)
        assert scripted_llm.arrived.wait(30)
        waiting = post(api, DIALOGUE, body)
        release.set()
        done = first.result()
    assert (waiting.status_code, waiting.json()["code"]) == (409, "request_in_progress")
    assert int(waiting.headers["retry-after"]) >= 1
    assert post(api, DIALOGUE, body).content == done.content
    assert len(scripted_llm.requests) == 1


@pytest.mark.fault(case="T54")
def test_fifty_at_once_have_one_effect(api):
    """Each gets the one reply, or is told that it is at work."""
    who = api.bearer()
    with ThreadPoolExecutor(10) as pool:
        replies = list(pool.map(lambda _: post(api, FAQ, DRAFT, **who), range(50)))
    assert {reply.status_code for reply in replies} <= {201, 409}
    assert len({reply.content for reply in replies if reply.status_code == 201}) == 1
    assert count(api, "faq_entries") == 1


def test_a_final_refusal_is_replayed_and_a_failure_of_ours_is_not(api, monkeypatch):
    """404 is kept; 503 is not, so the request may be made again."""
    who, platform = api.bearer(), api.bearer(Role.PLATFORM)
    nowhere = f"/v1/courses/{COURSE}/turns/none/ask-ta"
    assert post(api, nowhere, {}, **platform).status_code == 404
    again = post(api, nowhere, {}, **platform)
    assert (again.status_code, again.headers["idempotency-replayed"]) == (404, "true")
    assert again.headers["content-type"] == "application/problem+json"

    faq = type(api.platform.stores.faq)
    with monkeypatch.context() as broken:

        def fail(*_: object, **__: object) -> None:
            raise UpstreamFailed(plain("the disk is full"))

        broken.setattr(faq, "add", fail)
        assert post(api, FAQ, DRAFT, "second", **who).status_code == 503
    assert post(api, FAQ, DRAFT, "second", **who).status_code == 201


def failing(*_: object, **__: object) -> None:
    raise UpstreamFailed(plain("the connection was reset"))


def post_when_free(api: Served, **who: str) -> httpx.Response:
    """The first reply that is no 409."""
    until = time.monotonic() + 20.0
    while (reply := post(api, FAQ, DRAFT, **who)).status_code == 409:
        assert time.monotonic() < until, "the key is still held"
        time.sleep(0.1)
    return reply


def test_a_store_that_fails_after_the_effect_does_not_take_the_reply_away(api, monkeypatch):
    """The entry is there, so the reply says so; once the store is back it is kept, and replayed."""
    who = api.bearer()
    with monkeypatch.context() as broken:
        broken.setattr(type(api.platform.stores.idempotency), "finish", failing)
        assert post(api, FAQ, DRAFT, **who).status_code == 201
        assert post(api, FAQ, DRAFT, **who).status_code == 409
    again = post_when_free(api, **who)
    assert (again.status_code, again.headers["idempotency-replayed"]) == (201, "true")
    assert count(api, "faq_entries") == 1


def test_a_request_that_failed_with_the_store_may_be_made_again_once_it_is_back(api, monkeypatch):
    who = api.bearer()
    with monkeypatch.context() as broken:
        broken.setattr(type(api.platform.stores.faq), "add", failing)
        broken.setattr(type(api.platform.stores.idempotency), "give_up", failing)
        assert post(api, FAQ, DRAFT, **who).status_code == 503
    again = post_when_free(api, **who)
    assert (again.status_code, "idempotency-replayed" in again.headers) == (201, False)


def test_a_store_that_cannot_tell_whose_key_it_is_gives_a_declared_503(api, monkeypatch):
    """Before the request is begun, so it may be made again."""
    who = api.bearer()

    with monkeypatch.context() as broken:
        broken.setattr(type(api.platform.stores.keys), "check", failing)
        refused = post(api, FAQ, DRAFT, **who)
        assert (refused.status_code, refused.json()["code"]) == (503, "upstream_failed")
    assert post(api, FAQ, DRAFT, **who).status_code == 201


def test_missing_rights_are_not_kept_and_a_revoked_key_gets_nothing_back(api):
    """401 is not remembered for the key that is valid later; a replay needs a key that still opens."""
    stranger = {"Authorization": "Bearer nonsense"}
    assert post(api, FAQ, DRAFT, **stranger).status_code == 401
    assert count(api, "idempotency_keys") == 0
    text_of, key = api.platform.stores.keys.make(CourseId(COURSE), Role.INSTRUCTOR)
    who = {"Authorization": f"Bearer {text_of}"}
    assert post(api, FAQ, DRAFT, **who).status_code == 201
    api.platform.stores.keys.revoke(CourseId(COURSE), key.id)
    assert post(api, FAQ, DRAFT, **who).status_code == 401


def test_a_stream_that_came_to_its_end_is_replayed_byte_by_byte(api):
    """The same events with the same ids; one turn is stored."""
    first, second = (post(api, DIALOGUE, {**ASK, "stream": True}) for _ in range(2))
    assert first.headers["content-type"].startswith("text/event-stream")
    assert "event: done" in first.text
    assert first.content == second.content
    assert second.headers["content-type"] == first.headers["content-type"]
    assert count(api, "turns") == 1


def test_a_stream_that_failed_may_be_asked_again(api, monkeypatch):
    """A stream that ends in `error` is no reply to keep, though its status was 200."""
    with monkeypatch.context() as broken:

        def fail(*_: object) -> None:
            raise UpstreamFailed(plain("the disk is full"))

        broken.setattr(type(api.platform.stores.sessions), "record", fail)
        assert "event: error" in post(api, DIALOGUE, {**ASK, "stream": True}).text
    assert "event: done" in post(api, DIALOGUE, {**ASK, "stream": True}).text


def test_a_client_that_leaves_in_the_middle_may_ask_again(serve, scripted_llm):
    """What was broken off before its end is no reply; the key is free again."""
    api = serve(llm_base_url=scripted_llm.base_url, llm_model="m", llm_timeout_s=60.0)
    scripted_llm.play(scripted_llm.hang(), scripted_llm.ok("Because the last lies on top. [1]"))
    body = {"question": "Why do editors undo with a stack?"}
    with pytest.raises(httpx.ReadTimeout):
        api.client.post(DIALOGUE, json=body, headers={"Idempotency-Key": KEY}, timeout=1.0)
    assert scripted_llm.left.wait(30)
    replies = (post(api, DIALOGUE, body) for _ in range(200))
    reply = next(each for each in replies if each.status_code != 409)
    assert reply.status_code == 200
    assert "idempotency-replayed" not in reply.headers


def test_a_secret_is_never_kept(api):
    """A course key is shown once: the same request again says so, and the store holds no key."""
    path, admin = f"/v1/courses/{COURSE}/keys", {"Authorization": f"Bearer {ADMIN}"}
    made = post(api, path, {"role": "platform"}, **admin)
    again = post(api, path, {"role": "platform"}, **admin)
    assert (made.status_code, again.status_code, again.json()["code"]) == (201, 409, "reply_not_kept")
    secret = made.json()["key"].rpartition("_")[2]
    with api.platform.stores.engine.connect() as connection:
        rows = connection.execute(text("SELECT * FROM idempotency_keys")).all()
    assert secret not in str(rows)
    assert KEY not in str(rows)
    assert ADMIN not in str(rows)
    assert count(api, "course_keys") == 1


def test_an_erased_learner_is_erased_from_the_replies_too(api):
    """Kept replies go with their session."""
    post(api, DIALOGUE, {**ASK, "learner_id": "learner-1"})
    assert count(api, "idempotency_keys") == 1
    assert api.client.delete(f"/v1/courses/{COURSE}/learners/learner-1").status_code == 204
    assert count(api, "idempotency_keys") == 0


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "\u00e9"])
def test_a_key_that_is_none_is_refused(api, key):
    """422 for an empty, overlong or unprintable key."""
    reply = api.client.post(DIALOGUE, json=ASK, headers={"Idempotency-Key": key.encode("latin-1")})
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_input")


def test_a_visitors_token_is_stored_nowhere(api):
    """No cache stores the reply, nor does the store; the same request again is told so."""
    key, path = api.bearer(Role.PLATFORM), f"/v1/courses/{COURSE}/visitors"
    made = post(api, path, {"learner_id": "ann"}, **key)
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
    token = made.json()["token"]
    with api.platform.stores.engine.connect() as connection:
        stored = connection.execute(text("SELECT * FROM idempotency_keys")).all()
    assert stored
    assert token.rpartition(".")[2] not in repr(stored)
    again = post(api, path, {"learner_id": "ann"}, **key)
    assert (again.status_code, token in again.text) == (409, False)
    assert post(api, path, {"learner_id": "ann"}, key="another", **key).status_code == 201
