"""What an answer to a test question is worth."""

from __future__ import annotations

from dataclasses import replace

import factories as make
import pytest

from services.test_questions.runs import outcome_of
from services.test_questions.store import CourseTest
from vta.dialogue.degradations import CLOSEST
from vta.types.answers import Citation, Route
from vta.types.courses import PairId
from vta.types.pairs import Source

TEXT = "# Stacks\n\n> A **stack** is last in,\u3000first out. It has a top. [1]"
CITED = Citation(
    n=1, pair_id=PairId("p1"), source=Source.MATERIAL, title="Stacks\nmore", passage="-", document="a.md"
)
ENTRY = replace(CITED, pair_id=PairId("faq-7"), source=Source.FAQ, document=None)


def right(test: dict[str, object], *, has_model: bool = False, **more: object) -> bool:
    given = {"text": TEXT, "citations": (CITED, ENTRY), **more}
    return outcome_of(CourseTest(question="?", **test), make.answer(**given), has_model=has_model).right


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ({"place": "a.md"}, True),
        ({"place": "a.md#Stacks"}, True),
        ({"place": "a.md#Queues"}, False),
        ({"place": "a.m"}, False),
        ({"place": "b.md"}, False),
        ({"place": "/faq-7"}, False),
        ({"words": ("LAST in, first",)}, True),
        ({"words": ("last in", "rear")}, False),
        ({"place": "b.md", "words": ("last in",)}, False),
    ],
)
def test_an_answer_is_right_by_its_first_citation_and_its_words(test, expected):
    """Of two citations the first counts; words are compared without case and width of blanks."""
    assert right(test) is expected


def test_an_entry_of_the_faq_is_a_place():
    """Whatever it asks by now."""
    found = outcome_of(
        CourseTest(question="?", place="/faq-7"), make.answer(citations=(ENTRY,)), has_model=False
    )
    assert (found.right, found.place) == (True, "/faq-7")


@pytest.mark.parametrize("route", [Route.CHIT_CHAT, Route.REFUSED, Route.UNANSWERED])
def test_what_answers_nothing_is_wrong(route):
    """Even where it cites the place, or cites nothing at all."""
    assert not right({"place": "a.md"}, route=route)
    assert not right({"place": "a.md"}, citations=())


def test_the_closest_place_is_an_answer_only_where_a_model_goes_on_from_it():
    """Without one, students read that the course does not say it."""
    near = {"route": Route.CHAIN_OF_TEACH, "degraded": CLOSEST}
    assert not right({"place": "a.md"}, **near)
    assert right({"place": "a.md"}, has_model=True, **near)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (TEXT, "A **stack** is last in,\u3000first out."),
        ("It is so. [1]", "It is so."),
        ("```\nx = 1\n```", "```"),
        ("x" * 400, "x" * 300),
    ],
)
def test_the_first_sentence_is_kept(text, sentence):
    """Of prose, else the first line, and not more than fits a row."""
    found = outcome_of(CourseTest(question="?", words=("a",)), make.answer(text=text), has_model=False)
    assert found.sentence == sentence
