"""Faults in any words, for tests in which the kind of an error counts and not what it says."""

from __future__ import annotations

from vta.faults import Fault


def plain(words: str) -> Fault:
    """A fault that reads as these words in both languages."""
    return Fault("api.request", reasons=words)
