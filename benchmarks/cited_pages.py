"""Ask the questions of hello-algo's readers and see which page the answers cite.

.venv/bin/python benchmarks/cited_pages.py ../shared/data/hello_algo
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.evaluation.retrieval_sets import read_judged_questions
from lab.evaluation.rows import data_hash
from lab.measures.intervals import bootstrap_interval
from lab.measures.metrics import JudgedQuestion
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.dialogue.assistant import Assistant
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.types.answers import Answer, Route
from vta.types.courses import Course, CourseId
from vta.types.questions import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPages:
    """hit@1 over the judged questions with a 95 % bootstrap interval, and every answer by question id."""

    hit_at_1: float
    interval: tuple[float, float]
    judged: int
    answers: Mapping[str, Answer]

    @property
    def without_source(self) -> tuple[str, ...]:
        """The questions that were answered without any citation, which must not happen."""
        silent = (Route.UNANSWERED, Route.REFUSED, Route.CHIT_CHAT)
        return tuple(i for i, a in self.answers.items() if not a.citations and a.route not in silent)


async def measure_cited_pages(
    assistant: Assistant, course_id: CourseId, questions: Sequence[JudgedQuestion], *, seed: int = 0
) -> CitedPages:
    """Ask every question in a session of its own. Questions without grades are asked, but not counted."""
    answers = {
        question.id: await assistant.answer(Question(course_id=course_id, text=question.text))
        for question in questions
    }
    hits = [_hit(answers[question.id], question) for question in questions if question.grades]
    return CitedPages(
        hit_at_1=sum(hits) / len(hits),
        interval=bootstrap_interval(hits, seed=seed),
        judged=len(hits),
        answers=answers,
    )


def _hit(answer: Answer, question: JudgedQuestion) -> float:
    first = answer.citations[0].document if answer.citations else None
    return float(first in question.grades)


def measure(platform: Platform, folder: Path, language: Language) -> CitedPages:
    """Ingest the book in one language as a course and ask it."""
    course = Course(
        id=CourseId(f"hello-algo-{language}"),
        name="Hello Algo",
        domains=("Computer Science",),
        language=language,
    )
    platform.stores.courses.add(course)
    ingest(
        [folder / str(language)],
        course=course,
        readers=platform.readers,
        documents=platform.stores.documents,
    )
    platform.knowledge.sync()  # a question would not wait for it on a busy machine
    questions = read_judged_questions(folder, language)
    return asyncio.run(measure_cited_pages(platform.assistant, course.id, questions))


def main() -> None:
    folder = Path(sys.argv[1])
    digest = data_hash(file for file in folder.rglob("*") if file.is_file())
    with tempfile.TemporaryDirectory() as home:
        platform = build_platform(Settings(home=Path(home)))
        for language in Language:
            found = measure(platform, folder, language)
            routes = [str(answer.route) for answer in found.answers.values()]
            print(
                json.dumps(
                    {
                        "language": language,
                        "asked": len(found.answers),
                        "judged": found.judged,
                        "hit@1": round(found.hit_at_1, 3),
                        "interval_95": [round(edge, 3) for edge in found.interval],
                        "routes": {route: routes.count(route) for route in sorted(set(routes))},
                        "answered_without_source": len(found.without_source),
                        "seed": 0,
                        "data_sha256": digest,
                    }
                )
            )
        platform.close()


if __name__ == "__main__":
    main()
