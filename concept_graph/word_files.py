"""The files of `concept_graph/words`: lists of words, patterns, and weights that were fitted."""

from __future__ import annotations

import importlib.resources
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any


def read_words(name: str) -> dict[str, Any]:
    """The tables of `words/NAME.toml`."""
    file = importlib.resources.files("concept_graph").joinpath("words", f"{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def read_weights(name: str) -> Mapping[str, float]:
    """The weights of a logistic regression by the name of the sign, from `words/NAME.toml`; read once."""
    return read_words(name)
