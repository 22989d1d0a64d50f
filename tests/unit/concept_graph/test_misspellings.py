"""Misspelt names: one mistake at most, where nothing else is or a part of it, in names that can bear it."""

from __future__ import annotations

import pytest

from concept_graph import homophones
from concept_graph.mentions import DictionaryLinker
from concept_graph.misspellings import LONGEST_TEXT
from vta.languages import Language
from vta.types.concepts import Concept
from vta.types.courses import ConceptId, Course, CourseId

COURSE = Course(id=CourseId("ds"), name="DS", domains=("CS",), language=Language.EN)


def named(*names: str, course: str = "ds") -> list[Concept]:
    return [
        Concept(id=ConceptId(f"{course}:{name}"), name=name, domains=("CS",), courses=(CourseId(course),))
        for name in names
    ]


def link(text: str, *names: str) -> list[tuple[str, str]]:
    found = DictionaryLinker(named(*names)).link(text, course=COURSE)
    return [(each.surface, each.concept.name) for each in found]


@pytest.mark.parametrize(
    ("text", "surface", "name"),
    [
        ("what is a nueral network?", "nueral network", "neural network"),
        ("Explain overfiting please", "overfiting", "overfitting"),
        ("a linked lisst", "linked lisst", "linked list"),
        ("two linked lsits", "linked lsits", "linked list"),
        ("is a hashtable fast", "hashtable", "hash table"),
        ("讲讲binary serch tree吧", "binary serch tree", "binary search tree"),
    ],
)
def test_one_mistake_is_forgiven(text: str, surface: str, name: str) -> None:
    """A letter wrong, missing, too many or in its neighbour's place."""
    assert link(text, name) == [(surface, name)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("what is a slack?", "stack"),
        ("clas", "class"),
        ("a nueral netwrok", "neural network"),
        ("a hatching scheme", "matching scheme"),
        ("layer 2 caches", "layer 3 caches"),
        ("how is mail classified", "classifier"),
        ("mybinary serch tree", "binary search tree"),
        ("how do i transform data", "transformer"),
        ("normal data", "normalization"),
    ],
)
def test_other_words_are_no_misspellings(text: str, name: str) -> None:
    """Short names, two mistakes, another first letter, digits, other forms and known words match nothing."""
    assert link(text, name) == []


def test_a_mistake_counts_only_where_nothing_is_found() -> None:
    """Next to a name that stands there as it is, a misspelt one is left alone."""
    assert link("heap and nueral network", "heap", "neural network") == [("heap", "heap")]


def test_a_misspelt_name_is_found_over_a_name_that_is_a_part_of_it() -> None:
    """One that is as long as a known name, or only crosses it, is not."""
    assert link("a binary serch tree", "tree", "binary search tree") == [
        ("binary serch tree", "binary search tree")
    ]
    assert link("a sparse table", "sparse table", "sparse cable") == [("sparse table", "sparse table")]
    assert link("merge sort keis", "merge sort", "sort keys") == [("merge sort", "merge sort")]


@pytest.mark.parametrize("text", ["diff between heap and nueral network", "nueral network 和 heap 有啥区别"])
def test_a_comparison_with_one_name_has_another_that_may_be_misspelt(text: str) -> None:
    """Two things are compared, so the second one is looked for; places stay those of the text."""
    found = DictionaryLinker(named("heap", "neural network")).link(text, course=COURSE)
    assert {each.concept.name for each in found} == {"heap", "neural network"}
    assert [text[each.start : each.end] for each in found] == [each.surface for each in found]
    assert [each.start for each in found] == sorted(each.start for each in found)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("kmeans or heap", "k-means"),
        ("K means or heap", "k-means"),
        ("k-means or heap", "K means"),
        ("a Btree or heap", "B-tree"),
        ("two b trees or heap", "B-tree"),
        ("breadth first search or heap", "breadth-first search"),
    ],
)
def test_hyphens_and_spaces_are_no_mistakes(text: str, name: str) -> None:
    """Such a spelling is a name as it is, beside others too."""
    assert [found for _, found in link(text, name, "heap")] == [name, "heap"]


def test_only_the_own_course_is_guessed_at() -> None:
    """The platform's names are found as they are written, or not at all."""
    linker = DictionaryLinker(named("neural network", course="ml"))
    assert linker.link("nueral network", course=COURSE) == ()
    assert len(linker.link("neural network", course=COURSE)) == 1


def test_what_could_be_two_concepts_is_neither() -> None:
    """Between two names that are as near, nothing is guessed."""
    assert link("what is bufferung", "buffering", "buffer ung") == []
    assert link("what is bufferung", "buffering") == [("bufferung", "buffering")]


def test_long_texts_are_not_looked_through() -> None:
    """A text that is no question is not searched for mistakes."""
    assert link("nueral network " + "x " * LONGEST_TEXT, "neural network") == []


@pytest.mark.parametrize(
    ("text", "surface", "name"),
    [
        ("马尔科夫链是什么", "马尔科夫链", "马尔可夫链"),
        ("动太规划", "动太规划", "动态规划"),
        ("紅黑數是什麼", "红黑数", "红黑树"),
        ("优先对列怎么实现", "优先对列", "优先队列"),
        ("讲讲傅立叶变换", "傅立叶变换", "傅里叶变换"),
    ],
)
def test_a_chinese_character_that_sounds_like_the_right_one_is_forgiven(
    text: str, surface: str, name: str
) -> None:
    (found,) = DictionaryLinker(named(name)).link(text, course=COURSE)
    assert (found.surface, found.concept.name, found.is_misspelt) == (surface, name, True)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("质数函数", "指数函数"),
        ("函数是什么", "函数式"),
        ("数据及其来源", "数据集"),
        ("会计室在哪", "会计师"),
        ("交易性金融资产", "交易型金融资产"),
        ("红黑花", "红黑树"),
        ("对列", "队列"),
        ("马儿科夫链", "马尔可夫链"),
    ],
)
def test_other_chinese_words_are_no_misspellings(text: str, name: str) -> None:
    """Words that make sense, other sounds, short names and two mistakes match nothing."""
    assert link(text, name) == []


def test_a_misspelt_chinese_name_holds_shorter_names_but_does_not_overlap_any() -> None:
    assert link("二叉数的遍历", "二叉树的遍历", "遍历") == [("二叉数的遍历", "二叉树的遍历")]
    assert link("红黑数和链表", "红黑树", "链表") == [("红黑数", "红黑树"), ("链表", "链表")]
    assert link("数据结构图", "结构土", "数据结构") == [("数据结构", "数据结构")]


def test_looking_a_character_up_keeps_nothing() -> None:
    """A character that no list has sounds like none, and the list of sounds stays as it is."""
    before = len(homophones._sounds())
    assert not homophones._sound_alike("\u3437", "积")
    assert len(homophones._sounds()) == before
