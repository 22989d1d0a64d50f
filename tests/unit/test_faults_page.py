"""docs/faults.md says what the marks of the tests say, and every case has a test."""

from __future__ import annotations

from faults_page import PAGE, marked_tests, page, sections


def test_every_case_has_a_test_and_every_mark_a_case():
    cases = [case for section in sections().values() for case in section]
    assert len(cases) == len(set(cases))
    assert set(cases) == set(marked_tests())


def test_the_page_is_up_to_date():
    """`python tests/faults_page.py` writes it."""
    text = PAGE.read_text(encoding="utf-8")
    assert page(text) == text
