"""Exercises as course material writes them, with the answers that it gives."""

from __future__ import annotations

import factories as make
import pytest

from vta.dialogue.exercises import compare, find_numbers, read_exercises
from vta.text import Analyser
from vta.types.pairs import QAPair

ANALYSER = Analyser(["后进先出"])


def passage(text: str, *headings: str, document: str = "a.md", n: int = 0) -> QAPair:
    return make.passage(text, *headings, id=f"{document}-{headings}-{n}", document=document)


def read(*pairs: QAPair) -> list[tuple[str, str | None]]:
    return [(each.question, each.reference) for each in read_exercises(pairs)]


def test_items_under_a_heading_of_exercises_are_exercises() -> None:
    """Numbered or marked, with what is indented below them; other headings set none."""
    text = "1. What is the top of a stack?\n   1. And the bottom?\n2. Write a queue in Python."
    assert read(
        passage("1. A stack is a list of things.", "Stacks"),
        passage(text, "Stacks", "3.4 Exercises"),
        passage("- 证明栈可以由两个队列组成。\n\n讨论见论坛。", "栈", "课后练习"),
    ) == [
        ("What is the top of a stack?\n   1. And the bottom?", None),
        ("Write a queue in Python.", None),
        ("证明栈可以由两个队列组成。", None),
    ]


def test_the_answer_stands_in_brackets_behind_the_exercise() -> None:
    """A remark in brackets is none, and neither is a bracket inside the sentence."""
    text = (
        "1. 七加五是多少？（12，即 f(12)）\n2. 证明这个结论。（提示：用归纳法）\n"
        "3. 设 f(x)（连续）有界，求极限。"
    )
    assert read(passage(text, "练习")) == [
        ("七加五是多少？", "12，即 f(12)"),
        ("证明这个结论。（提示：用归纳法）", None),
        ("设 f(x)（连续）有界，求极限。", None),
    ]


def test_answers_are_given_by_number_below_the_exercises() -> None:
    text = "1. Add three and 4.5.\n2. Name both ends.\n\n*Answers: 1: 7.5, not 8. 2 (a) head; (b) tail.*"
    assert read(passage(text, "Exercises")) == [
        ("Add three and 4.5.", "7.5, not 8."),
        ("Name both ends.", "(a) head; (b) tail."),
    ]


def test_a_section_of_answers_belongs_to_the_exercises_before_it() -> None:
    exercises = passage("1. First of the two?\n2. Second of the two?", "Trees", "Exercises")
    answers = passage("1. The root.\n2. A leaf.", "Trees", "Answers")
    elsewhere = passage("1. The root.", "Trees", "Answers", document="b.md")
    assert read(exercises, answers) == [("First of the two?", "The root."), ("Second of the two?", "A leaf.")]
    assert [reference for _, reference in read(exercises, elsewhere)] == [None, None]


def test_a_section_may_be_cut_into_passages() -> None:
    """An exercise is cited from the passage that it stands in, and its answer may stand in another."""
    first = passage("1. Which node is first?", "Exercises", n=1)
    second = passage("2. Which node is last?\n\nAnswers: 1. the root; 2. a leaf", "Exercises", n=2)
    found = read_exercises([first, second])
    assert [(each.pair.id, each.reference) for each in found] == [
        (first.id, "the root"),
        (second.id, "a leaf"),
    ]


def test_a_section_without_items_sets_no_exercise() -> None:
    assert read(passage("There are none this week.", "Exercises")) == []


@pytest.mark.parametrize(
    ("attempt", "reference", "held", "lacking"),
    [
        ("0.44?", "0.444", ["0.444"], []),
        ("is it 5/8", "0.625 or 62.5%", ["0.625", "62.5%"], []),
        ("96.5%, 0.6", "0.965, 0.60, 0.90.", ["0.965", "0.60"], ["0.90"]),
        ("0.4", "0.44", [], ["0.44"]),
        ("1000", "1,000 steps", ["1,000"], ["steps"]),
        ("it is the root", "the root of the tree", ["root"], ["tree"]),
        ("后进先出的", "栈是后进先出", ["后进先出"], []),
        ("no idea", "$\\eta = 0.5$", [], ["0.5"]),
    ],
)
def test_what_a_try_holds_of_the_reference(
    attempt: str, reference: str, held: list[str], lacking: list[str]
) -> None:
    found = compare(attempt, reference, "What about 栈?", ANALYSER)
    assert (list(found.held), list(found.lacking)) == (held, lacking)


def test_words_of_the_question_prove_nothing() -> None:
    """Saying the question again holds no key term."""
    found = compare("a stack", "a stack with a top", "What has a stack?", ANALYSER)
    assert (found.held, found.lacking) == ((), ("top",))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("TP = 45, FP = 1,200", ["45", "1,200"]),
        ("3/4 of $\\frac{1}{2}$", ["3/4", "1", "2"]),
        ("-0.5 or 20 %", ["-0.5", "20 %"]),
        ("x2 and H2O", []),
    ],
)
def test_numbers_are_read_as_they_are_written(text: str, numbers: list[str]) -> None:
    assert find_numbers(text) == numbers


def test_a_number_divided_by_zero_is_no_number_to_compare() -> None:
    assert compare("3/0", "0.5", "How much?", ANALYSER).held == ()
