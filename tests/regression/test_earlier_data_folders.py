"""A data folder that an earlier version made opens, and its courses answer."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.types import Answer, CourseId, Question

HOMES = Path(__file__).parents[1] / "data" / "homes"
VERSIONS = sorted(file.name.partition(".")[0] for file in HOMES.glob("*.db.xz"))


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    """The number of the last migration that the folder's version had."""
    return str(request.param)


async def test_what_an_earlier_data_folder_answered_is_answered_still(version: str, tmp_path: Path) -> None:
    """Of forty questions in both languages, those that were answered with sources; words may be others."""
    (tmp_path / "vta.db").write_bytes(lzma.decompress((HOMES / f"{version}.db.xz").read_bytes()))
    lines = (HOMES / f"{version}.answers.jsonl").read_text(encoding="utf-8").splitlines()
    platform = build_platform(Settings(home=tmp_path))
    try:
        rows = [json.loads(line) for line in lines]
        assert len(rows) == 40
        answered = [row for row in rows if row["citations"]]
        assert [row["question"] for row in answered if not (await _ask(platform, row)).citations] == []
        assert len(platform.stores.sessions.waiting_questions(CourseId("machine-learning-en"))) == 1
    finally:
        platform.close()


async def _ask(platform: Platform, row: dict[str, object]) -> Answer:
    question = Question(course_id=CourseId(str(row["course"])), text=str(row["question"]))
    return await platform.previewer.answer(question)
