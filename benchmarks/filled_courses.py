"""The sample courses filled up with passages of their own words, and questions on them."""

from __future__ import annotations

from time import process_time

from benchmarks.ingest import SEED, Writer
from services.demo.sample_courses import DEMO_COURSES, create_demo_courses
from services.wiring import Platform
from vta.languages import Language
from vta.types.courses import Course, CourseId, PairId
from vta.types.documents import CourseDocument
from vta.types.pairs import Locator, QAPair, Source

ASKED = {
    Language.ZH: ("为什么要用{}？", "{}是怎么实现的？"),
    Language.EN: ("Why is {} used?", "How does {} work?"),
}


def fill(vta: Platform, size: int) -> list[Course]:
    """The sample courses, each with passages made of its own words until it has so many pairs."""
    for _ in create_demo_courses(vta):
        pass
    courses = [vta.stores.courses.course(CourseId(name)) for name in DEMO_COURSES]
    for n, course in enumerate(courses):
        there = sum(1 for _ in vta.stores.documents.pairs(course.id))
        if there < size:
            writer = Writer(course.id, course.language, SEED + n)
            document = CourseDocument(
                path="filling.md", sha256="0" * 64, pairs=passages(course, writer, size - there)
            )
            vta.stores.documents.apply(course.id, put=[document])
    vta.knowledge.sync()
    return courses


def passages(course: Course, writer: Writer, number: int) -> tuple[QAPair, ...]:
    """Passages of four sentences, twenty under a heading."""
    return tuple(
        QAPair(
            id=PairId(f"{course.id}-filling-{n}"),
            course_id=course.id,
            source=Source.MATERIAL,
            question=heading,
            answer=writer.paragraph(),
            domains=course.domains,
            document="filling.md",
            locator=Locator(heading_path=(heading,)),
        )
        for n in range(number)
        if (heading := writer.topic(n // 20))
    )


def questions_of(vta: Platform, course: Course) -> list[str]:
    """Every question of the FAQ, and two of every concept that a person wrote."""
    faq = [pair.question for pair in vta.stores.documents.pairs(course.id) if pair.source is Source.FAQ]
    concepts = [each.name for each in vta.knowledge.current().graph.concepts(course.id) if each.curated]
    return [*faq, *(asked.format(name) for name in concepts for asked in ASKED[course.language])]


def time_loop() -> float:
    """Milliseconds of processor time that a fixed loop takes: longer while others use the same core."""
    begun = process_time()
    sum(n * n % 7 for n in range(20_000))
    return 1000 * (process_time() - begun)
