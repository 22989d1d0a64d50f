"""Fixtures for all tests. What tests share are plain modules beside this file, which any test may import."""

from __future__ import annotations

import gc
import os
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import count
from pathlib import Path
from types import ModuleType

import office_files as office_files_module
import pytest
from brute_force_index import BruteForceIndex
from elasticsearch_server import ElasticsearchServer, Unavailable
from hypothesis import settings
from left_out import NEEDS, LeftOut, mark_needs
from page_search import PageSearch
from postgres_server import find_binaries, run_postgres
from scripted_llm import ScriptedLlm
from scripted_search import ScriptedSearch
from small_platform import SmallPlatform
from talk import Talk
from word_vectors import WordVectors, write_onnx_model

settings.register_profile("quick", deadline=None, max_examples=15, derandomize=True)
settings.register_profile("full", deadline=None)
settings.load_profile("full")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(LeftOut(config), "left-out")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    mark_needs(items)
    long = {item.path for item in items if any(item.get_closest_marker(need) for need in NEEDS)}
    items.sort(key=lambda item: item.path not in long)  # so that no process is left alone with one at the end


def pytest_collection_finish() -> None:
    """What was collected stays to the end, so the garbage collector need not go through it again and again:
    half of what it costs to make an application."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Free the platforms of a module when it ends: they hold each other, and the collector seldom runs."""
    if nextitem is None or nextitem.path != item.path:
        gc.collect()


@pytest.fixture
def scripted_llm(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedLlm]:
    """A real HTTP server that plays the scenes of a test. Its model is known to think nothing unmarked, so
    that pieces come from the first answer on."""
    from services.language_model import client

    monkeypatch.setattr(client, "FIRST_HABIT", client.Habit.SPEAKS)
    with ScriptedLlm() as server:
        yield server


@pytest.fixture
def scripted_search() -> Iterator[ScriptedSearch]:
    """A real HTTP server that plays the scenes of a test."""
    with ScriptedSearch() as server:
        yield server


@pytest.fixture(scope="session")
def page_search() -> type[PageSearch]:
    """A `WebSearch` over pages in memory."""
    return PageSearch


@pytest.fixture(scope="session")
def brute_force_index() -> type[BruteForceIndex]:
    """A `PairIndex` that scores every pair."""
    return BruteForceIndex


@pytest.fixture(scope="session")
def word_vectors() -> type[WordVectors]:
    """An `Embedder` that gives every word a direction."""
    return WordVectors


@pytest.fixture
def onnx_model(tmp_path: Path) -> Callable[..., Path]:
    """Writes a small sentence-transformers folder with random weights and returns it."""
    pytest.importorskip("onnx", reason="local embeddings not proven: onnx is not installed")
    numbers = count()
    return lambda **more: write_onnx_model(tmp_path / f"onnx-model-{next(numbers)}", **more)


@pytest.fixture(scope="session")
def elasticsearch_url() -> Iterator[str]:
    """The URL of a real Elasticsearch 9: the one VTA_TEST_ELASTICSEARCH_URL names, or one of our own."""
    named = os.environ.get("VTA_TEST_ELASTICSEARCH_URL")
    if named:
        yield named
        return
    try:
        server = ElasticsearchServer()
        server.wait()
    except Unavailable as error:
        pytest.skip(f"Elasticsearch not proven: {error}")
    yield server.url
    server.stop()


@pytest.fixture
async def small(tmp_path: Path) -> AsyncIterator[SmallPlatform]:
    """Two small courses, and everything else real."""
    platform = SmallPlatform(tmp_path)
    yield platform
    await platform.aclose()


@pytest.fixture
def talk(small: SmallPlatform, scripted_llm: ScriptedLlm) -> Talk:
    """Questions to the two small courses."""
    return Talk(small, scripted_llm)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of the server that VTA_TEST_POSTGRES_URL names, or of one started here."""
    named = os.environ.get("VTA_TEST_POSTGRES_URL")
    if named:
        yield named
        return
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("PostgreSQL not proven: it is not installed and VTA_TEST_POSTGRES_URL is not set")
    with run_postgres(binaries) as url:
        yield url


@pytest.fixture(scope="session")
def office_files() -> ModuleType:
    """Makes office files, PDF and course exports in memory (tests/office_files.py)."""
    return office_files_module
