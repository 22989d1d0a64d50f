"""Faults in the words of an instructor."""

from __future__ import annotations

import pytest

from services.console.fault_texts import told
from vta.errors import VtaError
from vta.faq import clean_draft
from vta.types import FaqDraft, Language


def message_of(draft: FaqDraft) -> str:
    with pytest.raises(VtaError) as raised:
        clean_draft(draft)
    return raised.value.message


def test_a_known_fault_is_told_in_chinese() -> None:
    """With what it names; it stays as it is in English."""
    fault = message_of(FaqDraft(question="q", answer=" "))
    assert told(fault, Language.ZH) == "回答是空的。"
    assert told(fault, Language.EN) == fault
    long = message_of(FaqDraft(question="q" * 1_000_000, answer="a"))
    assert told(long, Language.ZH).startswith("question 超过")


def test_a_place_in_a_file_is_kept() -> None:
    """Path and line stand before the fault in either language."""
    fault = "a.csv, line 3: the question is empty"
    assert told(fault, Language.ZH) == "a.csv，第 3 行：问题是空的。"
    assert told(fault, Language.EN) == fault


def test_ids_are_no_words_for_people() -> None:
    """Where an error speaks of an id, both languages say what it means."""
    fault = "the FAQ entry 'f-1' asks the same question already"
    assert "f-1" not in told(fault, Language.EN)
    assert "f-1" not in told(fault, Language.ZH)


def test_an_unknown_fault_stays_as_it_is() -> None:
    """Nothing is hidden, even something that looks like a pattern's."""
    for fault in ("disk full", "x, line y: disk full", ""):
        assert told(fault, Language.ZH) == fault
