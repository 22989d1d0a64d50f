"""What kind of thing a question asks for."""

from __future__ import annotations

import pytest

from vta.kinds import asks_alike, asks_definition, kinds_of


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Why is quicksort fast?", {"reason"}),
        ("为什么快速排序快？", {"reason"}),
        ("What is the difference between a stack and a queue?", {"difference"}),
        ("what is dropout and why does it help", {"definition", "reason"}),
        ("什么是栈，怎么用", {"definition", "manner"}),
        ("栈和队列有什么区别？", {"difference"}),
        ("where do I see my grade?", {"place"}),
        ("作业什么时候截止？", {"time"}),
        ("作业的截止时间在哪里看？", {"time", "place"}),
        ("Who can see my grades?", {"person"}),
        ("whens the exam, and wheres it", {"time", "place"}),
        ("How many layers are there?", {"amount"}),
        ("how can I avoid overfitting?", {"manner"}),
        ("ok. what does a learning rate do?", {"definition"}),
        ("什么是栈？", {"definition"}),
        ("举个例子", {"example"}),
        ("用python写个栈", {"code"}),
        ("softmax的公式", {"formula"}),
        ("链表有啥用", {"use"}),
        ("线性结构有哪些？", {"members"}),
        ("what are the main types of queues", {"members"}),
        ("k一般取几", {"amount"}),
        ("whats the diff between a stack and a queue", {"difference"}),
        ("数组还是链表", {"difference"}),
        ("Can I hand it in late?", set()),
        ("链表怎么样", set()),
    ],
)
def test_the_words_of_a_question_tell_its_kind(question, kinds):
    """By question words and nouns, in both languages; a definition only where nothing else is asked for."""
    assert kinds_of(question) == kinds


@pytest.mark.parametrize(
    ("question", "wording", "alike"),
    [
        ("how can I avoid overfitting?", "What is overfitting?", False),
        ("where do I see my grade?", "Who can see my grades?", False),
        ("What is regularisation?", "What is the difference between L1 and L2 regularisation?", False),
        ("作业什么时候截止？", "作业的截止时间在哪里看？", True),
        ("Can I hand it in late?", "How late may it be?", True),
        ("How do I reset it?", "Resetting it", True),
    ],
)
def test_questions_that_share_their_words_may_ask_for_different_things(question, wording, alike):
    """Where one of them tells no kind, nothing speaks against it."""
    assert asks_alike(question, [wording]) is alike


def test_one_fitting_wording_is_enough():
    """An entry asks for all that its wordings ask for."""
    assert asks_alike("怎么避免过拟合？", ["什么是过拟合？", "过拟合怎么办？", "如何避免过拟合？"])


def test_only_plain_questions_ask_for_nothing_but_a_definition():
    """A bare name counts as one."""
    assert asks_definition("栈")
    assert asks_definition("What is a stack?")
    assert not asks_definition("Why is a stack needed?")
    assert not asks_definition("线性结构包括哪几种？")
