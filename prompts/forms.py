"""The two forms of the prompt that teaches."""

from __future__ import annotations

from enum import StrEnum


class PromptForm(StrEnum):
    """How much a prompt holds.

    `full`: whole passages, prerequisites with their definitions, worked examples. `short`, for models of up
    to about 4 billion parameters and for slow machines: excerpts of four passages, definitions of the named
    concepts alone, and fixed rules of how to answer instead of worked examples.
    """

    FULL = "full"
    SHORT = "short"
