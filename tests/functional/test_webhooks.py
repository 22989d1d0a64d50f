"""The platform is told of a TA's answers: signed, in order, until it has heard, at public addresses only."""

from __future__ import annotations

import logging
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from console_client import form_token
from listening_platform import ListeningPlatform
from served_platform import Serve, Served

from services.clock import SystemClock
from services.console.pages import TEXTS
from services.store.engine import sqlite_url
from services.stores import open_stores
from services.webhooks.rows import DeliveryReason
from vta.languages import Language
from vta.types.courses import Course, CourseId

COURSE = CourseId("stacks-en")
ADDRESS = f"/v1/courses/{COURSE}/settings"
QUESTION = "Will the final exam cover undo stacks in editors?"

Listen = Callable[..., ListeningPlatform]

pytestmark = pytest.mark.settings(webhook_private_addresses=True)


@pytest.fixture
def listen() -> Iterator[Listen]:
    """Starts platforms that answer with these statuses first."""
    with ExitStack() as stack:
        yield lambda *statuses: stack.enter_context(ListeningPlatform(*statuses))


def connect(api: Served, url: str) -> str:
    """Tell the platform there; returns the secret."""
    who = api.bearer()
    assert api.client.patch(ADDRESS, json={"webhook_url": url}, headers=who).status_code == 200
    made = api.client.post(f"{ADDRESS}/webhook/secret", headers=who)
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")
    return str(made.json()["secret"])


def answer(api: Served, question: str, *waiting: str) -> dict[str, Any]:
    body = {"questions": waiting, "entry": {"question": question, "answer": "Yes, **chapter 4**."}}
    reply = api.client.post(f"/v1/courses/{COURSE}/questions/answer", json=body, headers=api.bearer())
    assert reply.status_code == 201, reply.text
    return dict(reply.json())


def deliveries(api: Served) -> dict[str, Any]:
    return dict(api.client.get(f"{ADDRESS}/webhook", headers=api.bearer()).json())


def settled(api: Served, count: int) -> list[dict[str, Any]]:
    """The deliveries, newest first, when so many of them are settled."""
    for _ in range(200):
        found = [each for each in deliveries(api)["deliveries"] if each["state"] != "waiting"]
        if len(found) >= count:
            return found
    raise AssertionError(found)


def test_the_platform_is_told_who_asked_and_what_was_answered(api: Served, listen: Listen) -> None:
    """Signed by the standard; the learner is the pseudonym that the platform was given with the token."""
    platform = listen()
    secret = connect(api, f"{platform.url}/vta?tenant=7")
    token = api.learner("u-1")
    waits, first = api.ask_ta(QUESTION, headers=token)
    also_waits, second = api.ask_ta("Are undo stacks part of the final?")
    entry = answer(api, "Does the final cover undo stacks?", waits, also_waits)
    heard = platform.next()
    assert (heard.path, heard.headers["content-type"]) == ("/vta?tenant=7", "application/json")
    assert heard.is_signed_with(secret)
    assert not heard.is_signed_with("whsec_" + "A" * 44)
    told = heard.json
    assert (told["type"], told["id"]) == ("question.answered", heard.id)
    assert told["timestamp"].endswith("+00:00")
    assert told["data"] == {
        "course_id": COURSE,
        "faq_id": entry["id"],
        "question": "Does the final cover undo stacks?",
        "answer": "Yes, **chapter 4**.",
        "askers": [
            {
                "question_id": waits,
                "turn_id": first["turn_id"],
                "session_id": first["session_id"],
                "learner_id": api.platform.stores.sessions.learner(COURSE, first["session_id"]),
                "question": QUESTION,
            },
            {
                "question_id": also_waits,
                "turn_id": second["turn_id"],
                "session_id": second["session_id"],
                "learner_id": None,
                "question": "Are undo stacks part of the final?",
            },
        ],
    }
    (delivery,) = settled(api, 1)
    assert (delivery["id"], delivery["state"], delivery["status"]) == (heard.id, "delivered", 204)
    assert delivery["attempts"] == 1


@pytest.mark.slow
def test_what_was_not_heard_is_sent_again_and_first(api: Served, listen: Listen) -> None:
    """After a 500 and a redirect, which is not followed, under the same id; the next answer waits for it."""
    platform = listen(500, 302)
    secret = connect(api, platform.url)
    for question in (QUESTION, "Who marks the homework?"):
        waits, _ = api.ask_ta(question)
        answer(api, question, waits)
    heard = [platform.next() for _ in range(4)]
    assert [each.path for each in heard] == ["/"] * 4
    assert len({each.id for each in heard[:3]}) == 1
    assert {each.body for each in heard[:3]} == {heard[0].body}
    assert [each.json["data"]["question"] for each in heard[2:]] == [QUESTION, "Who marks the homework?"]
    assert all(each.is_signed_with(secret) for each in heard)
    assert [each["attempts"] for each in settled(api, 2)] == [1, 3]


