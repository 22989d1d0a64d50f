"""The questions of a real book's readers are answered with the page that holds the answer."""

from __future__ import annotations

from pathlib import Path

import cited_pages
import pytest

from services.settings import Settings
from services.wiring import build_platform
from vta.languages import Language

ROOT = Path(__file__).parents[2]
BOOK = ROOT.parent / "shared" / "data" / "hello_algo"


@pytest.mark.skipif(not BOOK.is_dir(), reason="real data not proven: ../shared/data/hello_algo is absent")
@pytest.mark.parametrize("language", list(Language))
def test_the_first_citation_is_a_judged_page_for_at_least_three_in_four(language, tmp_path):
    """hit@1 is at least 0.75, and no answer stands without a source unless it says that nothing was found."""
    platform = build_platform(Settings(home=tmp_path))
    found = cited_pages.measure(platform, BOOK, language)
    platform.close()
    assert (len(found.answers), found.judged) == (31, 29)
    assert found.without_source == ()
    assert found.hit_at_1 >= 0.75
