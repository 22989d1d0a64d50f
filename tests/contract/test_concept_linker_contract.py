"""What every `ConceptLinker` keeps, held against the automaton and a small one that tries every place."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from concept_graph.mentions import DictionaryLinker
from vta.ports import ConceptLinker
from vta.text import normalise
from vta.types import Concept, ConceptId, Course, CourseId, Language, Mention

COURSE = Course(id=CourseId("ds"), name="数据结构", domains=("Computer Science",), language=Language.ZH)


class ScanningLinker:
    """The smallest honest linker: tries the longest name at every place; no plurals, no segmenter."""

    def __init__(self, concepts: Sequence[Concept]) -> None:
        self._concepts = tuple(concepts)

    def link(self, text: str, *, course: Course) -> tuple[Mention, ...]:
        text = normalise(text)
        names = self._names(course)
        mentions: dict[ConceptId, Mention] = {}
        start = 0
        while start < len(text):
            name = next((n for n in names if text.startswith(n, start) and _whole(text, start, n)), None)
            if name is not None:
                found = Mention(concept=names[name], start=start, end=start + len(name), surface=name)
                mentions.setdefault(names[name].id, found)
            start += len(name or " ")
        return tuple(mentions.values())

    def _names(self, course: Course) -> dict[str, Concept]:
        own = [c for c in self._concepts if course.id in c.courses]
        near = [c for c in self._concepts if c not in own and set(c.domains) & set(course.domains)]
        names = {normalise(n): c for c in (*reversed(near), *reversed(own)) for n in (*c.aliases, c.name)}
        return dict(sorted(names.items(), key=lambda item: -len(item[0])))


def _whole(text: str, start: int, name: str) -> bool:
    around = text[start - 1 : start] + text[start + len(name) : start + len(name) + 1]
    return not name.isascii() or not any(c.isascii() and c.isalnum() for c in around)


Build = Callable[[Sequence[Concept]], ConceptLinker]


@pytest.fixture(params=[DictionaryLinker, ScanningLinker])
def build(request: pytest.FixtureRequest) -> Build:
    made: Build = request.param
    return made


def concept(name: str, *aliases: str, course: str = "ds", domain: str = "Computer Science") -> Concept:
    return Concept(
        id=ConceptId(f"{course}:{name}"),
        name=name,
        aliases=aliases,
        domains=(domain,),
        courses=(CourseId(course),),
    )


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
def test_names_and_aliases_are_found_in_order(build: Build, text: str, names: list[str]) -> None:
    """Each concept once, where it is first named, in Chinese without spaces and in English as whole words."""
    linker = build([concept("队列", "queue"), concept("栈", "stack")])
    assert [each.concept.name for each in linker.link(text, course=COURSE)] == names


def test_the_longest_name_wins(build: Build) -> None:
    """A name inside a longer name of a concept is not a mention of its own."""
    linker = build([concept("二叉搜索树"), concept("二叉"), concept("binary search tree"), concept("tree")])
    found = linker.link("二叉搜索树 (binary search tree) is a tree", course=COURSE)
    assert [each.surface for each in found] == ["二叉搜索树", "binary search tree", "tree"]


def test_offsets_are_of_the_normalised_text(build: Build) -> None:
    """`start:end` cuts `surface` out of the normalised text, whatever the width, script or case."""
    text = "  請問　ＨＡＳＨ  Table 與鏈表？"
    found = build([concept("hash table"), concept("链表")]).link(text, course=COURSE)
    assert [each.surface for each in found] == ["hash table", "链表"]
    assert all(normalise(text)[each.start : each.end] == each.surface for each in found)


def test_the_own_course_is_meant_first(build: Build) -> None:
    """Where two courses have the same name, the concept of the student's course is linked."""
    for concepts in (own_first := [concept("heap"), concept("heap", course="os")], own_first[::-1]):
        (found,) = build(concepts).link("What is a heap?", course=COURSE)
        assert found.concept.id == "ds:heap"


def test_other_courses_are_seen_through_shared_domains_only(build: Build) -> None:
    """A concept of another course is linked if it shares a domain with the course, else its text is free."""
    near, far = concept("graph", course="os"), concept("graph theory", course="art", domain="Art")
    found = build([near, far]).link("graph theory", course=COURSE)
    assert [each.concept.id for each in found] == ["os:graph"]


def test_without_concepts_nothing_is_found(build: Build) -> None:
    """An empty dictionary links nothing."""
    assert build([]).link("什么是栈？ What is a stack?", course=COURSE) == ()
