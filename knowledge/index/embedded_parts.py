"""An open generation of the embedded index: a tantivy index for each course, opened when it is first asked.

So the statistics of BM25 are those of a course, and no other course's import moves them.
"""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import tantivy
from tantivy import Query

from knowledge.index.embedded_documents import META, SCHEMA, first_tokens, open_index, part_name
from knowledge.index.tokens import FIELDS, query_terms
from vta.types import CollectionStatistics, CourseId, SearchQuery, SourceWeight

_MOST_OPEN = 400
"""Parts that stay open; each maps some seven files a segment, and a process may have 65,530 such maps."""


@dataclass(frozen=True, slots=True)
class Part:
    """The pairs of one course, open for reading at one commit, or at the next if it came just then.

    `documents` and `average_lengths` are what BM25 counts with: how many pairs, and their tokens by field, 0
    where there is no pair. Deleted ones count until they are merged away, as in the frequencies of terms.
    """

    version: tuple[int, ...]
    index: tantivy.Index
    searcher: tantivy.Searcher
    documents: int
    average_lengths: Mapping[str, float]

    def statistics(self, query: SearchQuery) -> CollectionStatistics:
        """Those for the terms of a query."""
        terms = query_terms(query)
        return CollectionStatistics(
            documents=self.documents,
            average_lengths=self.average_lengths,
            frequencies={(field, token): self.searcher.doc_freq(field, token) for field, token in terms},
        )


class Generation:
    """One build of the index, open for reading. Safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parts: OrderedDict[str, Part] = OrderedDict()
        self._stamp: str | None = None
        self._current: set[str] = set()
        self._lock = Lock()

    def follow(self, stamp: str) -> None:
        """Parts that were open at another stamp are brought to their newest commit before they are asked."""
        with self._lock:
            if stamp != self._stamp:
                self._stamp = stamp
                self._current.clear()

    def part(self, course_id: CourseId) -> Part | None:
        """That of a course; None where it has no pairs."""
        name = part_name(course_id)
        if name in self._parts or (self.folder / name).exists():
            return self._part(name)
        if not self.folder.exists():  # dropped by another process
            raise FileNotFoundError(self.folder)
        return None

    def parts(self) -> Iterator[Part]:
        """Those of all courses."""
        return (self._part(meta.parent.name) for meta in sorted(self.folder.glob(f"*/{META}")))

    def chosen(self, weights: Sequence[SourceWeight]) -> Iterator[tuple[Part, list[SourceWeight]]]:
        """The parts in which weights above 0 select pairs, each with these weights."""
        by_course: dict[CourseId, list[SourceWeight]] = {}
        for weight in weights:
            if weight.weight > 0:
                by_course.setdefault(weight.course_id, []).append(weight)
        for course_id, of_course in by_course.items():
            if (part := self.part(course_id)) is not None:
                yield part, of_course

    def _part(self, name: str) -> Part:
        with self._lock:
            if name not in self._current:
                self._parts[name] = _open(self.folder / name, self._parts.get(name))
                self._current.add(name)
            self._parts.move_to_end(name)
            while len(self._parts) > _MOST_OPEN:
                self._current.discard(self._parts.popitem(last=False)[0])
            return self._parts[name]


def _open(folder: Path, before: Part | None) -> Part:
    """One that was updated since is the same index at its newest commit."""
    found = os.stat(folder / META)  # tantivy would begin a new index where there is none
    version = found.st_ino, found.st_mtime_ns, found.st_size
    if before is not None and before.version == version:
        return before
    index = before.index if before is not None else open_index(folder)
    index.reload()
    searcher = index.searcher()
    return Part(version, index, searcher, *_totals(searcher))


def _totals(searcher: tantivy.Searcher) -> tuple[int, Mapping[str, float]]:
    """Number and average lengths of the pairs. tantivy reports them only when it explains a score, so one is
    explained in each field of some pair."""
    for _, address in searcher.search(Query.all_query(), limit=1, count=False).hits:
        told = {}
        for field, token in first_tokens(searcher, address).items():
            query = Query.term_query(SCHEMA, field, token, index_option="freq")
            told[field] = _descriptions(json.loads(query.explain(searcher, address).to_json()))
        documents = max(int(each["N, total number of docs"]) for each in told.values())
        return documents, {field: each["avgdl, average length of field"] for field, each in told.items()}
    return 0, dict.fromkeys(FIELDS, 0.0)


def _descriptions(explanation: dict[str, object]) -> dict[str, float]:
    """Every value of an explanation by its description."""
    found: dict[str, float] = {}
    parts = [explanation]
    while parts:
        part = parts.pop()
        found[str(part["description"])] = float(str(part["value"]))
        details = part.get("details", [])
        if isinstance(details, list):
            parts.extend(details)
    return found
