"""The disk of the index is full while the store, on another machine, is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from full_disk import files_of_at_most
from served_platform import TemplateHomes, new_platform, served
from template_databases import new_database
from worker_server import until

from vta.types.courses import CourseId, Role

KNOWN = {"question": "When is the homework due?"}
DRAFT = {"question": "Where is the lab?", "answer": "In room 12."}


@pytest.mark.slow
def test_a_full_folder_costs_no_write_and_no_answer(
    tmp_path: Path, templates: TemplateHomes, postgres_server: str
) -> None:
    """FAQ writes are 201, questions are answered from the index as it was and say so, /readyz says why; with
    room again all is caught up without a restart."""
    with new_database(postgres_server) as url:
        platform = new_platform(templates, tmp_path / "home", database_url=url)
        with served(platform) as api:
            key, _ = platform.stores.keys.make(CourseId("stacks-en"), Role.INSTRUCTOR)
            bearer = {"Authorization": f"Bearer {key}"}

            def ask(question: dict[str, str]) -> dict[str, object]:
                reply = api.client.post("/v1/courses/stacks-en/dialogue", json=question)
                assert reply.status_code == 200
                found: dict[str, object] = reply.json()
                return found

            assert ask(KNOWN)["degraded"] is None
            with files_of_at_most(100):
                written = api.client.post("/v1/courses/stacks-en/faq", json=DRAFT, headers=bearer)
                answer = ask(KNOWN)
                ready = api.client.get("/readyz")
                alive = api.client.get("/healthz")
            assert written.status_code == 201
            assert "Sunday" in str(answer["text"])
            assert answer["degraded"] is not None
            assert (ready.status_code, alive.status_code) == (503, 200)
            assert "the search index cannot be written" in ready.json()["detail"]
            until(lambda: ask({"question": DRAFT["question"]})["degraded"] is None)
            assert "room 12" in str(ask({"question": DRAFT["question"]})["text"])
            assert api.client.get("/readyz").status_code == 200
