"""Names are found where a course writes them in another way."""

from __future__ import annotations

import pytest

from concept_graph.prerequisites.occurrences import find, forms, read
from concept_graph.prerequisites.pairs import locate
from concept_graph.prerequisites.signals import under_headings
from vta.types import CourseId, Locator, PairId, QAPair, Source


def passage(number: int, text: str, heading: str = "") -> QAPair:
    return QAPair(
        id=PairId(str(number)),
        course_id=CourseId("c"),
        source=Source.MATERIAL,
        question="Notes",
        answer=text,
        document="notes.md",
        locator=Locator(heading_path=(heading,) if heading else ()),
    )


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("data set", "Every dataset is split.", "dataset"),
        ("dataset", "Every data set is split.", "data set"),
        ("k means", "We run k-means twice.", "k means"),
        ("precision and recall", "First recall, then precision.", "recall then precision"),
        ("training data set", "The training set is shuffled.", "training set"),
        ("adaptive rejection sampling", "Rejection sampling draws points.", "rejection sampling"),
        ("贪心算法策略", "贪心算法每一步取最好的。", "贪心算法"),
    ],
)
def test_another_spelling_of_a_name_is_found(name: str, text: str, said: str) -> None:
    """Joined or parted words, another order, a word between or left out."""
    course = read([passage(0, text)])
    (found,) = locate(course, [name])
    assert len(found) == 1
    words = course.tokens[0][found[0].start : found[0].start + found[0].length]
    assert list(words) == [word for part in said.split() for word in (part if part > "\u3400" else [part])]


@pytest.mark.parametrize("text", ["Sorting algorithms compare.", "An algorithm sorts. A sorted algorithm."])
def test_a_longer_name_is_found_in_any_inflection(text: str) -> None:
    """Words of its stems side by side are the name, also where it stands elsewhere as it is written."""
    (found,) = locate(read([passage(0, text), passage(1, "The sort algorithm.")]), ["sort algorithm"])
    assert (len(found), found.whole) == (2, True)


def test_a_part_of_a_name_is_told_from_the_whole() -> None:
    """What is found of a longer name alone says that it is a part."""
    course = read([passage(0, "Rejection sampling draws points.")])
    part, whole = locate(course, ["adaptive rejection sampling", "rejection sampling"])
    assert (part.whole, whole.whole) == (False, True)


@pytest.mark.parametrize("name", ["monad", "树冠", "of the"])
def test_a_name_without_a_word_of_the_course_is_not_found(name: str) -> None:
    """Neither an absent word nor a single Chinese character or a function word stands for a name."""
    (found,) = locate(read([passage(0, "A tree of nodes. 森林由树木组成。")]), [name])
    assert len(found) == 0


def test_what_is_written_as_asked_is_found_as_before() -> None:
    """`locate` adds nothing to a name that `find` finds."""
    course = read([passage(0, "A binary tree is a tree."), passage(1, "Trees have roots; the tree binary.")])
    names = ["binary tree", "tree"]
    found = zip(locate(course, names), find(course, [forms(name) for name in names]), strict=True)
    assert all(list(one) == list(other) for one, other in found)


def test_mentions_are_counted_under_the_heading_of_a_thing() -> None:
    """The share of the passages right under a heading that mention another name; 0 without a heading."""
    course = read(
        [
            passage(0, "A heap is a tree.", "Heaps"),
            passage(1, "It is fast.", "Heaps"),
            passage(2, "A tree.", "x"),
        ]
    )
    said = [forms("tree"), forms("heap")]
    share = under_headings(course, find(course, said), said)
    assert share.tolist() == [[0.0, 0.5], [0.0, 0.5]]
