"""A data folder that an earlier version made opens, and its courses answer as they did."""

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


async def test_a_data_folder_of_an_earlier_version_answers_the_same(version: str, tmp_path: Path) -> None:
    """Forty questions in both languages: what was answered with sources still is, concepts and score are what
    they were. The words are chosen anew by each version."""
    (tmp_path / "vta.db").write_bytes(lzma.decompress((HOMES / f"{version}.db.xz").read_bytes()))
    lines = (HOMES / f"{version}.answers.jsonl").read_text(encoding="utf-8").splitlines()
    platform = build_platform(Settings(home=tmp_path))
    try:
        rows = [json.loads(line) for line in lines]
        assert len(rows) == 40
        assert [await _ask(platform, row) for row in rows] == [_without_words(row) for row in rows]
        assert len(platform.stores.sessions.waiting_questions(CourseId("machine-learning-en"))) == 1
    finally:
        platform.close()


async def _ask(platform: Platform, row: dict[str, object]) -> dict[str, object]:
    course, question = str(row["course"]), str(row["question"])
    answer = await platform.previewer.answer(Question(course_id=CourseId(course), text=question))
    return {"course": course, "question": question, **_as_recorded(answer)}


def _without_words(row: dict[str, object]) -> dict[str, object]:
    kept = {name: value for name, value in row.items() if name not in ("text", "citations")}
    return {**kept, "cites": bool(row["citations"])}


def _as_recorded(answer: Answer) -> dict[str, object]:
    return {
        "route": answer.route.value,
        "cites": bool(answer.citations),
        "concepts": [concept.name for concept in answer.concepts],
        "score": round(answer.ranking.score, 9) if answer.ranking else None,
    }
