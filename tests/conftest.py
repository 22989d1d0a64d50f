"""Fixtures for all tests. Tests import nothing from each other: what they share comes from here."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def load_beside(name: str) -> ModuleType:
    """The module `name`.py of this folder, which is no package (`--import-mode=importlib`)."""
    spec = importlib.util.spec_from_file_location(f"tests_{name}", Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def load_test_module() -> Callable[[str], ModuleType]:
    """Loads a module that lies beside this file."""
    return load_beside


@pytest.fixture
def scripted_llm() -> Iterator[Any]:
    """A running `ScriptedLlm` (tests/scripted_llm.py): a real HTTP server that plays what it is told."""
    with load_beside("scripted_llm").ScriptedLlm() as server:
        yield server


@pytest.fixture(scope="session")
def brute_force_index() -> Any:
    """The class `BruteForceIndex` (tests/brute_force_index.py): a `PairIndex` that scores every pair."""
    return load_beside("brute_force_index").BruteForceIndex


@pytest.fixture
async def small(tmp_path: Path) -> AsyncIterator[Any]:
    """A `SmallPlatform` (tests/small_platform.py): two small courses in memory, everything else real."""
    platform = load_beside("small_platform").SmallPlatform(tmp_path)
    yield platform
    await platform.aclose()
