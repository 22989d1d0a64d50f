"""Fixtures for all tests. Tests import nothing from each other: what they share comes from here, strategies
from `random_platforms`."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("no deadlines", deadline=None)
settings.load_profile("no deadlines")


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


@pytest.fixture
def scripted_search() -> Iterator[Any]:
    """A running `ScriptedSearch` (tests/scripted_search.py): a real HTTP server that plays its scenes."""
    with load_beside("scripted_search").ScriptedSearch() as server:
        yield server


@pytest.fixture(scope="session")
def page_search() -> Any:
    """The class `PageSearch` (tests/page_search.py): a `WebSearch` over pages in memory."""
    return load_beside("page_search").PageSearch


@pytest.fixture(scope="session")
def brute_force_index() -> Any:
    """The class `BruteForceIndex` (tests/brute_force_index.py): a `PairIndex` that scores every pair."""
    return load_beside("brute_force_index").BruteForceIndex


@pytest.fixture(scope="session")
def word_vectors() -> Any:
    """The class `WordVectors` (tests/word_vectors.py): an `Embedder` that gives every word a direction."""
    return load_beside("word_vectors").WordVectors


@pytest.fixture
def onnx_model(tmp_path: Path) -> Callable[..., Path]:
    """Writes a small sentence-transformers folder with random weights and returns it."""
    pytest.importorskip("onnx", reason="local embeddings not proven: onnx is not installed")
    write = load_beside("word_vectors").write_onnx_model
    count = iter(range(100))
    return lambda **more: write(tmp_path / f"onnx-model-{next(count)}", **more)


@pytest.fixture(scope="session")
def elasticsearch_url() -> Iterator[str]:
    """The URL of a real Elasticsearch 9: the one VTA_TEST_ELASTICSEARCH_URL names, or one of our own."""
    named = os.environ.get("VTA_TEST_ELASTICSEARCH_URL")
    if named:
        yield named
        return
    module = load_beside("elasticsearch_server")
    try:
        server = module.ElasticsearchServer()
        server.wait()
    except module.Unavailable as error:
        pytest.skip(f"Elasticsearch not proven: {error}")
    yield server.url
    server.stop()


@pytest.fixture
async def small(tmp_path: Path) -> AsyncIterator[Any]:
    """A `SmallPlatform` (tests/small_platform.py): two small courses in memory, everything else real."""
    platform = load_beside("small_platform").SmallPlatform(tmp_path)
    yield platform
    await platform.aclose()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of the server that VTA_TEST_POSTGRES_URL names, or of one started here."""
    named = os.environ.get("VTA_TEST_POSTGRES_URL")
    if named:
        yield named
        return
    server = load_beside("postgres_server")
    binaries = server.find_binaries()
    if binaries is None:
        pytest.skip("PostgreSQL not proven: it is not installed and VTA_TEST_POSTGRES_URL is not set")
    with server.run_postgres(binaries) as url:
        yield url


@pytest.fixture(scope="session")
def office_files() -> ModuleType:
    """Makes office files, PDF and course exports in memory (tests/office_files.py)."""
    return load_beside("office_files")
