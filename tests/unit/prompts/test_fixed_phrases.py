"""The fixed sentences, in both languages."""

from __future__ import annotations

import pytest

from prompts import phrases
from prompts.primers import refusal_sentence
from vta.languages import Language
from vta.text import detect_language


@pytest.mark.parametrize("language", list(Language))
def test_each_phrase_is_in_its_language(language):
    """No phrase is missing or in the wrong language."""
    other = next(each for each in Language if each is not language)
    for text in (phrases.unanswered(language), refusal_sentence(language), phrases.see_also(language, [1])):
        assert detect_language(text, other) is language


@pytest.mark.parametrize("language", list(Language))
def test_further_citations_are_markers_in_order(language):
    """Every number is a marker of its own, and no placeholder is left."""
    text = phrases.see_also(language, [2, 13])
    assert text.endswith("[2] [13]")
    assert "{" not in text
