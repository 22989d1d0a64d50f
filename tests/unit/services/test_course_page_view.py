"""What the course page shows of passages: headings, pages, seconds, and the words of a search."""

from __future__ import annotations

from typing import Any

import factories as make

from services.materials.course_reading import Chapter, DocumentPart
from services.sidebar.pages import SNIPPET, read_document, read_hit
from vta.languages import Language
from vta.types.pairs import QAPair


def passage(text: str, **place: Any) -> QAPair:
    return make.passage(text, document="02-trees.pdf", **place)


def part_of(*passages: QAPair) -> DocumentPart:
    chapter = Chapter(path="02-trees.pdf", name="Trees", headings=())
    return DocumentPart(
        chapter=chapter, unit="", passages=passages, number=1, of=1, here=None, before=None, after=None
    )


def test_a_page_is_named_where_it_begins_and_the_title_is_not_repeated() -> None:
    """Headings below the title begin at the third level of the page."""
    one, two, three, four = read_document(
        part_of(
            passage("a", page=1, heading_path=("Trees",)),
            passage("b", page=1, heading_path=("Trees", "Roots")),
            passage("c", page=2, heading_path=("Trees", "Roots", "Depth")),
            passage("d", page=2, heading_path=("Trees", "Leaves")),
        )
    ).sections
    assert [each.page for each in (one, two, three, four)] == [1, None, 2, None]
    assert (one.headings, two.headings) == ((), ((3, "Roots"),))
    assert (three.headings, four.headings) == (((4, "Depth"),), ((3, "Leaves"),))


def test_what_is_said_has_its_second() -> None:
    (section,) = read_document(part_of(passage("a", video="v.mp4", start_s=125.5))).sections
    assert (section.time, section.second, section.video) == ("02:05", 125.5, "v.mp4")


def test_a_hit_shows_what_stands_around_the_first_word_looked_for() -> None:
    """In plain words, no word cut at the beginning; the words are told apart from the rest."""
    text = "filling words " * 30 + "the **root** of a tree is its top, " + "more words " * 30
    hit = read_hit(passage(text, page=7), ["root", "a"], (), Language.EN)
    assert ("root", True) in hit.snippet
    assert not any(is_word for piece, is_word in hit.snippet if piece != "root")
    shown = "".join(piece for piece, _ in hit.snippet)
    assert shown.startswith(("… filling", "… words"))
    assert len(shown) <= SNIPPET + 4
    assert (hit.name, hit.place) == ("02-trees", "Page 7")
