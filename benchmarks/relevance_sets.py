"""Judged questions on real courses, for `benchmarks/relevance.py`: which pairs of a course answer them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lab.evaluation.faq_folds import FOLDS, NEAR_DUPLICATE, RIGHT, fold_of, read_asked
from lab.evaluation.retrieval_sets import find_sets, read_judged_questions
from lab.evaluation.rows import read_rows
from lab.measures.rouge import rouge
from services.demo.sample_courses import create_demo_courses
from services.faq.near_duplicates import content_terms
from services.wiring import Platform
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.text import Analyser, jaccard, normalise
from vta.types.courses import Course, CourseId, PairId
from vta.types.documents import CourseDocument
from vta.types.pairs import QAPair, Source

MOST = 400
"""Questions of one set; more are drawn from."""
_GRAM = 5
_SHARE = 0.5


Judged = list[tuple[str, set[PairId]]]
"""Questions, each with the pairs that answer it; none where the course has no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCourse:
    """A course that `fill` makes, and its judged questions. `place` is what is counted as found.

    The name is family/set/part; a family is held out whole. `foreign`: asked in another language.
    """

    name: str
    course: Course
    fill: Callable[[Platform], None]
    judge: Callable[[Platform], Judged]
    by_document: bool = False
    foreign: bool = False

    def place(self, pair: QAPair) -> str:
        return (pair.document or pair.id) if self.by_document else pair.id


def judged_courses(data: Path) -> Iterator[JudgedCourse]:
    """All open sets of ../shared/data with judged questions."""
    yield from _forum(data / "fresh" / "zoomcamp")
    yield _lectures(data / "fresh" / "muli_d2l_zh")
    yield from _syllabi(data / "fresh" / "syllabusqa")
    for asked in Language:
        for book in Language:
            yield _book(data / "hello_algo", asked, book)
    for name in ("stard_reduced", "boolq_dev", "cmrc2018_dev"):
        yield _collection(data / "ir" / name)
    for fold in range(FOLDS):
        yield _faq(data / "vta" / "qa_dev.jsonl", fold)
    rows = read_rows(data / "students" / "open.jsonl", dict)
    yield _students(rows, "data-structures-zh", Language.ZH)
    yield _students(rows, "machine-learning-en", Language.EN)


def _course(language: Language) -> Course:
    return Course(id=CourseId("c"), name="", domains=("c",), language=language)


def _put(course: Course, pairs: list[QAPair]) -> Callable[[Platform], None]:
    def fill(vta: Platform) -> None:
        vta.stores.courses.add(course)
        document = CourseDocument(path="d", sha256="-", pairs=tuple(pairs))
        vta.stores.documents.apply(course.id, put=[document])

    return fill


def _ingest(course: Course, path: Path) -> Callable[[Platform], None]:
    def fill(vta: Platform) -> None:
        vta.stores.courses.add(course)
        ingest([path], course=course, readers=vta.readers, documents=vta.stores.documents)

    return fill


def _passage(id: str, text: str, title: str = "") -> QAPair:
    return QAPair(
        id=PairId(id),
        course_id=CourseId("c"),
        source=Source.MATERIAL,
        question=title,
        answer=text,
        document=id,
    )


def _forum(folder: Path) -> Iterator[JudgedCourse]:
    """The answers alone are there; each question is asked."""
    rows = read_rows(folder / "faq.jsonl", dict)
    for name in sorted({str(row["course"]) for row in rows}):
        own = [row for row in rows if row["course"] == name]
        course = _course(Language.EN)
        asked: Judged = [(str(row["question"]), {PairId(str(row["id"]))}) for row in own]
        yield JudgedCourse(
            name=f"forum/{name}",
            course=course,
            fill=_put(course, [_passage(str(row["id"]), str(row["answer"])) for row in own]),
            judge=lambda vta, asked=asked: asked,
        )


def _lectures(folder: Path) -> JudgedCourse:
    """A question belongs to the note of its lecture."""
    course = _course(Language.ZH)
    rows = read_rows(folder / "questions.jsonl", dict)

    def judge(vta: Platform) -> Judged:
        pairs = list(vta.stores.documents.pairs(course.id))
        found = [
            (str(row["question"]), {p.id for p in pairs if Path(p.document or "").stem == row["note"]})
            for row in rows
        ]
        return [(text, right) for text, right in found if right]

    fill = _ingest(course, folder / "material")
    return JudgedCourse(name="lectures/muli", course=course, fill=fill, judge=judge, by_document=True)


def _syllabi(folder: Path) -> Iterator[JudgedCourse]:
    """A passage answers that holds half of the runs of five words of an evidence span."""
    rows = read_rows(folder / "questions.jsonl", dict)
    for file in sorted((folder / "syllabi").iterdir()):
        course = _course(Language.EN)
        own = [row for row in rows if row["syllabus"] == file.stem]
        yield JudgedCourse(
            name=f"syllabi/syllabusqa/{file.stem}",
            course=course,
            fill=_ingest(course, file),
            judge=partial(_by_evidence, course, own),
        )


