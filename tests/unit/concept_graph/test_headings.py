"""Concepts from headings: which headings count, what defines them, and how a concept file comes first."""

from __future__ import annotations

import factories
import pytest

from concept_graph.headings import (
    CONCEPT_SCORE,
    HeadingName,
    heading_concepts,
    heading_name,
    merge,
)
from concept_graph.names import concept_id
from vta.languages import Language
from vta.types.answers import Block
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import Course, CourseId
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator

ZH = Course(id=CourseId("ds"), name="数据结构", domains=("计算机科学",), language=Language.ZH)


def document(title: str, *blocks: tuple[tuple[str, ...], str], path: str = "a.md") -> SourceDocument:
    return SourceDocument(
        path=path,
        title=title,
        blocks=tuple(Block(text=text, locator=Locator(heading_path=where)) for where, text in blocks),
    )


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("3.1 栈", "栈"),
        ("第三章 线性表", "线性表"),
        ("二、哈希冲突", "哈希冲突"),
        ("AVL 树 *", "AVL 树"),
        ("0-1 背包问题", "0-1 背包问题"),
        ("机器学习", "机器学习"),
        ("2. Linked Lists", "Linked Lists"),
        ("Chapter 4: Gradient Descent", "Gradient Descent"),
        ("Week 2 - Overfitting", "Overfitting"),
        ("**K-means**", "K-means"),
        ("02-Binary Search Tree", "Binary Search Tree"),
    ],
)
def test_a_short_noun_is_a_name(heading: str, name: str) -> None:
    """Numbering and markup are stripped from a heading that names a concept."""
    assert heading_name(heading) == HeadingName(name)


@pytest.mark.parametrize(
    "heading",
    [
        *(
            "小结",
            "1.4 本章小结",
            "练习",
            "前言",
            "概述",
            "什么是栈？",
            "如何实现队列",
            "栈与队列",
            "栈的应用",
        ),
        *("使用哈希表", "数组实现", "一个非常非常非常长的中文标题文字", "", "3.1", "!!!", "Introduction"),
        *("Chapter 2: Summary", "Exercises", "What is a stack", "Why trees?", "Stacks and Queues"),
        *("Implementing a Stack", "Using Tensors", "Array Implementation", "One Two Three Four Five"),
        *("lecture_notes_final", "Navigation", "Comments", "## Summary", "Discussions", "Further reading"),
        *("Community notes", "目录", "本节目录", "参考资料", "三、延伸阅读", "上一页"),
    ],
)
def test_other_headings_are_no_names(heading: str) -> None:
    """Generic headings, questions, actions, lists and what leads to other pages name no concept."""
    assert heading_name(heading) is None


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("栈（Stack）", HeadingName("栈", ("Stack",))),
        ("Breadth-First Search (BFS)", HeadingName("Breadth-First Search", ("BFS",))),
        ("栈（选学）", HeadingName("栈")),
        ("Heap (optional)", HeadingName("Heap")),
    ],
)
def test_another_name_in_brackets_is_an_alias(heading: str, name: HeadingName) -> None:
    """A translation or an abbreviation is an alias, a remark is dropped."""
    assert heading_name(heading) == name


@pytest.mark.parametrize(
    ("name", "text", "definition"),
    [
        ("栈", "先看图。栈（stack）是一种线性结构。它很有用。", "栈（stack）是一种线性结构。"),
        ("栈", "所谓「栈」，是指后进先出的表。", "所谓「栈」，是指后进先出的表。"),
        ("栈", "栈指后进先出的表。", "栈指后进先出的表。"),
        ("栈", "栈是什么？栈是否有用要看情况。", ""),
        ("栈", "栈和队列都有用。", ""),
        (
            "Stack",
            "Let us see. A **stack** is a list of\nplates. It is used.",
            "A stack is a list of plates.",
        ),
        (
            "Stacks",
            "A stack is a list that is open at one end.",
            "A stack is a list that is open at one end.",
        ),
        ("Stack", "`Stack` refers to a list.", "Stack refers to a list."),
        (
            "Recall",
            "Recall (sensitivity) means how much is found.",
            "Recall (sensitivity) means how much is found.",
        ),
        ("Stack", "A stack is useful. Is a stack a list? A stack is a list, is it?", ""),
        ("Stack", "A stack is a " + "very " * 80 + "long list.", ""),
    ],
)
def test_the_definition_is_the_first_sentence_that_defines(name: str, text: str, definition: str) -> None:
    """A sentence with a plain defining pattern under the heading is the definition, if there is one."""
    (concept,), _ = heading_concepts([document(name, ((name,), text))], course=ZH)
    assert concept.definition == definition


def test_a_concept_knows_its_course_and_place() -> None:
    """A heading concept is unsure, in the course's domains, and stands where it is defined."""
    made = document("栈", (("栈",), "没有定义。"), (("栈", "小结"), "栈是一种线性结构。"), path="05/stack.md")
    (concept,), edges = heading_concepts([made], course=ZH)
    assert concept == Concept(
        id=concept_id(ZH.id, "栈"),
        name="栈",
        definition="栈是一种线性结构。",
        domains=("计算机科学",),
        courses=(ZH.id,),
        score=CONCEPT_SCORE,
        first_seen="05/stack.md",
        locator=Locator(heading_path=("栈", "小结")),
        document="05/stack.md",
    )
    assert edges == ()


def test_a_licence_names_no_concept() -> None:
    """The headings of a file about the texts are none of the course."""
    made = document("Scope", (("Scope",), "Scope is a part of the licence."), path="course/LICENSE.md")
    assert heading_concepts([made], course=ZH) == ((), ())


