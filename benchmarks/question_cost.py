"""What a question costs in processor time, from the question to the answer that is stored.

.venv/bin/python benchmarks/question_cost.py [--sizes 2000 100000] [--out docs/runs/question_cost.json]

A sample course of each language is filled up with passages of its own words. Every FAQ question is asked, and
"why" and "how" of every concept, each in a session of its own: in process, embedded index, shipped encoder,
no language model. Answers are told apart by the route that they took. `slowdown` says how much longer a fixed
loop took on average than at best: other work on the machine. With --profile the functions that take most.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import json
import os
import platform as machine
import pstats
import resource
import statistics
import sys
import tempfile
from pathlib import Path
from time import process_time

from ingest import SEED, Writer

from services.demo.sample_courses import DEMO_COURSES, create_demo_courses
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.languages import Language
from vta.types.answers import Route
from vta.types.courses import Course, CourseId, PairId
from vta.types.documents import CourseDocument
from vta.types.pairs import Locator, QAPair, Source
from vta.types.questions import Question

ASKED = {
    Language.ZH: ("为什么要用{}？", "{}是怎么实现的？"),
    Language.EN: ("Why is {} used?", "How does {} work?"),
}
PARTS = ("direct", "taught", "unanswered")
_WARM_UP = 10


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_000, 100_000], help="pairs of a course")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--homes", type=Path, help="where the filled courses are kept for the next time")
    parser.add_argument("--profile", type=int, default=0, metavar="N", help="show the N dearest functions")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = options.homes or Path(place)
        runs = [measure(size, folder / str(size), options.profile) for size in options.sizes]
    record = {
        "command": "python benchmarks/question_cost.py --sizes " + " ".join(map(str, options.sizes)),
        "seed": SEED,
        "python": machine.python_version(),
        "processors": os.cpu_count(),
        "runs": runs,
    }
    text = json.dumps(record, indent=2) + "\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    print(text, end="")


def measure(size: int, home: Path, profiled: int) -> dict[str, object]:
    """One size: milliseconds of processor time a question, of all threads of the process together."""
    vta = build_platform(Settings(home=home))
    try:
        courses = fill(vta, size)
        questions = [Question(course_id=c.id, text=text) for c in courses for text in questions_of(vta, c)]
        taken = asyncio.run(ask_all(vta, questions, profiled))
    finally:
        vta.close()
    return {
        "pairs_of_a_course": size,
        "questions": len(questions),
        **{part: summary(taken[part]) for part in PARTS if taken[part]},
        "slowdown": round(statistics.mean(taken["loop"]) / min(taken["loop"]), 2),
        "memory_peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
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


async def ask_all(vta: Platform, questions: list[Question], profiled: int) -> dict[str, list[float]]:
    """Milliseconds of each question by its part of `PARTS`; the first few are asked once more before."""
    for question in questions[:_WARM_UP] + questions[-_WARM_UP:]:
        await vta.assistant.answer(question)
    taken: dict[str, list[float]] = {part: [] for part in PARTS} | {"loop": []}
    for question in questions:
        taken["loop"].append(time_loop())
        begun = process_time()
        answer = await vta.assistant.answer(question)
        spent = 1000 * (process_time() - begun)
        part = {Route.CHAIN_OF_TEACH: "taught"}.get(answer.route, str(answer.route))
        taken.setdefault(part, []).append(spent)
    if profiled:
        await profile(vta, questions, profiled)
    return taken


def time_loop() -> float:
    """Milliseconds of processor time that a fixed loop takes: longer while others use the same core."""
    begun = process_time()
    sum(n * n % 7 for n in range(20_000))
    return 1000 * (process_time() - begun)


async def profile(vta: Platform, questions: list[Question], shown: int) -> None:
    """Print the functions that take most, in milliseconds a question; threads are done without for that."""

    async def at_once(function, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        return function(*args, **kwargs)

    asyncio.to_thread = at_once  # cProfile sees one thread only
    profiler = cProfile.Profile()
    profiler.enable()
    for question in questions:
        await vta.assistant.answer(question)
    profiler.disable()
    statistics_ = pstats.Stats(profiler, stream=sys.stderr)
    for order in ("cumulative", "tottime"):
        statistics_.sort_stats(order).print_stats(shown)


def summary(taken: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(taken, n=20)
    return {
        "n": len(taken),
        "mean_ms": round(statistics.mean(taken), 1),
        "p50_ms": round(cuts[9], 1),
        "p95_ms": round(cuts[18], 1),
    }


if __name__ == "__main__":
    main()
