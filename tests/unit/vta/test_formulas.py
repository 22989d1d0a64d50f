r"""Formulas between \( \) and \[ \] are set like those between dollars, however the text is cut."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vta.dialogue.formulas import DollarFormulas

TEXTS = {
    r"It is \(x^2\).": "It is $x^2$.",
    r"So \[ a = b \] holds.": "So $$ a = b $$ holds.",
    r"复杂度是\(O(n)\)，即\[T(n) = n\]。": "复杂度是$O(n)$，即$$T(n) = n$$。",
    r"Cited \[1\] and [2].": r"Cited \[1\] and [2].",
    r"`re.compile('\(')` and \(y\)": r"`re.compile('\(')` and $y$",
    "```\n\\(no\\)\n```\n\\(yes\\)": "```\n\\(no\\)\n```\n$yes$",
    r"a \) that closes nothing": r"a \) that closes nothing",
    r"two \\ backslashes \\(x": r"two \\ backslashes \\(x",
}


def rewritten(pieces: list[str]) -> str:
    formulas = DollarFormulas()
    return "".join(map(formulas.add, pieces)) + formulas.rest()


@pytest.mark.parametrize("text", list(TEXTS))
def test_brackets_become_dollars_outside_code(text: str) -> None:
    assert rewritten([text]) == TEXTS[text]


@given(st.sampled_from(list(TEXTS)), st.lists(st.integers(0, 40), max_size=6))
def test_it_does_not_matter_how_the_text_is_cut(text: str, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    assert rewritten([text[a:b] for a, b in itertools.pairwise(edges)]) == TEXTS[text]


@given(st.text(alphabet="\\()[]`$a1 \n", max_size=30))
def test_letters_and_line_breaks_stay(text: str) -> None:
    kept = [c for c in rewritten(list(text)) if c in "a1 \n`"]
    assert kept == [c for c in text if c in "a1 \n`"]