@pytest.mark.parametrize(
    ("heading", "text"), [("Footnotes", "See below."), ("Exams", "There are two exams.")]
)
def test_a_heading_that_the_text_does_not_teach_is_no_concept(heading: str, text: str) -> None:
    """The text beneath uses the name, and a name of any course's rules is defined there."""
    assert heading_concepts([document(heading, ((heading,), text))], course=ZH) == ((), ())


def test_a_heading_is_no_prerequisite_of_the_ones_below_it() -> None:
    """Headings inside each other are the order of a text; past those that name nothing, each is a concept."""
    made = document(
        "树", (("树",), "树"), (("树", "概述", "二叉树"), "二叉树"), (("树", "概述", "二叉树", "堆"), "堆")
    )
    concepts, edges = heading_concepts([made], course=ZH)
    assert ([each.name for each in concepts], edges) == (["树", "二叉树", "堆"], ())


def test_one_concept_is_made_of_all_its_headings() -> None:
    """Singular and plural headings of several files are one concept with all their aliases."""
    files = [
        document("Stack (LIFO)", (("Stack (LIFO)",), "Any stack."), path="1.md"),
        document("Stacks", (("Stacks",), "A stack is a list of plates."), path="2.md"),
        document("LIFO", (("LIFO",), "Not LIFO."), path="3.md"),
    ]
    concepts, _ = heading_concepts(files, course=ZH)
    assert [(each.name, each.aliases, each.document) for each in concepts] == [
        ("Stack", (), "2.md"),
        ("LIFO", (), "3.md"),
    ]


def test_without_documents_there_are_no_concepts() -> None:
    """An empty course gives an empty set, not an error."""
    assert heading_concepts([], course=ZH) == ((), ())


def make(
    name: str, *aliases: str, definition: str = "", score: float = 1.0, document: str | None = None
) -> Concept:
    return factories.concept(
        name, *aliases, course=ZH.id, definition=definition, score=score, document=document
    )


def edge(before: Concept, after: Concept, score: float) -> ConceptEdge:
    return ConceptEdge(prerequisite=before.id, concept=after.id, score=score)


def test_the_concept_file_wins_over_headings() -> None:
    """A curated concept keeps its words, and takes only what it has none of from the heading."""
    stack, queue = make("Stack", "栈", definition="Ours."), make("Queue")
    weak_stack = make("栈", definition="Theirs.", score=0.5, document="a.md")
    weak_queue = make("Queues", definition="A queue is a list.", score=0.5)
    concepts, edges = merge(
        ((stack, queue), ()), ((weak_stack, weak_queue), (edge(weak_stack, weak_queue, 0.3),))
    )
    assert [(c.id, c.definition, c.score, c.document) for c in concepts] == [
        (stack.id, "Ours.", 1.0, "a.md"),
        (queue.id, "A queue is a list.", 1.0, None),
    ]
    assert edges == ()


def test_new_heading_concepts_join_the_concept_file() -> None:
    """Weak concepts that the file lacks are added, their edges leading to the curated concept meant."""
    stack, weak_stack, weak_deque = make("Stack", "栈"), make("栈", score=0.5), make("Deque", score=0.5)
    concepts, edges = merge(((stack,), ()), ((weak_stack, weak_deque), (edge(weak_stack, weak_deque, 0.3),)))
    assert [each.id for each in concepts] == [stack.id, weak_deque.id]
    assert edges == (edge(stack, weak_deque, 0.3),)


def test_concepts_of_two_courses_stay_apart() -> None:
    """A heading of one course never becomes the concept of another that has the same name."""
    other = Course(id=CourseId("os"), name="OS", domains=(), language=Language.ZH)
    weak = heading_concepts([document("栈", (("栈",), "用栈。"))], course=other)
    concepts, _ = merge(((make("栈"),), ()), weak)
    assert [each.id for each in concepts] == [concept_id(ZH.id, "栈"), concept_id(other.id, "栈")]


def test_one_heading_of_two_documents_is_one_concept() -> None:
    """Heading concepts made document by document join, the first place and the first definition counting."""
    first = heading_concepts([document("栈", (("栈",), "用栈。"), path="1.md")], course=ZH)
    second = heading_concepts([document("栈", (("栈",), "栈是一种线性表。"), path="2.md")], course=ZH)
    ((found,), _) = merge(((), ()), (first[0] + second[0], first[1] + second[1]))
    assert (found.document, found.definition) == ("1.md", "栈是一种线性表。")


def test_spellings_of_two_documents_are_one_concept_with_all_names() -> None:
    """Stacks of one document and 栈（Stack） of another are one concept, and no edge leads back to itself."""
    files = [
        document("Stacks", (("Stacks",), "Two stacks.")),
        document("栈（Stack）", (("栈（Stack）", "Deque"), "栈, deque")),
        document("栈", (("栈", "Stacks"), "栈")),
    ]
    sets = [heading_concepts([each], course=ZH) for each in files]
    stacks, stack, deque, *_ = weak = tuple(c for each in sets for c in each[0])
    concepts, edges = merge(((), ()), (weak, (edge(stack, stacks, 0.3), edge(stack, deque, 0.3))))
    assert [(each.name, each.aliases) for each in concepts] == [("Stacks", ("栈",)), ("Deque", ())]
    assert [(each.prerequisite, each.concept) for each in edges] == [(concepts[0].id, concepts[1].id)]
