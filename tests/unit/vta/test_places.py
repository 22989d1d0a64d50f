"""Places in words; `tests/javascript/places.test.mjs` holds the sidebar to the same table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vta.places import describe_place, place_name
from vta.types import Language, Locator, Place

CASES = json.loads((Path(__file__).parents[2] / "data" / "places.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["en"] for case in CASES])
@pytest.mark.parametrize("language", Language)
def test_a_place_is_said_in_the_language_of_the_reader(case: dict[str, object], language: Language) -> None:
    known = case["locator"]
    assert isinstance(known, dict)
    locator = Locator(**{**known, "heading_path": tuple(known.get("heading_path", ()))})
    assert place_name(locator, language) == case[language]


def test_a_described_place_begins_with_its_document() -> None:
    place = Place(document="a.pdf", locator=Locator(page=2))
    assert describe_place(place, Language.ZH) == "a.pdf · 第 2 页"
    assert describe_place(Place(document="a.md", locator=Locator()), Language.EN) == "a.md"
