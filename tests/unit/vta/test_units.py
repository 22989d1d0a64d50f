"""The units of a passage."""

from __future__ import annotations

import pytest

from vta.units import UnitKind, holds, holds_example

PASSAGES = {
    UnitKind.CODE: "Push:\n\n```python\nstack.append(1)\n```\n",
    UnitKind.FORMULA: "The loss is\n\n$$\nL = -\\log p\n$$\n",
    UnitKind.TABLE: "| a | b |\n|---|---|\n| 1 | 2 |\n",
    UnitKind.LIST: "Steps:\n\n1. split\n2. sort\n",
}


@pytest.mark.parametrize("kind", PASSAGES)
def test_a_passage_holds_the_units_that_stand_in_it(kind):
    """And none of the other kinds."""
    assert {other for other in PASSAGES if holds(other, PASSAGES[kind])} == {kind}


def test_an_open_code_block_reaches_to_the_end():
    """A passage may be cut inside of one."""
    assert holds(UnitKind.CODE, "~~~\nx = 1")


@pytest.mark.parametrize(
    ("passage", "is_one"), [("例如，栈可以用来撤销。", True), ("For instance, 3.", True), ("栈。", False)]
)
def test_a_passage_says_that_it_gives_an_example(passage, is_one):
    """By its own words, in both languages."""
    assert holds_example(passage) is is_one
