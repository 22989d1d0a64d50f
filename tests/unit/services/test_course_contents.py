"""The contents of a course from its pairs, and where a passage stands in a document."""

from __future__ import annotations

from typing import Any

import factories as make

from services.materials.course_reading import (
    find_passage,
    in_order,
    new_headings,
    read_contents,
    reading_order,
)
from vta.languages import Language
from vta.types.courses import PairId
from vta.types.pairs import Locator, QAPair, Source


def passage(document: str, *headings: str, text: str = "", **more: Any) -> QAPair:
    """A passage of a document under these headings; its id is its text."""
    return make.passage(text or " ".join((document, *headings)), *headings, document=document, **more)


def test_units_are_folders_and_documents_stand_in_the_order_of_teaching() -> None:
    """By the numbers in their paths; what is in no folder comes first, licence and authors last.

    A folder that is called by its number alone keeps it.
    """
    pairs = [
        passage("10-last/a.md", "End"),
        passage("第一章/a.md", "Begin"),
        passage("2-lists/10-queue.md", "Queues"),
        passage("2-lists/9-stack.md", "Stacks"),
        passage("welcome.md", "Welcome"),
        passage("CODE_OF_CONDUCT.md", "Conduct"),
        passage("2-lists/99-authors.md", "Authors"),
    ]
    units = read_contents(Language.EN, pairs)
    assert [(unit.name, [chapter.name for chapter in unit.chapters]) for unit in units] == [
        ("", ["Welcome"]),
        ("第一章", ["Begin"]),
        ("Lists", ["Stacks", "Queues"]),
        ("Last", ["End"]),
        ("About this course", ["Conduct", "Authors"]),
    ]


def test_pages_stand_by_their_numbers_in_each_folder() -> None:
    """Those without one come last; a folder has the number of its first page, and contents go before."""
    paths = ["a/x.md", "a/y.md", "b/index.md", "b/z.md", "c.md", "toc/one.md", "toc/two.md"]
    numbers = {"a/index.md": 3, "a/x.md": 12, "a/y.md": 2, "b/index.md": 1, "c.md": 2}
    contents = {path: ((f"#{number}", ""),) for path, number in numbers.items()}
    contents["_toc.yml"] = (("toc/two", ""), ("toc/one", ""))
    units = read_contents(Language.EN, [passage(path, path) for path in paths], contents)
    order = [chapter.path for unit in units for chapter in unit.chapters]
    assert order == ["toc/two.md", "toc/one.md", "b/index.md", "c.md", "a/y.md", "a/x.md", "b/z.md"]


def test_documents_stand_as_the_contents_name_them() -> None:
    """What these do not name comes after, by path; a document without a title has the one of the contents."""
    pairs = [
        passage("b/one.md", "one"),
        passage("b/two.ipynb", "Second"),
        passage("a/last.md", "Last"),
        passage("a/first.srt", video="first.srt"),
        passage("a/first.md", "First"),
        passage("welcome.md", "Welcome"),
        passage("a/more/left.md", "Left"),
        passage("licence.md", "Licence"),
    ]
    contents = {
        "_toc.yml": (("a/first", "By the contents"), ("b/one", "The one"), ("b/two", ""), ("a/last", "")),
        "a/more/index.md": (("a/more/left", ""),),
    }
    units = read_contents(Language.EN, pairs, contents)
    assert [(unit.name, [chapter.name for chapter in unit.chapters]) for unit in units] == [
        ("A", ["First", "First"]),
        ("B", ["The one", "Second"]),
        ("A", ["Last"]),
        ("A › More", ["Left"]),
        ("", ["Welcome"]),
        ("About this course", ["Licence"]),
    ]
    ordered = [pair.document for pair in in_order(pairs, contents)]
    assert ordered[2:6] == ["b/one.md", "b/two.ipynb", "a/last.md", "a/more/left.md"]
    assert in_order(pairs, {}) is pairs


def test_a_title_that_other_files_have_too_gives_way_to_that_of_the_contents() -> None:
    pairs = [passage(f"{n}.md", "Readings") for n in (1, 2, 3)]
    contents = {"_quarto.yml": (("1", "Causes"), ("2", "Effects"), ("3", ""))}
    ((*chapters,),) = (unit.chapters for unit in read_contents(Language.EN, pairs, contents))
    assert [chapter.name for chapter in chapters] == ["Causes", "Effects", "Readings"]


