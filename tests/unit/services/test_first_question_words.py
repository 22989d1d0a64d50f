"""First questions of a course are sentences."""

from __future__ import annotations

import pytest

from services.materials.course_reading import concept_draft
from vta.languages import Language


@pytest.mark.parametrize(
    ("name", "language", "question"),
    [
        ("Geofences", Language.EN, "What is meant by Geofences?"),
        ("loss", Language.EN, "What is loss?"),
        ("recursion", Language.EN, "What is recursion?"),
        ("栈", Language.ZH, "什么是栈？"),
    ],
)
def test_a_name_that_may_be_plural_is_asked_about_in_grammar(
    name: str, language: Language, question: str
) -> None:
    assert concept_draft(name, language).question == question
