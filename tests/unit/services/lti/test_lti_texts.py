"""Every reason to refuse has its words in both languages, and is explained to engineers."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.lti.admin_texts import ADMIN_TEXTS
from services.lti.refusals import LaunchRefused, Reason
from services.lti.texts import ADVICE, PAGE_TEXTS
from vta.types import Language

GUIDE = Path(__file__).parents[4] / "docs" / "lti.md"


@pytest.mark.parametrize("language", Language)
def test_every_reason_has_its_words(language):
    """What happened and what to do; the pages have the same words in either language."""
    assert set(ADVICE[language]) == set(Reason)
    assert all(advice.what and advice.do for advice in ADVICE[language].values())
    for texts in (PAGE_TEXTS, ADMIN_TEXTS):
        assert set(texts[language]) == set(texts[Language.EN])
        assert not set(texts[language]) & set(dir(dict))  # in a template `t.copy` is a method


def test_every_reason_is_in_the_guide():
    """The code on the page leads an engineer to its row."""
    guide = GUIDE.read_text(encoding="utf-8")
    assert [reason for reason in Reason if f"| `{reason}` |" not in guide] == []


def test_every_refusal_has_a_status_of_its_own_kind():
    """None is a success, none a fault of ours."""
    assert {LaunchRefused(reason).status for reason in Reason} == {400, 401, 403, 404, 503}
