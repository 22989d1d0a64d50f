"""The files of `concept_graph/words`: lists of words, patterns, and weights that were fitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vta.patterns import read_table


def read_words(name: str) -> Mapping[str, Any]:
    """The tables of `words/NAME.toml`."""
    return read_table("concept_graph", f"words/{name}.toml")


def read_weights(name: str) -> Mapping[str, float]:
    """The weights of a logistic regression by the name of the sign, from `words/NAME.toml`."""
    return read_words(name)
