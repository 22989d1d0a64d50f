"""Where sentences end."""

from __future__ import annotations

import pytest
from processor_time import cheapest

from vta.sentences import sentence_ends, sentence_spans, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("A stack grows. It shrinks.", ["A stack grows.", "It shrinks."]),
        ("She won the U.S. Open. [1] Then she rested.", ["She won the U.S. Open. [1]", "Then she rested."]),
        ("Ranked No. 1 since 1975. [2]", ["Ranked No. 1 since 1975. [2]"]),
        ("No. A queue is first in, first out.", ["No.", "A queue is first in, first out."]),
        ("Use a list, e.g. [3, 5]. See Fig. 2.", ["Use a list, e.g. [3, 5].", "See Fig. 2."]),
        ("Donald E. Knuth wrote it. He typeset it.", ["Donald E. Knuth wrote it.", "He typeset it."]),
        ("Turn to Matrix A. The rest follows.", ["Turn to Matrix A.", "The rest follows."]),
        ("Multiply it by A. The result is B.", ["Multiply it by A.", "The result is B."]),
        ("See Weinman, J. (2012). It is long.", ["See Weinman, J. (2012).", "It is long."]),
        ("a. What is a stack? b. And a queue?", ["a. What is a stack?", "b. And a queue?"]),
        ("It grows. 2. It ends.", ["It grows.", "2. It ends."]),
        ("先进。**循环队列**是数组。**要紧。**完", ["先进。", "**循环队列**是数组。", "**要紧。**", "完"]),
        ("It is used in the U.S.\nIt is old.", ["It is used in the U.S.", "It is old."]),
        ("栈后进先出。队列先进先出。", ["栈后进先出。", "队列先进先出。"]),
        ("栈后进先出．队列先进先出．", ["栈后进先出．", "队列先进先出．"]),
        ("1．栈后进先出．", ["1．栈后进先出．"]),
        ("见图1．2．取３．１４．", ["见图1．2．", "取３．１４．"]),
        ("A b. C d [1]. E!", ["A b.", "C d [1].", "E!"]),
        ("A b. [1][2] C d.", ["A b. [1][2]", "C d."]),
        ("甲是乙。[1]丙是丁！“戊。”己", ["甲是乙。[1]", "丙是丁！", "“戊。”", "己"]),
        ("- A b.\n  1. C d.\n> e f.", ["A b.", "C d.", "e f."]),
        ("**A b.** See [c](d.e).", ["**A b.**", "See [c](d.e)."]),
        ("a 3.5 b. c", ["a 3.5 b.", "c"]),
        (
            "Joins (left, right etc.) large tables. It works.",
            ["Joins (left, right etc.) large tables.", "It works."],
        ),
        (
            "Lists, trees etc. are known. (So it ends.) It goes.",
            ["Lists, trees etc. are known.", "(So it ends.)", "It goes."],
        ),
        ("# A.\n\n$$x.$$\n~~~\nB.\n~~~\nC.", ["C."]),
        ("```\nA.\n", []),
        ("", []),
    ],
)
def test_a_sentence_ends_with_its_mark_and_not_with_an_abbreviation(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


def test_a_wrapped_sentence_ends_with_its_paragraph_item_or_row() -> None:
    text = "A stack\ngrows. It is\nold.\n- One item\n- Two\n\nA line  \nand one more"
    assert split_sentences(text, wrapped=True) == [
        "A stack\ngrows.",
        "It is\nold.",
        "- One item",
        "- Two",
        "A line",
        "and one more",
    ]
    assert split_sentences("A stack\ngrows. It is.") == ["A stack", "grows.", "It is."]


def test_a_sentence_has_all_its_quotation_marks() -> None:
    text = "It is called a “derived demand.” 这叫“栈。”后进先出；先入。"
    assert split_sentences(text) == ["It is called a “derived demand.”", "这叫“栈。”", "后进先出；", "先入。"]
    assert [text[:end][-3:] for end in sentence_ends(text)] == ["d.”", "栈。”", "先入。"]


@pytest.mark.parametrize(
    "text", ["." * 50_000 + "x", "?" * 50_000 + "x", "a." * 25_000, "- " * 25_000, "[1]" * 9_000]
)
def test_long_runs_of_signs_are_split_in_a_moment(text: str) -> None:
    assert cheapest(lambda: sentence_spans(text), enough=1.0) < 1.0