def _by_evidence(course: Course, rows: list[Mapping[str, Any]], vta: Platform) -> Judged:
    pairs = vta.stores.documents.pairs(course.id)
    runs = {pair.id: _runs(f"{pair.question} {pair.answer}") for pair in pairs}
    judged: Judged = []
    for row in rows:
        spans = row["evidence_spans"]
        assert isinstance(spans, list)
        right: set[PairId] = set()
        for span in filter(None, map(_runs, map(str, spans))):
            right |= {id for id, own in runs.items() if len(span & own) >= _SHARE * len(span)}
        if right or not row["answerable"]:
            judged.append((str(row["question"]), right))
    return judged


def _runs(text: str) -> set[tuple[str, ...]]:
    words = "".join(c if c.isalnum() else " " for c in normalise(text)).split()
    return {tuple(words[n : n + _GRAM]) for n in range(max(len(words) - _GRAM + 1, 1))} if words else set()


def _book(folder: Path, asked: Language, book: Language) -> JudgedCourse:
    """Readers' questions in one language on the book in one; the pages were judged."""
    course = _course(book)

    def judge(vta: Platform) -> Judged:
        pairs = list(vta.stores.documents.pairs(course.id))
        labels = read_rows(folder / f"qa_labels_{asked}.jsonl", dict)
        answerable = {str(row["id"]): row["answerable"] != "no" for row in labels}
        return [
            (
                question.text,
                {p.id for p in pairs if p.document in question.grades and answerable[question.id]},
            )
            for question in read_judged_questions(folder, asked)
            if question.grades or not answerable[question.id]
        ]

    return JudgedCourse(
        name=f"book/{asked}-on-{book}",
        course=course,
        fill=_ingest(course, folder / str(book)),
        judge=judge,
        by_document=True,
        foreign=asked is not book,
    )


def _students(rows: list[Mapping[str, Any]], name: str, language: Language) -> JudgedCourse:
    """First questions on a sample course; a pair answers whose places hold one of the source's names."""

    def judge(vta: Platform) -> Judged:
        places = {
            pair.id: normalise(f"{pair.question} {pair.document} {' '.join(pair.locator.heading_path)}")
            for pair in vta.stores.documents.pairs(CourseId(name))
        }
        return [
            (
                str(row["question"]),
                {id for id, place in places.items() if any(normalise(n) in place for n in _names(row))},
            )
            for row in rows
            if row["course"] == name
            and row["turn"] == 0
            and (row["answerable"] is False or (row["answerable"] is True and row["sources"]))
        ]

    return JudgedCourse(
        name=f"students/sample/{language}",
        course=Course(id=CourseId(name), name="", domains=("c",), language=language),
        fill=lambda vta: list(create_demo_courses(vta)) and None,
        judge=judge,
    )


def _names(row: Mapping[str, Any]) -> list[str]:
    """What the sources of an answer are called; none where there is no answer."""
    names = row["sources"]
    return list(map(str, names)) if row["answerable"] and isinstance(names, list) else []


def _collection(folder: Path) -> JudgedCourse:
    """Documents as passages, with at most `MOST` queries."""
    (found,) = find_sets(folder)
    course = _course(found.language)
    corpus = read_rows(folder / "corpus.jsonl", dict)
    pairs = [_passage(str(r["_id"]), str(r["text"]), str(r.get("title") or "")) for r in corpus]
    queries = random.Random(0).sample(found.queries, min(MOST, len(found.queries)))
    judged: Judged = [
        (each.text, {PairId(id) for id, grade in each.grades.items() if grade > 0}) for each in queries
    ]
    return JudgedCourse(
        name=f"{folder.name}/all", course=course, fill=_put(course, pairs), judge=lambda vta: judged
    )


def _faq(file: Path, fold: int) -> JudgedCourse:
    """The answered questions of four fifths of the sessions as a FAQ, asked those of the last fifth."""
    course = _course(Language.ZH)
    asked = read_asked(file)
    kept = [each for each in asked if fold_of(each) != fold and each.answer is not None]
    pairs = [
        QAPair(
            id=PairId(each.id),
            course_id=course.id,
            source=Source.FAQ,
            question=each.text,
            answer=each.answer or "",
        )
        for each in kept
    ]

    def judge(vta: Platform) -> Judged:
        analyser = Analyser()
        terms = {each.id: content_terms(analyser, each.text) for each in asked}
        said = {each.id: analyser.segments(each.answer or "") for each in asked}
        return [
            (
                each.text,
                {
                    PairId(other.id)
                    for other in kept
                    if each.answer is not None
                    and (
                        jaccard(terms[each.id], terms[other.id]) >= NEAR_DUPLICATE
                        or _alike(said[each.id], said[other.id])
                    )
                },
            )
            for each in asked
            if fold_of(each) == fold
        ]

    return JudgedCourse(name=f"faq/qa_dev/{fold}", course=course, fill=_put(course, pairs), judge=judge)


def _alike(one: list[str], other: list[str]) -> bool:
    """Whether two answers count as the same; one three times as long as the other never does."""
    shortest, longest = sorted((len(one), len(other)))
    if 3 * shortest < longest or 4 * (Counter(one) & Counter(other)).total() < shortest + longest:
        return False
    return rouge(one, other).rouge_l >= RIGHT
