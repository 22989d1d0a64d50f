"""Singular and plural of English names, and what their spellings share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concept_graph.extraction.aliases import same_key
from concept_graph.names import name_key, plural, singular

ENDINGS = "t n l r d ck ge ce ve ty ch sh x ss us os se ze ness ar ow ay".split()


@given(st.from_regex(r"[bcdfgklmnprt][aeiou][bdgklmnprt]", fullmatch=True), st.sampled_from(ENDINGS))
def test_a_regular_noun_and_its_plural_are_one(stem: str, ending: str) -> None:
    """However "-es" came about."""
    assert name_key(plural(stem + ending)) == name_key(stem + ending)
    assert same_key(f"{stem}{ending} rate") == same_key(f"{plural(stem + ending)} rate")


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("biases", "bias"), ("axes", "axis"), ("diagnoses", "diagnosis"), ("hypotheses", "hypothesis"),
        ("cases", "case"), ("boxes", "box"), ("branches", "branch"), ("phases", "phase"), ("lenses", "lens"),
        ("eclipses", "eclipse"),
    ],
)  # fmt: skip
def test_a_plural_gives_its_singular(many: str, one: str) -> None:
    """The singular stays as it is."""
    assert (singular(many), singular(one)) == (one, one)


def test_a_base_is_no_basis() -> None:
    """Names of two things stay two."""
    assert name_key("base") != name_key("basis")
