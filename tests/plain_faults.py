"""Faults for tests in which the words matter and their place in the table does not."""

from __future__ import annotations

from vta.faults import Fault


def plain_fault(text: str) -> Fault:
    """A fault that says this text in both languages."""
    return Fault("course_file.wrong", reason=text)
