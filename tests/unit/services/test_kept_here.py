"""Whether what a question needs is in one process, so that jobs are done one after another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from services.settings import Settings


@pytest.mark.parametrize(
    "settings",
    [
        {"database_url": "postgresql+psycopg://vta@db/vta"},
        {"elasticsearch_url": "http://search:9200"},
        {"embeddings_base_url": "http://encoder:8000/v1", "embeddings_model": "m"},
        {"embeddings_folder": "encoder"},
    ],
)
def test_another_server_or_a_large_encoder_is_waited_for(tmp_path: Path, settings: dict[str, Any]) -> None:
    assert not Settings(home=tmp_path, **settings).keeps_all_here


def test_the_defaults_wait_for_nobody(tmp_path: Path) -> None:
    assert Settings(home=tmp_path).keeps_all_here
