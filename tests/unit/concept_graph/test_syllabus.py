"""The terms of a syllabus: what it names, without verbs of objectives and words that order a course."""

from __future__ import annotations

import pytest

from concept_graph.syllabus import MOST_TERMS, occurring, read_terms


@pytest.mark.parametrize(
    ("line", "terms"),
    [
        ("- Explain the difference between a stack and a queue.", ("stack", "queue")),
        ("Week 3: Binary search trees; AVL trees", ("Binary search trees", "AVL trees")),
        ("| 4 | Hash tables | Homework 2 |", ("Hash tables",)),
        ("Students will be able to implement depth-first search", ("depth-first search",)),
        ("3.2 Analyse the time complexity of sorting algorithms", ("time complexity", "sorting algorithms")),
        ("Understand the rate of change", ()),
        ("第3周：图的深度优先搜索和广度优先搜索", ("深度优先搜索", "广度优先搜索")),
        ("2. 理解栈和队列的概念", ("栈", "队列")),
        ("熟练运用动态规划解决实际问题", ("动态规划",)),
        ("- 元素", ("元素",)),
        ("model", ("model",)),
        ("By the end of the course, 第一章 绪论, Introduction, 12", ()),
    ],
)
def test_a_line_is_cut_to_its_terms(line: str, terms: tuple[str, ...]) -> None:
    found = read_terms(line)
    assert set(terms) <= set(found)
    assert len(found) <= len(terms) + 1  # a noun of the objective itself may be left: a person unticks it


def test_a_plain_list_of_terms_is_taken_line_by_line() -> None:
    """A function word in a term does not cut it, where every line is a term; among objectives it does."""
    listed = "- intent to treat\n- difference in differences\n- rate of change\n- Type I error\n"
    assert read_terms(listed) == (
        "intent to treat",
        "difference in differences",
        "rate of change",
        "Type I error",
    )
    assert read_terms("双倍余额递减法\n先进先出法\n资产与负债\n") == (
        "双倍余额递减法",
        "先进先出法",
        "资产与负债",
    )
    assert "intent to treat" not in read_terms(listed + "Explain the difference between a stack and a queue.")
    assert "收付实现制" in read_terms("收付实现制\n其他债权投资\n杜邦分析\n双倍余额递减法\n")
    assert "construct validity" in read_terms(listed + "- construct validity")


def test_a_person_may_say_that_each_line_is_a_term() -> None:
    """Whatever the lines look like, but for those without a letter."""
    text = "1. Explain-away effect\n- the invisible hand of the market, as Smith calls it\n---\n2024\n"
    assert read_terms(text, each_line=True) == (
        "Explain-away effect",
        "the invisible hand of the market, as Smith calls it",
    )


def test_a_term_is_told_once_in_its_first_spelling() -> None:
    """The plural is the same term; there are at most so many."""
    assert read_terms("Hash tables\nhash table\nHash Table") == ("Hash tables",)
    many = "\n".join(
        f"{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}x list" for n in range(2000)
    )
    assert len(read_terms(many)) == MOST_TERMS


def test_a_term_occurs_in_singular_or_plural_but_not_inside_a_word() -> None:
    texts = ["Stacks grow.", "An array holds a binary search tree.", "栈与队列"]
    terms = ["stack", "binary search trees", "ray", "队列", "graph"]
    assert occurring(terms, texts) == {"stack", "binary search trees", "队列"}
