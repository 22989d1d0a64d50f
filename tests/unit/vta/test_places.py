"""Places in words; `tests/javascript/places.test.mjs` holds the sidebar to the same table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vta.languages import Language
from vta.places import describe_place, document_name, place_name
from vta.types.concepts import Place
from vta.types.pairs import Locator

CASES = json.loads((Path(__file__).parents[2] / "data" / "places.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["en"] for case in CASES])
@pytest.mark.parametrize("language", Language)
def test_a_place_is_said_in_the_language_of_the_reader(case: dict[str, object], language: Language) -> None:
    known = case["locator"]
    assert isinstance(known, dict)
    locator = Locator(**{**known, "heading_path": tuple(known.get("heading_path", ()))})
    assert place_name(locator, language) == case[language]


def test_a_described_place_begins_with_what_the_document_is_called() -> None:
    place = Place(document="slides/week_1.pdf", locator=Locator(page=2))
    assert describe_place(place, Language.ZH) == "Week 1 · 第 2 页"
    assert describe_place(Place(document="a.md", locator=Locator()), Language.EN) == "A"
    headings = Place(document="notes/a.md", locator=Locator(heading_path=("Stack", "Push")))
    assert describe_place(headings, Language.EN) == "Stack › Push"
    lecture = Place(document="04-stack.srt", locator=Locator(video="04-stack.srt", start_s=59.0))
    assert describe_place(lecture, Language.EN) == "Lecture 4, Stack · 00:59"
    titled = Place(document="04.srt", locator=Locator(video="04.srt", start_s=59.0), title="第 4 讲 栈")
    assert describe_place(titled, Language.ZH) == "第 4 讲 栈 · 00:59"


@pytest.mark.parametrize(
    ("path", "title", "language", "name"),
    [
        ("subtitles/04-walking-downhill.srt", "", Language.EN, "Lecture 4, Walking downhill"),
        ("04-stack.vtt", "4. 栈", Language.ZH, "第 4 讲 栈"),
        ("lecture_12.srt", "", Language.EN, "Lecture 12"),
        ("Week 3 intro.srt", "", Language.EN, "Week 3 intro"),
        ("2023-09-01 talk.srt", "", Language.EN, "2023 09 01 talk"),
        ("04-notes_on-trees.txt", "", Language.EN, "Notes on trees"),
        ("1.10 Stacks.md", "", Language.EN, "Stacks"),
        ("lecture 1.2 栈.srt", "", Language.ZH, "第 1.2 讲 栈"),
        ("course.tar.gz", "", Language.EN, "Course"),
        ("第3讲-树.srt", "", Language.ZH, "第3讲 树"),
        ("42.pdf", "", Language.EN, "42"),
    ],
)
def test_a_file_is_called_what_a_teacher_would_call_it(path, title, language, name) -> None:  # type: ignore[no-untyped-def]
    assert document_name(path, language, title) == name
