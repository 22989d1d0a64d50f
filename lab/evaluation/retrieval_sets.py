"""Sets with relevance judgements, as courses: BEIR folders and a textbook with its readers' questions."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from lab.evaluation.rows import Cell, data_hash, read_rows
from lab.measures.metrics import JudgedQuestion
from lab.measures.retrieval import RetrievalFigures, measure_retrieval
from services.cli.output import read_text
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.text import detect_language
from vta.types.courses import Course, CourseId, PairId
from vta.types.documents import CourseDocument
from vta.types.pairs import QAPair, Source

_Id = Annotated[str, BeforeValidator(str)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    id: Annotated[_Id, Field(validation_alias="_id")]
    text: Cell
    title: Cell | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    id: _Id
    question: Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pages:
    id: _Id
    pages: dict[str, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSet:
    """A set that can be asked: `fill` puts its documents into a course."""

    name: str
    language: Language
    queries: tuple[JudgedQuestion, ...]
    data_sha256: str
    fill: Callable[[Platform, Course], None]


def find_sets(path: Path) -> Iterator[RetrievalSet]:
    """The sets of a path: a BEIR folder, a textbook folder (qa_LANGUAGE.jsonl), or a folder of such."""
    if (path / "corpus.jsonl").is_file():
        yield read_beir(path)
        return
    languages = [each for each in Language if (path / f"qa_labels_{each}.jsonl").is_file()]
    if languages:
        yield from (read_textbook(path, language) for language in languages)
        return
    inside = [folder for folder in sorted(path.iterdir()) if folder.is_dir()] if path.is_dir() else []
    found = [each for folder in inside if _is_set(folder) for each in find_sets(folder)]
    if not found:
        raise InvalidInput(
            Fault("data.no_judgements", path=str(path)),
            path=str(path),
        )
    yield from found


def _is_set(folder: Path) -> bool:
    signs = ["corpus.jsonl", *(f"qa_labels_{language}.jsonl" for language in Language)]
    return any((folder / sign).is_file() for sign in signs)


def measure_set(given: RetrievalSet, *, seed: int = 0) -> RetrievalFigures:
    """The figures of a set on a platform of its own with the shipped defaults."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        vta = build_platform(Settings(home=Path(home)))
        try:
            course = Course(
                id=CourseId("set"), name=given.name, domains=(given.name,), language=given.language
            )
            vta.stores.courses.add(course)
            given.fill(vta, course)
            return measure_retrieval(vta.knowledge.current(), course, given.queries, seed=seed)
        finally:
            vta.close()


def read_beir(folder: Path) -> RetrievalSet:
    """corpus.jsonl {_id, title, text}, queries.jsonl {_id, text}, qrels.tsv; a document is one pair."""
    files = [folder / name for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv")]
    corpus, rows = read_rows(files[0], _Text), read_rows(files[1], _Text)
    grades = _read_judgements(files[2])
    queries = tuple(
        JudgedQuestion(id=row.id, text=row.text, grades=grades[row.id])
        for row in rows
        if any(grade > 0 for grade in grades.get(row.id, {}).values())
    )
    if not queries:
        raise InvalidInput(
            Fault("data.judges_nothing", file=str(files[2]), queries=files[1].name), path=str(files[2])
        )

    def fill(vta: Platform, course: Course) -> None:
        pairs = tuple(
            QAPair(
                id=PairId(hashlib.sha256(row.id.encode()).hexdigest()[:20]),
                course_id=course.id,
                source=Source.MATERIAL,
                question=row.title or "",
                answer=row.text,
                document=row.id,
            )
            for row in corpus
        )
        document = CourseDocument(path="corpus.jsonl", sha256=data_hash(files[:1]), pairs=pairs)
        vta.stores.documents.apply(course.id, put=[document])

    return RetrievalSet(
        name=folder.name,
        language=detect_language(queries[0].text, Language.EN),
        queries=queries,
        data_sha256=data_hash(files),
        fill=fill,
    )


def read_judged_questions(folder: Path, language: Language) -> tuple[JudgedQuestion, ...]:
    """The readers' questions of a textbook with their graded pages, which may be none."""
    pages = {row.id: row.pages for row in read_rows(folder / f"qa_labels_{language}.jsonl", _Pages)}
    return tuple(
        JudgedQuestion(id=row.id, text=row.question, grades={f"{page}.md": n for page, n in found.items()})
        for row in read_rows(folder / f"qa_{language}.jsonl", _Asked)
        if (found := pages.get(row.id)) is not None
    )


def read_textbook(folder: Path, language: Language) -> RetrievalSet:
    """A book in LANGUAGE/, qa_LANGUAGE.jsonl {id, question}, qa_labels_LANGUAGE.jsonl {id, pages}."""
    asked, labels = folder / f"qa_{language}.jsonl", folder / f"qa_labels_{language}.jsonl"
    queries = tuple(question for question in read_judged_questions(folder, language) if question.grades)
    book = [file for file in (folder / str(language)).rglob("*") if file.is_file()]
    if not queries or not book:
        raise InvalidInput(Fault("data.no_book", folder=str(folder), language=language), path=str(folder))

    def fill(vta: Platform, course: Course) -> None:
        ingest([folder / str(language)], course=course, readers=vta.readers, documents=vta.stores.documents)

    return RetrievalSet(
        name=f"{folder.name}_{language}",
        language=language,
        queries=queries,
        data_sha256=data_hash([*book, asked, labels]),
        fill=fill,
    )


def _read_judgements(file: Path) -> Mapping[str, Mapping[str, int]]:
    """Query, document and grade, tab-separated under a header."""
    grades: dict[str, dict[str, int]] = {}
    for number, line in enumerate(read_text(file).splitlines()[1:], start=2):
        try:
            query, document, grade = line.split("\t")
            grades.setdefault(query, {})[document] = int(grade)
        except ValueError as error:
            raise InvalidInput(
                Fault("data.qrels_row", file=str(file), line=number), path=str(file), line=number
            ) from error
    return grades
