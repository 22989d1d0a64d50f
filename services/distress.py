"""The shipped signal of distress with the encoder that it was fitted with."""

from __future__ import annotations

from functools import cache

from intent.distress import DistressModel
from knowledge.vectors.token_table import shipped_encoder


@cache
def shipped_distress() -> DistressModel:
    """Read once a process, whatever encoder the search uses."""
    return DistressModel.load(shipped_encoder())
