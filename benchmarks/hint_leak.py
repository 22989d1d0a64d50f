"""Ask for hints to the exercises of hello-algo and see how many give the reference solution away.

python -m benchmarks hint_leak ../shared/data/hello_algo
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.leaks import LEAK_RUN, LEAK_SHARE, Leak, measure_leak
from lab.evaluation.labelled_rows import Row, read_rows
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.text import Analyser
from vta.types.courses import Course, CourseId
from vta.types.questions import Mode, Question


def read_exercises(folder: Path, language: Language) -> list[Row]:
    """The exercises that come with a solution."""
    rows = read_rows(folder / f"exercises_{language}.jsonl", ("question", "answer"))
    return [row for row in rows if str(row["answer"]).strip()]


def add_course(platform: Platform, name: str, language: Language, folders: Sequence[Path]) -> CourseId:
    """A course of these folders."""
    course = Course(id=CourseId(name), name="Hello Algo", domains=("Computer Science",), language=language)
    platform.stores.courses.add(course)
    ingest(folders, course=course, readers=platform.readers, documents=platform.stores.documents)
    return course.id


async def ask_all(platform: Platform, course: CourseId, exercises: Sequence[Row], mode: Mode) -> list[Leak]:
    """The leak of the answer to each exercise, asked in a session of its own."""
    analyser = Analyser()
    leaks: list[Leak] = []
    for row in exercises:
        question, solution = str(row["question"]), str(row["answer"])
        answer = await platform.assistant.answer(Question(course_id=course, text=question, mode=mode))
        leaks.append(
            measure_leak(
                analyser.segments(answer.text),
                solution=analyser.segments(solution),
                question=analyser.segments(question),
            )
        )
    return leaks


def summarise(leaks: Sequence[Leak]) -> dict[str, float]:
    """Share of answers that give the solution away, and what they hold of it at all."""
    return {
        "gives_away": round(sum(leak.gives_away for leak in leaks) / len(leaks), 3),
        "mean_share": round(sum(leak.share for leak in leaks) / len(leaks), 4),
        "largest_share": round(max(leak.share for leak in leaks), 3),
        "longest_run": max(leak.run for leak in leaks),
    }


def measure(folder: Path, language: Language, work: Path) -> dict[str, object]:
    """Hints from the book alone, and hints and answers where the FAQ holds every solution."""
    exercises = read_exercises(folder, language)
    faq = work / f"faq-{language}"
    faq.mkdir()
    lines = (json.dumps({name: row[name] for name in ("question", "answer")}) for row in exercises)
    (faq / "exercises_faq.jsonl").write_text("\n".join(lines), encoding="utf-8")
    platform = build_platform(Settings(home=work / f"home-{language}"))
    try:
        book = add_course(platform, f"book-{language}", language, [folder / str(language)])
        both = add_course(platform, f"both-{language}", language, [folder / str(language), faq])
        asked = {
            "hints": (book, Mode.HINT),
            "hints_with_solutions_in_faq": (both, Mode.HINT),
            "answers_with_solutions_in_faq": (both, Mode.ANSWER),
        }
        return {"n": len(exercises)} | {
            name: summarise(asyncio.run(ask_all(platform, course, exercises, mode)))
            for name, (course, mode) in asked.items()
        }
    finally:
        platform.close()


def run(folder: Path) -> dict[str, Any]:
    """Figures by language, with the rule by which a hint gives a solution away."""
    with tempfile.TemporaryDirectory() as work:
        found = {str(language): measure(folder, language, Path(work)) for language in Language}
    rule = f"at least {LEAK_SHARE:.0%} of the solution's new 4-grams, or {LEAK_RUN} tokens in a row"
    return {"rule": rule, "model": None, **found}
