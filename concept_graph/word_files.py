"""The files of `concept_graph/words`: lists of words, patterns, and weights that were fitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vta.patterns import read_table


def read_words(name: str) -> Mapping[str, Any]:
    """The tables of `words/NAME.toml`, or its weights; see `vta.scoring`."""
    return read_table("concept_graph", f"words/{name}.toml")
