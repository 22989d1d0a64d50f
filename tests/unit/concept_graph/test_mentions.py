"""The dictionary linker: which concepts a text names, in the words of two languages."""

from __future__ import annotations

import factories as make
import pytest

from concept_graph.mentions import DictionaryLinker
from vta.text import normalise
from vta.types.concepts import Concept

COURSE = make.course("ds", "Computer Science")


def concept(name: str, *aliases: str, course: str = "ds", domain: str = "Computer Science") -> Concept:
    return make.concept(name, *aliases, course=course, domains=(domain,))


def link(text: str, *names: str) -> list[str]:
    found = DictionaryLinker([concept(name) for name in names]).link(text, course=COURSE)
    return [each.surface for each in found]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("栈和队列有什么区别？", ["栈", "队列"]),
        ("What is the difference between a Queue and a stack?", ["队列", "栈"]),
        ("队列、栈、队列", ["队列", "栈"]),
        ("haystack, stackable, my_queueing", []),
        ("栈stack队列queue", ["栈", "队列"]),
        ("", []),
        ("今天天气真好", []),
    ],
)
def test_names_and_aliases_are_found_in_order(text: str, names: list[str]) -> None:
    """Each concept once, where it is first named, in Chinese without spaces and in English as whole words."""
    linker = DictionaryLinker([concept("队列", "queue"), concept("栈", "stack")])
    assert [each.concept.name for each in linker.link(text, course=COURSE)] == names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("As prices rise, is it as scarce as before?", []),
        ("What moves the AS curve, and is it steep?", ["as"]),
        ("Can you explain gdp?", ["gdp"]),
        ("What does while do?", ["while"]),
    ],
)
def test_an_abbreviation_that_is_a_word_of_every_sentence_keeps_its_capitals(
    text: str, found: list[str]
) -> None:
    """Other abbreviations are found in small letters too, and so is a name that is written in them."""
    assert link(text, "AS", "IT", "GDP", "while") == found


def test_offsets_are_of_the_normalised_text() -> None:
    """`start:end` cuts `surface` out of the normalised text, whatever the width, script or case."""
    text = "  請問　ＨＡＳＨ  Table 與鏈表？"
    found = DictionaryLinker([concept("hash table"), concept("链表")]).link(text, course=COURSE)
    assert [each.surface for each in found] == ["hash table", "链表"]
    assert all(normalise(text)[each.start : each.end] == each.surface for each in found)


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


def test_a_name_is_closer_than_an_alias_and_an_alias_than_a_plural() -> None:
    """Where one surface could be several concepts of the course, the one called exactly so is meant."""
    plural = concept("queue")
    alias = concept("waiting line", "queues")
    (found,) = DictionaryLinker([plural, alias]).link("queues", course=COURSE)
    assert found.concept == alias


def test_a_concept_named_in_two_ways_is_mentioned_once() -> None:
    """A name and an alias of one concept give one mention, at the first of them."""
    both = concept("栈", "stack")
    (found,) = DictionaryLinker([both]).link("stack 就是栈", course=COURSE)
    assert (found.start, found.surface) == (0, "stack")
