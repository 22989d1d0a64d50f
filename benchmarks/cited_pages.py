"""Ask the questions of hello-algo's readers and see which page the answers cite.

.venv/bin/python benchmarks/cited_pages.py ../shared/data/hello_algo
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from services.evaluation.retrieval_sets import read_judged_questions
from services.evaluation.rows import data_hash
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.evaluation.cited_pages import CitedPages, measure_cited_pages
from vta.ingest.pipeline import ingest
from vta.types import Course, CourseId, Language


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
