"""What another course on the platform changes for a course: nothing."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from knowledge.index.elasticsearch_client import open_client
from services.demo.sample_courses import DEMO_COURSES, create_demo_courses
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.types.courses import Course, CourseId, PairId
from vta.types.documents import CourseDocument
from vta.types.pairs import QAPair, Source
from vta.types.questions import Question

ASKED, OTHER = map(CourseId, DEMO_COURSES)
PAIRS, QUESTIONS = 2_000, 20


@pytest.fixture(params=["embedded", "elasticsearch"])
def platform(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Platform]:
    """The sample course that is asked, alone."""
    alias = f"vta-test-{uuid.uuid4().hex[:12]}"
    on_server = request.param == "elasticsearch"
    url = str(request.getfixturevalue("elasticsearch_url")) if on_server else None
    platform = build_platform(Settings(home=tmp_path, elasticsearch_url=url, elasticsearch_index=alias))
    list(create_demo_courses(platform))
    platform.catalogue.remove(OTHER)
    yield platform
    platform.close()
    if url is not None:
        with open_client([url], api_key=None, timeout_s=30.0) as client:
            for name in client.indices.get(index=f"{alias}.*"):
                client.indices.delete(index=name)


def import_course(platform: Platform, like: Course, texts: list[str]) -> None:
    """A course of the same domains and language whose passages are made of these texts."""
    course = Course(id=OTHER, name="Other", domains=like.domains, language=like.language)
    platform.stores.courses.add(course)
    pairs = tuple(
        QAPair(
            id=PairId(f"other-{n}"),
            course_id=course.id,
            source=Source.MATERIAL,
            question=texts[n % 7][:20],
            answer=f"{texts[n % len(texts)]} {n}",
            document="other.md",
        )
        for n in range(PAIRS)
    )
    document = CourseDocument(path="other.md", sha256="0" * 64, pairs=pairs)
    platform.stores.documents.apply(course.id, put=[document])
    platform.knowledge.sync()


async def test_another_courses_import_moves_nothing(platform: Platform) -> None:
    """Relevance, S and the text of 20 answers stay as they were, to the last digit that is shown."""
    course = platform.stores.courses.course(ASKED)
    known = list(platform.stores.documents.pairs(ASKED))
    questions = [pair.question for pair in known if pair.source is Source.FAQ][:QUESTIONS]

    async def look() -> list[tuple[object, ...]]:
        seen = []
        for text in questions:
            answer = await platform.previewer.answer(Question(course_id=ASKED, text=text))
            found = platform.knowledge.current().ranker.rank(
                text, course=course, mentions=(), chit_chat=0.1, top=8
            )
            ranked = [(c.pair.id, round(c.score, 4), round(c.relevance or 0, 3)) for c in found.candidates]
            seen.append((answer.route, answer.text, ranked))
        return seen

    before = await look()
    import_course(platform, course, [pair.answer for pair in known if pair.source is Source.MATERIAL])
    assert await look() == before
