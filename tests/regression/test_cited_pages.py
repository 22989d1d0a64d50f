"""The questions of a real book's readers are answered with the page that holds the answer."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from services.settings import Settings
from services.wiring import build_platform
from vta.types import Language

ROOT = Path(__file__).parents[2]
BOOK = ROOT.parent / "shared" / "data" / "hello_algo"


def load_benchmark() -> ModuleType:
    """benchmarks/cited_pages.py as a module."""
    spec = importlib.util.spec_from_file_location("cited_pages_benchmark", ROOT / "benchmarks/cited_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not BOOK.is_dir(), reason="real data not proven: ../shared/data/hello_algo is absent")
@pytest.mark.parametrize("language", list(Language))
def test_the_first_citation_is_a_judged_page_for_at_least_three_in_four(language, tmp_path):
    """hit@1 is at least 0.75, and no answer stands without a source unless it says that nothing was found."""
    platform = build_platform(Settings(home=tmp_path))
    found = load_benchmark().measure(platform, BOOK, language)
    platform.close()
    assert (len(found.answers), found.judged) == (31, 29)
    assert found.without_source == ()
    assert found.hit_at_1 >= 0.75
