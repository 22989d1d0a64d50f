"""A store that takes no writes: a full disk, and a file that was put in the place of the one that serves."""

from __future__ import annotations

import shutil
import uuid

import pytest
from full_disk import files_of_at_most
from served_platform import Serve

POPPED = "Which end of a stack is popped first?"


def asked(api):
    reply = api.client.post(
        "/v1/courses/stacks-en/dialogue",
        json={"question": POPPED},
        headers={"Idempotency-Key": uuid.uuid4().hex},
    )
    return reply.status_code, (reply.json().get("degraded") or {}).get("stage")


def add_entry(api, key):
    body = {"question": "When is the exam?", "answer": "In week 16."}
    return api.client.post("/v1/courses/stacks-en/faq", json=body, headers=key).status_code


@pytest.mark.fault(case="T144")
def test_on_a_full_disk_questions_are_answered_and_say_that_they_are_not_stored(serve: Serve) -> None:
    """/readyz and /metrics tell; a write is refused, and all goes on by itself once there is room."""
    api = serve()
    key = {"Authorization": f"Bearer {api.key(course='stacks-en')}"}
    assert asked(api)[0] == 200
    with files_of_at_most(1000):
        assert asked(api) == (200, "store")
        assert add_entry(api, key) == 503
        assert "nothing is stored" in api.client.get("/readyz").json()["parts"]["disk"]
        assert "vta_store_writable 0.0" in api.client.get("/metrics").text
    assert asked(api)[1] != "store"
    assert add_entry(api, key) == 201
    assert "disk" not in api.client.get("/readyz").json()["parts"]
    assert "vta_store_writable 1.0" in api.client.get("/metrics").text


@pytest.mark.fault(case="T145")
def test_nothing_is_written_once_another_file_is_in_the_place_of_the_store(serve: Serve) -> None:
    """What would be acknowledged then is lost at the next start; with the right file back it goes on."""
    api = serve()
    key = {"Authorization": f"Bearer {api.key(course='stacks-en')}"}
    file = api.platform.settings.home / "vta.db"
    aside = file.with_name("aside.db")
    file.rename(aside)
    shutil.copy(aside, file)
    assert add_entry(api, key) == 503
    assert asked(api) in ((200, "store"), (503, None))
    assert api.client.get("/readyz").status_code == 503
    file.unlink()
    aside.rename(file)
    assert add_entry(api, key) == 201
    assert api.client.get("/readyz").status_code == 200