def test_contents_inside_of_others_stand_where_these_name_them() -> None:
    """A page stands before what it names, and nothing is named twice, not even in a circle."""
    contents = {
        "9-a/index.md": (("9-a/x", ""), ("9-a", "")),
        "10-b/index.md": (("10-b/y", ""),),
        "index.md": (("10-b", "Ten"), ("z", "")),
    }
    assert list(reading_order(contents)) == [".", "10-b", "10-b/y", "z", "9-a", "9-a/x"]


def test_a_lecture_is_called_by_the_title_of_its_notes() -> None:
    """An `index` of another folder is no such notes."""
    pairs = [
        passage("notes/04-walk.md", "Walking downhill"),
        passage("notes/index.md", "Notes"),
        passage("v/04-walk.srt", video="04-walk.srt", start_s=0.0),
        passage("v/index.md", "index"),
    ]
    notes, videos = read_contents(Language.EN, pairs)
    assert [chapter.name for chapter in notes.chapters] == ["Notes", "Walking downhill"]
    assert [chapter.name for chapter in videos.chapters] == ["Index", "Lecture 4, Walking downhill"]


def test_a_title_that_says_nothing_gives_way_to_the_name_of_the_file() -> None:
    pairs = [passage("07-trees.md", "Table of contents", "Leaves")]
    ((chapter,),) = (unit.chapters for unit in read_contents(Language.EN, pairs))
    assert chapter.name == "Trees"


def test_pages_are_called_by_their_file_and_listed_by_what_stands_on_them() -> None:
    """The first heading of a PDF or of slides is not the title of the whole."""
    pairs = [passage("02-trees.pdf", each, page=n) for n, each in enumerate(("Roots", "Leaves"), start=1)]
    ((chapter,),) = (unit.chapters for unit in read_contents(Language.EN, pairs))
    assert (chapter.name, [heading.text for heading in chapter.headings]) == ("Trees", ["Roots", "Leaves"])


def test_headings_are_told_once_with_their_depth_and_the_title_is_none() -> None:
    """Each leads to the first passage under it."""
    pairs = [
        passage("a.md", "Stacks", text="1"),
        passage("a.md", "Stacks", "Push", text="2"),
        passage("a.md", "Stacks", "Push", text="3"),
        passage("a.md", "Stacks", "Push", "Cost", text="4"),
        passage("a.md", "Queues", "Push", text="5"),
    ]
    ((chapter,),) = (unit.chapters for unit in read_contents(Language.EN, pairs))
    assert [(h.text, h.depth, h.passage) for h in chapter.headings] == [
        ("Push", 1, "2"),
        ("Cost", 2, "4"),
        ("Queues", 1, "5"),
        ("Push", 1, "5"),
    ]
    assert [[text for _, text in begun] for _, begun in new_headings(pairs)] == [
        ["Stacks"],
        ["Push"],
        [],
        ["Cost"],
        ["Queues", "Push"],
    ]


def test_faq_entries_and_concepts_are_no_material() -> None:
    """A table of questions is no document of the contents."""
    pairs = [passage("faq.csv", source=Source.FAQ), passage("c.json", source=Source.CONCEPT)]
    assert read_contents(Language.EN, pairs) == ()


def test_a_place_is_found_by_id_second_page_or_heading() -> None:
    """What is not there is None."""
    pages = [passage("b.pdf", "One", page=n, text=str(n)) for n in (1, 2, 2, 3)]
    said = [passage("v.srt", video="v.srt", start_s=s, text=str(s)) for s in (0.0, 30.0, 61.5)]
    notes = [passage("a.md", "Stacks", heading) for heading in ("Push", "Pop")]
    assert find_passage(pages, passage=PairId("3")) == 3
    assert find_passage(pages, passage=PairId("4")) is None
    assert find_passage(pages, place=Locator(page=2)) == 1
    assert find_passage(pages, place=Locator(page=9)) is None
    assert find_passage(said, place=Locator(start_s=45.0)) == 1
    assert find_passage(notes, place=Locator(heading_path=("Stacks", "pop"))) == 1
    assert find_passage(notes, place=Locator(heading_path=("Peek",))) is None
    assert find_passage(notes) is None
