"""Questions with the documents that answer them, on which encoders are compared."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from knowledge.chunking import split
from knowledge.sources.markdown import read_markdown
from knowledge.vectors.rows import embedded_text
from vta.languages import Language
from vta.ports import Embedder
from vta.types.courses import Course, CourseId

_MOST = 800
"""Questions of the largest sets; the passages of the others stay as distractors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSet:
    """Each question with the documents that are right; a document is as near as its nearest passage."""

    name: str
    questions: Sequence[str]
    right: Sequence[frozenset[str]]
    passages: Sequence[str]
    documents: Sequence[str]

    def hits(self, embedder: Embedder) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Rank of the first right document for each question, from 1."""
        similar = embedder.embed(self.questions) @ embedder.embed(self.passages).T
        names = sorted(set(self.documents))
        best = np.full((len(self.questions), len(names)), -np.inf)
        places = [names.index(each) for each in self.documents]
        np.maximum.at(best.T, places, similar.T)
        order = np.argsort(-best, axis=1, kind="stable")
        return np.array(
            [
                next(n for n, place in enumerate(row, 1) if names[place] in right)
                for row, right in zip(order, self.right, strict=True)
            ]
        )


def read_sets(data: Path) -> Iterator[QuestionSet]:
    """Every set that is in the data folder."""
    yield _zoomcamp(data / "fresh" / "zoomcamp" / "faq.jsonl")
    yield _muli(data / "fresh" / "muli_d2l_zh")
    for asked in Language:
        for book in Language:
            yield _hello_algo(data / "hello_algo", asked, book)
    for name in ("stard_reduced", "cmrc2018_dev", "boolq_dev"):
        yield _judged(data / "ir" / name)


def _rows(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _zoomcamp(file: Path) -> QuestionSet:
    rows = [row for row in _rows(file) if row["course"] == "machine-learning-zoomcamp"]
    return QuestionSet(
        name="zoomcamp ML, question to its answer",
        questions=[row["question"] for row in rows],
        right=[frozenset([row["id"]]) for row in rows],
        passages=[row["answer"] for row in rows],
        documents=[row["id"] for row in rows],
    )


def _pages(folder: Path, language: Language) -> tuple[list[str], list[str]]:
    """Passages as the program cuts them, and the page of each."""
    course = Course(id=CourseId("c"), name="C", domains=(), language=language)
    passages, documents = [], []
    for file in sorted(folder.rglob("*.md")):
        page = file.relative_to(folder).with_suffix("").as_posix()
        for pair in split(read_markdown(file.read_text("utf-8"), path=page), course=course):
            if text := embedded_text(pair):
                passages.append(text)
                documents.append(page)
    return passages, documents


def _muli(folder: Path) -> QuestionSet:
    passages, documents = _pages(folder / "material", Language.ZH)
    rows = [row for row in _rows(folder / "questions.jsonl") if row["note"] in set(documents)]
    return QuestionSet(
        name="muli d2l, question to its lecture",
        questions=[row["question"] for row in rows],
        right=[frozenset([row["note"]]) for row in rows],
        passages=passages,
        documents=documents,
    )


def _hello_algo(folder: Path, asked: Language, book: Language) -> QuestionSet:
    passages, documents = _pages(folder / book, book)
    labels: dict[str, Mapping[str, int]] = {
        str(row["id"]).replace(f"-{asked}-", "-"): row["pages"]  # type: ignore[misc]
        for row in _rows(folder / f"qa_labels_{asked}.jsonl")
    }
    rows = [
        (row["question"], labels.get(row["id"].replace(f"-{asked}-", "-"), {}))
        for row in _rows(folder / f"qa_{asked}.jsonl")
    ]
    judged = [(question, frozenset(pages) & set(documents)) for question, pages in rows]
    return QuestionSet(
        name=f"hello-algo, {asked} question to {book} page",
        questions=[question for question, pages in judged if pages],
        right=[pages for _, pages in judged if pages],
        passages=passages,
        documents=documents,
    )


def _judged(folder: Path) -> QuestionSet:
    right: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, _ = line.split("\t")
        right.setdefault(query, set()).add(document)
    queries = [row for row in _rows(folder / "queries.jsonl") if row["_id"] in right]
    queries = queries[:: max(1, len(queries) // _MOST)][:_MOST]
    corpus = _rows(folder / "corpus.jsonl")
    return QuestionSet(
        name=folder.name,
        questions=[row["text"] for row in queries],
        right=[frozenset(right[row["_id"]]) for row in queries],
        passages=[f"{row['title']}\n{row['text']}".strip() for row in corpus],
        documents=[row["_id"] for row in corpus],
    )
