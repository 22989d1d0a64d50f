"""A try beside a reference: numbers and key terms, no verdict."""

from __future__ import annotations

import pytest

from vta.dialogue.attempts import compare, find_numbers, holds_number
from vta.text import Analyser

ANALYSER = Analyser(["后进先出"])


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
    assert not holds_number("3/0", ["0.5"])
