"""Sentences that explain a name or introduce one, and what definitions say of prerequisites."""

from __future__ import annotations

import pytest

from concept_graph.defining import DefiningSentences, Form, probability
from concept_graph.extraction.aliases import find_defined_names

NAMES = {"stack": ("stack",), "heap": ("heap",), "栈": ("栈",), "栈顶": ("栈顶",), "子问题": ("子问题",)}


@pytest.mark.parametrize(
    ("sentence", "explained"),
    [
        ("A stack is a list with one open end.", ["stack"]),
        ("栈（stack）是一种线性表。", ["栈"]),
        ("In computer science, a stack is a list with one open end.", []),
        ("- Stack: a list with one open end.", ["stack"]),
        ("A list with one open end is called a stack.", ["stack"]),
        ("线性表中能够插入和删除的一端称为栈顶（top）。", ["栈顶"]),
        ("A heap represents a tree in which no child is smaller than its parent.", []),
        ("Stack: lists and arrays are open at the end.", []),
        ("A stack is a list with one open end:", []),
        ("A stack is a list that works in two steps:", []),
        ("A stack is a list that solves the problem above.", []),
        ("For instance, a stack is a list.", []),
        ("$s$ of open ends is called a stack.", []),
        ("栈是前几次课，栈顶是后几次课，子问题是作业", []),
        ("What is a stack?", []),
        ("The stack is very useful.", []),
        ("We push onto the stack.", []),
        ("Stacking is a habit.", []),
        ("This method is called a stack.", []),
        ("A list with one open end is called a stack machine.", []),
        ("In this example, a stack is a list of plates.", []),
        ("A stack is the most popular structure.", []),
        ("Stack: list, array, deque", []),
        ("栈：数组，链表", []),
        ("栈是最常用的结构。", []),
        ("A stack is one reason for the delay.", []),
        ("Stack traces are long, and a stack is a list that we saw.", []),
        ("A stack is a list that holds point C of the plot.", []),
        ("stack: the list of calls that a program holds", []),
        ("Stack = the list of calls", ["stack"]),
        ("所谓栈，指的是后进先出的线性表。", ["栈"]),
        ("栈只是用到它的句子。", []),
    ],
)
def test_a_sentence_explains_what_it_is_about(sentence: str, explained: list[str]) -> None:
    """Sentences of a plain form do; questions, praise, results and mere mentions explain nothing."""
    found = DefiningSentences(NAMES).explained(sentence)
    assert [key for key, sure in found if sure] == explained


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("放进去叫做入栈，拿出来称为**出栈**。", {"入栈", "出栈"}),
        ("树是一种层次结构。", {"树"}),
        ("This rule is called gradient descent.", {"gradient descent"}),
        ("An epoch is one pass. An eigenvector is a direction.", {"eigenvector"}),
        ("Since heaps are a type of tree, we use arrays.", set()),
        ("这就是一种办法。", set()),
    ],
)
def test_names_that_a_sentence_introduces(text: str, names: set[str]) -> None:
    """Names are found where a sentence says what they mean; no conjunction or pronoun begins one."""
    assert set(find_defined_names([text])) == names


def test_what_stands_under_a_heading_may_leave_the_name_out() -> None:
    """是指 under the heading that is the name explains it, as the name with a clause in between does."""
    defining = DefiningSentences({"实收资本": ["实收资本"], "无形资产": ["无形资产"]})
    (under,) = defining.candidates("是指投资者投入到公司中的各种资产的价值", {"实收资本": 2})
    assert (under.form, probability(under) > 0) == (Form.MEANS, True)
    (apart,) = defining.candidates("无形资产和固定资产相对，是指企业拥有的没有实物形态的长期资产。")
    assert (apart.form, probability(apart) > 0) == (Form.MEANS, True)


def test_what_explains_another_name_does_not_explain_the_heading_s() -> None:
    """ "Smart pointers" over "A pointer is ..."."""
    text = "A pointer is a general concept for a variable that contains an address in memory."
    defining = DefiningSentences({"pointer": ["pointer"], "smart": ["smart pointers"]})
    assert {each.key for each in defining.candidates(text, {"smart": 2})} == {"pointer"}


def test_a_definition_keeps_the_marks_inside_its_formulas() -> None:
    sentences = DefiningSentences({"linkage": ["Linkage"]})
    text = "**Linkage** refers to $p_1*p_2$ and *not* $h_{12}$ in the [share](https://a.example/b_(c)) seen."
    assert sentences.definition(text) == "Linkage refers to $p_1*p_2$ and not $h_{12}$ in the share seen."
