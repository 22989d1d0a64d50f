"""Ask the questions of hello-algo's readers and see which page the answers cite.

.venv/bin/python benchmarks/cited_pages.py ../shared/data/hello_algo
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import tempfile
from pathlib import Path

from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.evaluation.cited_pages import CitedPages, JudgedQuestion, measure_cited_pages
from vta.ingest.pipeline import ingest
from vta.types import Course, CourseId, Language


def read_questions(folder: Path, language: Language) -> list[JudgedQuestion]:
    """The reader questions of one language with their graded pages."""
    rows = _rows(folder / f"qa_{language}.jsonl")
    labels = {row["id"]: row["pages"] for row in _rows(folder / f"qa_labels_{language}.jsonl")}
    return [
        JudgedQuestion(
            id=row["id"],
            text=row["question"],
            grades={f"{page}.md": grade for page, grade in labels[row["id"]].items()},
        )
        for row in rows
    ]


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
    questions = read_questions(folder, language)
    return asyncio.run(measure_cited_pages(platform.assistant, course.id, questions))


def main() -> None:
    folder = Path(sys.argv[1])
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            digest.update(file.read_bytes())
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
                        "data_sha256": digest.hexdigest()[:16],
                    }
                )
            )
        platform.close()


def _rows(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    main()
