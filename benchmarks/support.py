"""Check people's answers to the questions of hello-algo's readers as if a language model had written them.

.venv/bin/python benchmarks/support.py ../shared/data/hello_algo > docs/runs/support.json

Of the questions that the book answers in full, each one's own answer is held against what is retrieved for
it, and so is the answer to the `SHIFT`-th question after it, which should look unsupported. The people who
answered did not keep to the book, so not every claim of theirs has support in it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from services.evaluation.rows import data_hash, read_rows
from services.settings import Settings
from services.use_cases.lookup import look_up
from services.wiring import Platform, build_platform
from vta.dialogue.concepts import teach_steps
from vta.dialogue.routing import relevant
from vta.dialogue.support import FEWEST_WORDS, SUPPORTED_SHARE, Checked, SupportCheck
from vta.ingest.pipeline import ingest
from vta.text import Analyser
from vta.types import Course, CourseId, Language

SHIFT = 5


def read_answered(folder: Path, language: Language) -> list[tuple[str, str]]:
    """(question, answer) of the questions labelled as answerable in full."""
    labels = read_rows(folder / f"qa_labels_{language}.jsonl", ("id", "answerable"))
    full = {row["id"] for row in labels if row["answerable"] == "full"}
    rows = read_rows(folder / f"qa_{language}.jsonl", ("id", "question", "answer"))
    return [(str(row["question"]), str(row["answer"])) for row in rows if row["id"] in full]


def check(platform: Platform, course: Course, question: str, answer: str) -> Checked:
    """The answer against what the course knows of the question."""
    known = look_up(platform, course, question, top=platform.settings.top_k)
    return SupportCheck(Analyser()).check(
        answer,
        candidates=relevant(known.ranking.candidates, platform.settings.thresholds),
        steps=teach_steps(known.mentions, known.knowledge.graph),
        mark="",
    )


def summarise(found: Sequence[Checked]) -> dict[str, float]:
    """How many claims there are, the share without support, and the share of answers without any support."""
    claims = sum(checked.claims for checked in found)
    return {
        "answers": len(found),
        "claims": claims,
        "unsupported": round(sum(checked.unsupported for checked in found) / claims, 3),
        "answers_without_support": round(sum(checked.holds_nothing for checked in found) / len(found), 3),
    }


def measure(folder: Path, language: Language, home: Path) -> dict[str, object]:
    """Own answers and those of other questions, in one language."""
    course = Course(
        id=CourseId(f"book-{language}"), name="Hello Algo", domains=("Computer Science",), language=language
    )
    platform = build_platform(Settings(home=home))
    try:
        platform.stores.courses.add(course)
        folders = [folder / str(language)]
        ingest(folders, course=course, readers=platform.readers, documents=platform.stores.documents)
        pairs = read_answered(folder, language)
        others = [answer for _, answer in pairs[SHIFT:] + pairs[:SHIFT]]
        return {
            "own_answers": summarise([check(platform, course, q, a) for q, a in pairs]),
            "answers_to_other_questions": summarise(
                [check(platform, course, q, other) for (q, _), other in zip(pairs, others, strict=True)]
            ),
        }
    finally:
        platform.close()


def main() -> None:
    folder = Path(sys.argv[1])
    files = [file for file in folder.rglob("*") if file.is_file()]
    with tempfile.TemporaryDirectory() as work:
        found = {str(language): measure(folder, language, Path(work) / language) for language in Language}
    record = {
        "command": "benchmarks/support.py ../shared/data/hello_algo",
        "share": SUPPORTED_SHARE,
        "fewest_words": FEWEST_WORDS,
        "data_sha256": data_hash(files),
        **found,
    }
    print(json.dumps(record, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
