"""The dictionary linker beyond its contract: plurals, word boundaries, the segmenter's words."""

from __future__ import annotations

import pytest

from concept_graph.mentions import DictionaryLinker
from vta.types import Concept, ConceptId, Course, CourseId, Language

COURSE = Course(id=CourseId("ds"), name="DS", domains=("Computer Science",), language=Language.EN)


def link(text: str, *names: str) -> list[str]:
    concepts = [
        Concept(id=ConceptId(f"ds:{n}"), name=name, courses=(COURSE.id,)) for n, name in enumerate(names)
    ]
    return [each.surface for each in DictionaryLinker(concepts).link(text, course=COURSE)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("stack", "How do stacks work?"),
        ("Hash Table", "hash tables"),
        ("class", "two classes"),
        ("hash", "many hashes"),
        ("entropy", "entropies"),
        ("Neural Networks", "what is a neural network"),
        ("Classes", "one class"),
        ("Entropies", "one entropy"),
        ("analysis", "both analyses"),
        ("SVM", "SVMs"),
    ],
)
def test_english_names_match_in_singular_and_plural(name: str, text: str) -> None:
    """The last word of an English name may be in either number."""
    assert len(link(text, name)) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("stack", "haystack"),
        ("stack", "stacked"),
        ("stack", "call_stack"),
        ("C", "the C++ language"),
        ("C", "the C# language"),
        ("class", "clas"),
        ("news", "a new idea"),
    ],
)
def test_english_names_match_whole_words_only(name: str, text: str) -> None:
    """A name inside another word is not that name."""
    assert link(text, name) == []


def test_a_shorter_name_is_found_where_the_longer_one_is_cut_by_a_word() -> None:
    """`stack overflowed` does not say stack overflow, but it does say stack."""
    assert link("a stack overflowed", "stack", "stack overflow") == ["stack"]


def test_english_names_next_to_chinese_need_no_space() -> None:
    """Chinese characters end an English word."""
    assert link("用stack实现queue吧", "stack", "queue") == ["stack", "queue"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("栈", "什么是栈？"), ("图", "图的遍历"), ("树", "树和图"), ("堆", "最小堆是堆吗"), ("图", "什么是图")],
)
def test_names_of_one_character_are_found_as_words(name: str, text: str) -> None:
    """栈, 图, 树 and 堆 are linked where they stand as words."""
    assert link(text, name) == [name]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("图", "图书馆在哪里"),
        ("图", "我试图理解"),
        ("树", "树立目标"),
        ("堆", "一堆问题"),
        ("数组", "由参数组成"),
    ],
)
def test_names_inside_other_known_words_are_not_found(name: str, text: str) -> None:
    """图 is not in 图书馆, and 数组 is not in 参数 + 组成."""
    assert link(text, name) == []


def test_adjacent_chinese_names_are_all_found() -> None:
    """Names that follow each other without anything between are each found."""
    assert link("哈希表二叉树链表", "链表", "二叉树", "哈希表") == ["哈希表", "二叉树", "链表"]


def test_a_name_is_closer_than_an_alias_and_an_alias_than_a_plural() -> None:
    """Where one surface could be several concepts of the course, the one called exactly so is meant."""
    plural = Concept(id=ConceptId("ds:a"), name="queue", courses=(COURSE.id,))
    alias = Concept(id=ConceptId("ds:b"), name="waiting line", aliases=("queues",), courses=(COURSE.id,))
    (found,) = DictionaryLinker([plural, alias]).link("queues", course=COURSE)
    assert found.concept == alias


def test_a_concept_named_in_two_ways_is_mentioned_once() -> None:
    """A name and an alias of one concept give one mention, at the first of them."""
    both = Concept(id=ConceptId("ds:a"), name="栈", aliases=("stack",), courses=(COURSE.id,))
    (found,) = DictionaryLinker([both]).link("stack 就是栈", course=COURSE)
    assert (found.start, found.surface) == (0, "stack")