@pytest.mark.skipif(os.name != "posix", reason="kill -9 not proven: this system has no signals")
def test_a_process_that_is_killed_while_it_delivers_loses_nothing(
    serve: Serve, listen: Listen, tmp_path: Path
) -> None:
    """The answer is committed and its try begun; the next process sends it, under the same id."""
    platform, url = listen(), sqlite_url(tmp_path / "vta.db")
    with closing(open_stores(url, SystemClock())) as stores:
        stores.courses.add(Course(id=COURSE, name="Stacks", domains=(), language=Language.EN))
        secret = "whsec_" + "QUJD" * 8
        stores.settings.change(COURSE, lambda found: replace(found, webhook_url=platform.url))
        stores.webhooks.keep_secret(COURSE, secret)
    script = Path(__file__).with_name("die_after_answering.py")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    died = subprocess.run(
        [sys.executable, str(script), url, COURSE], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert died.returncode == -9
    serve(courses={}, database_url=url, webhook_private_addresses=True)
    heard = platform.next()
    assert heard.id == died.stdout.strip()
    assert heard.is_signed_with(secret)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_no_connection_is_made_inside_the_house(serve: Serve, listen: Listen, name: str) -> None:
    """Whatever the store holds: an address, or a name that stands for one, is refused before connecting."""
    platform, api = listen(), serve()
    url = platform.url.replace("127.0.0.1", name)
    stores = api.platform.stores
    stores.settings.change(COURSE, lambda found: replace(found, webhook_url=url))
    stores.webhooks.keep_secret(COURSE, "whsec_" + "QUJD" * 8)
    tested = api.client.post(f"{ADDRESS}/webhook/test", headers=api.bearer()).json()
    assert (tested["state"], tested["status"]) == ("failed", None)
    assert tested["reason"] == "private_address"
    assert platform.connections == 0


@pytest.mark.slow
def test_a_platform_that_says_nothing_is_given_up_after_five_seconds(api: Served) -> None:
    """The test says so; the request is bounded."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        connect(api, f"http://127.0.0.1:{silent.getsockname()[1]}")
        tested = api.client.post(f"{ADDRESS}/webhook/test", headers=api.bearer()).json()
    assert (tested["status"], tested["reason"]) == (None, "time_out")


def test_the_console_sets_and_tests_a_webhook_and_no_page_or_log_shows_its_secret(
    api: Served, ann: httpx.Client, listen: Listen, caplog: pytest.LogCaptureFixture
) -> None:
    """Shown when the address is set and when it is replaced; afterwards nowhere, even when a try fails."""
    caplog.set_level(logging.DEBUG)
    platform, page = listen(503), f"/console/{COURSE}/settings"
    form = {"csrf": form_token(ann)}
    assert ann.post(f"{page}/webhook", data={**form, "webhook_url": ""}).status_code == 303
    for part in ("webhook/secret", "webhook/test"):
        assert ann.post(f"{page}/{part}", data=form).status_code == 422
    secrets = []
    for part, data in (("webhook", {"webhook_url": platform.url}), ("webhook/secret", {})):
        shown = ann.post(f"{page}/{part}", data={**form, **data})
        found = re.search(r'data-testid="new-secret">(whsec_[^<]+)<', shown.text)
        assert found
        secrets.append(found[1])
    assert ann.post(f"{page}/webhook", data={**form, "webhook_url": platform.url}).status_code == 303
    for _ in range(2):
        assert ann.post(f"{page}/webhook/test", data=form).status_code == 303
    heard = [platform.next() for _ in range(2)]
    assert {each.json["type"] for each in heard} == {"webhook.test"}
    assert all(each.is_signed_with(secrets[1]) for each in heard)
    shown = ann.get(page)
    assert shown.text.count('data-testid="delivery"') == 2
    assert "503 not accepted" in shown.text
    waits, _ = api.ask_ta(QUESTION)
    platform.statuses.append(500)
    answer(api, QUESTION, waits)
    platform.next()
    platform.next()
    settled(api, 3)
    everything = caplog.text + shown.text + str(deliveries(api))
    assert "500, not_accepted" in caplog.text
    for secret in secrets:
        assert secret.removeprefix("whsec_")[:12] not in everything


def test_what_is_told_nowhere_does_not_wait(api: Served) -> None:
    """Without an address nothing is kept for later; when it is taken away, what waits is given up."""
    waits, _ = api.ask_ta(QUESTION)
    answer(api, QUESTION, waits)
    assert deliveries(api) == {"url": None, "has_secret": False, "waiting": 0, "deliveries": []}
    who = api.bearer()
    api.client.patch(ADDRESS, json={"webhook_url": "http://127.0.0.1:9"}, headers=who)
    waits, _ = api.ask_ta("Who marks the homework?")
    answer(api, "Who marks the homework?", waits)
    assert deliveries(api)["waiting"] == 1  # until a secret is made
    api.client.patch(ADDRESS, json={"webhook_url": None}, headers=who)
    (given_up,) = settled(api, 1)
    assert (given_up["state"], given_up["attempts"]) == ("failed", 0)


def test_the_console_has_words_for_every_outcome() -> None:
    """In both languages."""
    for words in TEXTS.values():
        assert all(f"reason_{reason}" in words for reason in DeliveryReason)


def test_the_platform_is_told_of_an_upload(api: Served, listen: Listen) -> None:
    """Once its files can be asked about; files that cannot be read are counted apart."""
    platform = listen()
    secret = connect(api, platform.url)
    files = [("files", ("heaps.md", b"# Heaps\n\nA heap is a tree.\n")), ("files", ("b.pdf", b"no PDF"))]
    begun = api.client.post(f"/v1/courses/{COURSE}/materials", files=files, headers=api.bearer()).json()
    heard = platform.next()
    assert heard.is_signed_with(secret)
    assert heard.json["type"] == "ingest.done"
    assert heard.json["data"] == {
        "course_id": COURSE,
        "ingest_id": begun["id"],
        "failed": False,
        "added": 1,
        "unchanged": 0,
        "removed": 0,
        "rejected": 1,
    }
    for words in TEXTS.values():
        assert "delivery_ingest_done" in words
