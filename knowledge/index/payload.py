"""A QA pair as one line of JSON, as an index stores it beside its tokens."""

from __future__ import annotations

from functools import lru_cache

from pydantic import TypeAdapter

from vta.types.pairs import QAPair

_PAIR = TypeAdapter(QAPair)


def pair_to_json(pair: QAPair) -> str:
    """The pair by the names of its fields; what is a default is left out."""
    return _PAIR.dump_json(pair, exclude_defaults=True).decode()


@lru_cache(maxsize=8_192)  # many questions find the same pairs
def pair_from_json(text: str) -> QAPair:
    """The pair; `ValueError` for a text that is none."""
    return _PAIR.validate_json(text)
