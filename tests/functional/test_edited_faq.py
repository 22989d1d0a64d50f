"""An edited FAQ file answers at once, and costs what was edited."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from small_platform import KeywordIntents

from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.types.courses import Course, CourseId

COURSE = Course(id=CourseId("faq"), name="FAQ", domains=("CS",), language=Language.EN)
QUESTION = "When is the homework due?"


def table(answer: str, *more: str) -> str:
    """A FAQ of three hundred rows, and that question with its answer."""
    rows = [f"Which room is used in week {n}?,Room {n} on floor {n % 7}." for n in range(300)]
    return "\n".join(["question,answer", *rows, f"{QUESTION},{answer}", *more]) + "\n"


def written(home: Path) -> tuple[str, int]:
    """The live generation, and how many documents its files hold, deleted ones too."""
    live = json.loads((home / "index" / "live.json").read_text(encoding="utf-8"))
    (meta,) = (home / "index" / live["generation"]).glob("*/meta.json")
    segments = json.loads(meta.read_text(encoding="utf-8"))["segments"]
    return live["generation"], sum(segment["max_doc"] for segment in segments)


@pytest.fixture
def editor() -> Iterator[Callable[[Path], Platform]]:
    """Another process over the data folder of the server, as `vta ingest` is."""
    made: list[Platform] = []

    def open_at(home: Path) -> Platform:
        made.append(build_platform(Settings(home=home), intents=KeywordIntents()))
        return made[-1]

    yield open_at
    for platform in made:
        platform.close()


def test_an_edited_faq_file_answers_the_new_text_at_once(serve, editor):
    """The server tells the new answer after the ingest of another process; of 301 pairs one was written."""
    served = serve({"faq": (COURSE, {"faq.csv": table("On Sunday.")})})
    home = served.platform.settings.home

    def ask(question: str) -> str:
        reply = served.client.post("/v1/courses/faq/dialogue", json={"question": question})
        assert reply.status_code == 200
        return reply.json()["text"]

    def put(text: str) -> None:
        (home / "given" / "faq" / "faq.csv").write_text(text, encoding="utf-8")
        other = editor(home)
        report = ingest(
            [home / "given" / "faq"],
            course=COURSE,
            readers=other.readers,
            documents=other.stores.documents,
        )
        assert report.added == ("faq.csv",)
        other.knowledge.current()

    assert "Sunday" in ask(QUESTION)
    generation, before = written(home)
    put(table("On Friday."))
    assert "Friday" in ask(QUESTION)
    assert written(home) == (generation, before + 1)
    put(table("On Friday.", "Who grades the quiz?,The lecturer."))
    assert "lecturer" in ask("Who grades the quiz?")
    assert written(home)[0] == generation
    assert written(home)[1] <= before + 2
    put(table("On Friday."))
    assert "lecturer" not in ask("Who grades the quiz?")
    assert "Friday" in ask(QUESTION)
    assert written(home)[0] == generation
