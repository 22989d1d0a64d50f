"""Questions with passages whose answering sentences are known, for `benchmarks/sentences.py`."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.relevance_sets import JudgedCourse, judged_courses
from lab.evaluation.labelled_rows import read_rows
from services.settings import Settings
from services.wiring import build_platform
from vta.dialogue.teaching.excerpts import Piece, read_pieces
from vta.text import Analyser, normalise
from vta.types.concepts import Concept
from vta.types.courses import CourseId, PairId
from vta.types.pairs import Candidate, QAPair, Source

MOST = 300
"""Questions of one set; more are drawn from."""
_TOP = 8
_GRAM = 5
_SHARE = 0.5
_ALIKE = 0.12
_NEARLY = 0.9

Right = Callable[[Piece], float]
"""How much of the answer a piece holds; those with the most are right, none where it is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question, its candidates, and those of their pieces that answer it, by number and place from 0."""

    question: str
    concepts: tuple[Concept, ...]
    candidates: tuple[Candidate, ...]
    right: frozenset[tuple[int, int]]


def sentence_sets(data: Path) -> Iterator[tuple[str, list[Asking]]]:
    """All sets by name, family/part; those of a family are held out together."""
    courses = {course.name: course for course in judged_courses(data)}
    rows = read_rows(data / "reading" / "cmrc2018_dev.jsonl", ("question", "answers"))
    asked = [(str(r["question"]), _holds(_texts(r["answers"]))) for r in _draw(rows)]
    yield "cmrc", list(_ask(courses["cmrc2018_dev/all"], asked))
    rows = read_rows(
        data / "fresh" / "syllabusqa" / "questions.jsonl", ("syllabus", "question", "evidence_spans")
    )
    yield (
        "syllabi",
        [
            each
            for name, course in courses.items()
            if name.startswith("syllabi/")
            for each in _ask(
                course,
                [
                    (str(r["question"]), _overlaps(_texts(r["evidence_spans"])))
                    for r in rows
                    if name.endswith(f"/{r['syllabus']}") and r["evidence_spans"]
                ],
            )
        ],
    )
    for language in ("zh", "en"):
        file = data / "fresh" / "rgb" / f"answer_or_refuse_{language}.jsonl"
        yield f"news/{language}", list(_news(read_rows(file, ("query", "docs", "answerable", "answer"))))
    for language in ("zh", "en"):
        rows = read_rows(data / "hello_algo" / f"qa_{language}.jsonl", ("question", "answer"))
        asked = [(str(r["question"]), _says(str(r["question"]), str(r["answer"]))) for r in rows]
        yield f"book/{language}", list(_ask(courses[f"book/{language}-on-{language}"], asked))
        yield f"faq/{language}", list(_ask(courses[f"students/sample/{language}"], None))


def _ask(course: JudgedCourse, asked: list[tuple[str, Right]] | None) -> Iterator[Asking]:
    """The questions with the passages that the platform finds; None: the course's own FAQ, of its notes."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        vta = build_platform(Settings(home=Path(home)))
        try:
            course.fill(vta)
            known = vta.knowledge.current()
            if asked is None:
                pairs = vta.stores.documents.pairs(course.course.id)
                faq = [pair for pair in pairs if pair.source is Source.FAQ]
                asked = [(pair.question, _says(pair.question, pair.answer)) for pair in faq]
            for question, right in asked:
                mentions = known.linker.link(question, course=course.course)
                ranking = known.ranker.rank(
                    question, course=course.course, mentions=mentions, chit_chat=1.0, top=_TOP
                )
                candidates = [c for c in ranking.candidates if c.pair.source is Source.MATERIAL]
                yield _judge(question, tuple(m.concept for m in mentions), candidates, right)
        finally:
            vta.close()


def _news(rows: Iterable[dict[str, object]]) -> Iterator[Asking]:
    for row in rows:
        if row["answerable"]:
            pairs = [_passage(f"{n}", text) for n, text in enumerate(_texts(row["docs"]))]
            candidates = [Candidate(pair=pair, bm25=1.0, weight=1.0, score=1.0) for pair in pairs]
            yield _judge(str(row["query"]), (), candidates, _holds(_texts(row["answer"])))


def _judge(
    question: str, concepts: tuple[Concept, ...], candidates: Iterable[Candidate], right: Right
) -> Asking:
    candidates = tuple(candidates)
    held = {
        (n, place): right(piece)
        for n, candidate in enumerate(candidates)
        for place, piece in enumerate(read_pieces(candidate.pair.answer))
    }
    most = max(held.values(), default=0.0)
    found = frozenset(place for place, share in held.items() if share and share >= _NEARLY * most)
    return Asking(question=question, concepts=concepts, candidates=candidates, right=found)


def _holds(answers: list[str]) -> Right:
    """A piece is right that holds an accepted answer, to the letter."""
    wanted = [normalise(answer) for answer in answers]
    return lambda piece: float(any(answer in normalise(piece.text) for answer in wanted))


def _overlaps(spans: list[str]) -> Right:
    """A piece is right that shares half of its runs of five words, or of a span's, with the span."""
    wanted = [runs for span in spans if (runs := _runs(span))]

    def right(piece: Piece) -> float:
        own = _runs(piece.text)
        return float(any(len(own & runs) >= _SHARE * min(len(own), len(runs)) for runs in wanted if own))

    return right


def _says(question: str, answer: str) -> Right:
    """Silver: a piece is the more right the more words of the reference it has that the question lacks."""
    analyser = Analyser()
    wanted = set(analyser.content_words(answer)) - set(analyser.words(question))

    def right(piece: Piece) -> float:
        own = set(analyser.content_words(piece.text))
        share = len(wanted & own) / len(wanted) if wanted else 0.0
        return share + 0.5 * len(wanted & own) / (len(own) + 5) if share >= _ALIKE else 0.0

    return right


def _runs(text: str) -> set[tuple[str, ...]]:
    words = "".join(c if c.isalnum() else " " for c in normalise(text)).split()
    return {tuple(words[n : n + _GRAM]) for n in range(max(len(words) - _GRAM + 1, 1))} if words else set()


def _passage(id: str, text: str) -> QAPair:
    return QAPair(
        id=PairId(id), course_id=CourseId("c"), source=Source.MATERIAL, question="", answer=text, document=id
    )


def _texts(value: object) -> list[str]:
    """The strings of a nested list."""
    return [value] if isinstance(value, str) else [t for each in value for t in _texts(each)]  # type: ignore[attr-defined]


def _draw(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    return random.Random(0).sample(rows, min(MOST, len(rows)))
