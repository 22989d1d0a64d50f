"""The documents of the courses in the relational store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select

from concept_graph.headings import ConceptSet
from services.documents.readable import ReadablePassages
from services.documents.removed import forget_removed, keep_removed, removed_states
from services.documents.rows import SECTIONS, all_pairs, digest_of, hold_back, read_stored, rows_of
from services.documents.weeks import read_weeks
from services.store import tables
from services.store.audit_log import Event, names_of, note
from services.store.course_rows import (
    course_revision,
    keep_changes,
    read_revision,
    read_revisions,
    require_course,
)
from services.store.outbox import Changes, read_changes
from services.store.rows import from_row
from services.store.transactions import SqlStore, reading, reading_once, written_patiently
from vta.errors import Conflict
from vta.faults import Fault
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import Course, CourseId, PairId
from vta.types.documents import Contents, CourseDocument, DocumentState, PairChanges, WaitingDocument
from vta.types.pairs import QAPair, Source

DOCUMENTS_AT_ONCE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSummary:
    """A file of a course: the pairs and concepts that were made of it.

    `off` are further pairs, which answer nobody: a teacher switched them off, or the document `waits` until
    `release_at`, its own date or that of its week. `problems` are parts that could not be read. `stored_at`
    is the moment it was read last, and None for one that was stored before that was kept.
    """

    path: str
    folder: str
    pairs: int
    concepts: int
    stored_at: datetime | None
    off: int = 0
    problems: int = 0
    release_at: datetime | None = None
    waits: bool = False

    @property
    def kind(self) -> str:
        """The ending of its name in capitals, empty where it has none."""
        return PurePosixPath(self.path).suffix.lstrip(".").upper()


class SqlDocuments(SqlStore):
    """The documents of all courses, from which index and graph are made; `vta.ports.DocumentStore`."""

    def states(self, course_id: CourseId) -> Mapping[str, DocumentState]:
        table = tables.documents.c
        columns = select(table.path, table.sha256, table.folder)
        query = columns.filter_by(course_id=course_id).order_by("path")
        with reading(self._engine) as connection:
            require_course(connection, course_id)
            return {row.path: from_row(DocumentState, row) for row in connection.execute(query)}

    def passages(self, course_id: CourseId, path: str) -> tuple[QAPair, ...]:
        with reading(self._engine) as connection:
            return _read_pairs(connection, course_id, path)

    def summaries(self, course_id: CourseId) -> tuple[DocumentSummary, ...]:
        """The files of a course by path, with how much was made of each; what has no file is left out."""
        table = tables.documents.c
        query = select(
            table.path,
            table.folder,
            func.json_array_length(table.pairs).label("pairs"),
            func.json_array_length(table.concepts).label("concepts"),
            func.json_array_length(table.held).label("off"),
            func.json_array_length(table.problems).label("problems"),
            table.stored_at,
            table.release_at,
            table.waits,
        ).where(table.course_id == course_id, ~table.path.startswith("/"))
        with reading(self._engine) as connection:
            weeks = read_weeks(connection, course_id)
            rows = connection.execute(query.order_by(table.path)).all()
        dates = ((row, weeks.opens_at(row.path, row.release_at)) for row in rows)
        return tuple(from_row(DocumentSummary, row, release_at=opens_at) for row, opens_at in dates)

    @written_patiently
    def apply(
        self,
        connection: Connection,
        course_id: CourseId,
        *,
        put: Iterable[CourseDocument],
        remove: Sequence[str] = (),
    ) -> int:
        """As the port says; paths to remove that are unknown are ignored, and what is put is put last.

        Where nothing is put and nothing was there to remove, the revision stays. `InvalidInput` for a path
        put twice and for pairs of another course.
        """
        paths: list[str] = []
        revision = apply_documents(connection, course_id, put=_noting_paths(put, paths), remove=remove)
        for event, named in ((Event.MATERIAL_PUT, paths), (Event.MATERIAL_REMOVED, remove)):
            if files := [path for path in named if not path.startswith("/")]:
                note(connection, event, course_id=course_id, detail=names_of(files))
        return revision

    def document(self, course_id: CourseId, path: str) -> CourseDocument | None:
        """A document as it is stored; None where there is none of that path."""
        with reading(self._engine) as connection:
            return next(read_documents(connection, course_id, path), None)

    def pairs(self, course_id: CourseId | None = None) -> Iterator[QAPair]:
        """The pairs of a course, or of all, by course, path and order; an unknown course has none.

        They are of one state of the store, a few documents in memory at a time.
        """
        table = tables.documents.c
        query = select(table.course_id, table.path, table.pairs).order_by(table.course_id, table.path)
        if course_id is not None:
            query = query.where(table.course_id == course_id)
        with reading(self._engine) as connection:
            streamed = connection.execution_options(yield_per=DOCUMENTS_AT_ONCE)
            for row in streamed.execute(query):
                yield from read_stored(QAPair, row.pairs, row.course_id, row.path)

    def contents(self, course_id: CourseId) -> Mapping[str, Contents]:
        """The contents in each file of a course that has some and does not wait for its release, by path."""
        table = tables.documents.c
        query = select(table.path, table.contents).filter_by(course_id=course_id, waits=False)
        rows = self._rows(query.where(func.json_array_length(table.contents) > 0))
        return {row.path: read_stored(tuple[str, str], row.contents, course_id, row.path) for row in rows}

    def waiting(self, course_id: CourseId) -> Sequence[WaitingDocument]:
        table = tables.documents.c
        query = select(table.path, table.held, table.switched_off, table.release_at)
        with reading(self._engine) as connection:
            rows = connection.execute(query.filter_by(course_id=course_id, waits=True)).all()
            if not rows:
                return ()
            weeks = read_weeks(connection, course_id)
        found = list[WaitingDocument]()
        for row in rows:
            shown = [pair for _, pair in row.held if digest_of(pair) not in row.switched_off]
            opens_at, week = weeks.opens_at(row.path, row.release_at), weeks.week_of(row.path)
            if shown and opens_at:
                place = shown[0]["locator"]
                headings = () if "page" in place else place.get("heading_path", ())
                found.append(
                    WaitingDocument(
                        path=row.path,
                        title=next(iter(headings), ""),
                        opens_at=opens_at,
                        week=week.name if week else "",
                        headings=tuple(dict.fromkeys(pair["question"] for pair in shown)),
                    )
                )
        return sorted(found, key=attrgetter("opens_at"))

    def concepts(self, course_id: CourseId | None = None) -> Iterator[ConceptSet]:
        """The concepts of each document in the order of `pairs`, as readable passages or people name them."""
        for _, _, graphs in self.graphs(course_id):
            yield from graphs

    def graphs(
        self, course_id: CourseId | None = None
    ) -> Iterator[tuple[CourseId, ReadablePassages, list[ConceptSet]]]:
        """The `concepts` of a course, or of each that has a file, with the passages that they rest on."""
        with reading(self._engine) as connection:
            for course, rows in groupby(_graph_rows(connection, course_id), key=attrgetter("course_id")):
                of_course = list(rows)
                passages = _readable(connection, course, of_course)
                yield course, passages, list(_shown(passages, of_course))

    def revision(self) -> int:
        """Rises by one with every change to courses or documents; an index made at another one is stale."""
        with reading(self._engine) as connection:
            return read_revision(connection)

    def course_revision(self, course_id: CourseId) -> int | None:
        """Rises with every change to the course or its documents; None where there is no such course."""
        with reading(self._engine) as connection:
            return course_revision(connection, course_id)

    def revisions(self, course: Course | None = None) -> tuple[int, Mapping[CourseId, int]]:
        """The revision of the store and that of each course, from one state of the store.

        With a `course`, of this one and of those that lend it their concepts (`Course.shares_with`).
        """
        with reading_once(self._engine) as connection:
            return read_revisions(connection, course)

    def changes(self, since: int) -> PairChanges | None:
        """The changes of pairs since a revision, from one state of the store.

        None for unknown or too many changes, after which a reader reads everything again.
        """
        with reading(self._engine) as connection:
            read = partial(_read_pairs, connection)
            revision, revisions = read_revisions(connection)
            changes = read_changes(connection, read, since=since, revision=revision)
            return changes and replace(changes, revisions=revisions)


def _noting_paths(documents: Iterable[CourseDocument], paths: list[str]) -> Iterator[CourseDocument]:
    for each in documents:
        paths.append(each.path)
        yield each


def _read_pairs(connection: Connection, course_id: CourseId, path: str) -> tuple[QAPair, ...]:
    """The pairs of one document; none where it is not stored."""
    query = select(tables.documents.c.pairs).filter_by(course_id=course_id, path=path)
    stored = connection.execute(query).scalar_one_or_none()
    return () if stored is None else read_stored(QAPair, stored, course_id, path)


def _graph_rows(connection: Connection, course_id: CourseId | None) -> Iterator[Any]:
    """The files and graphs of a course, or of all, by course and path."""
    table = tables.documents.c
    query = select(
        table.course_id, table.path, table.pairs, table.held, table.waits, table.concepts, table.edges
    )
    query = query.where(~table.path.startswith("/") | table.path.startswith("/graph/"))
    if course_id is not None:
        query = query.where(table.course_id == course_id)
    streamed = connection.execution_options(yield_per=DOCUMENTS_AT_ONCE)
    yield from streamed.execute(query.order_by(table.course_id, table.path))


def _readable(connection: Connection, course_id: CourseId, rows: Sequence[Row[Any]]) -> ReadablePassages:
    """The passages of a course that answer, beside those that are held back or were removed lately."""
    held = [(row.path, [pair for _, pair in row.held]) for row in rows if row.held]
    return ReadablePassages(
        _stored_pairs(course_id, ((row.path, row.pairs) for row in rows)),
        _stored_pairs(course_id, (*held, *_removed(connection, course_id))),
    )


def stored_passages(connection: Connection, course_id: CourseId) -> ReadablePassages:
    """The passages of all files of a course, as it is copied, beside those that were removed lately."""
    rows = _graph_rows(connection, course_id)
    return ReadablePassages(
        _stored_pairs(course_id, ((row.path, all_pairs(row.pairs, row.held)) for row in rows)),
        _stored_pairs(course_id, _removed(connection, course_id)),
    )


def _removed(connection: Connection, course_id: CourseId) -> Iterator[tuple[str, list[Any]]]:
    table = tables.removed_documents.c
    query = select(table.path, table.pairs, table.held).filter_by(course_id=course_id)
    for row in connection.execute(query):
        yield row.path, all_pairs(row.pairs, row.held)


def _stored_pairs(course_id: CourseId, files: Iterable[tuple[str, Any]]) -> Iterator[QAPair]:
    return (pair for path, pairs in files for pair in read_stored(QAPair, pairs, course_id, path))


def _shown(passages: ReadablePassages, rows: Sequence[Row[Any]]) -> Iterator[ConceptSet]:
    for row in rows:
        if not row.waits and (row.concepts or row.edges):
            concepts = read_stored(Concept, row.concepts, row.course_id, row.path)
            yield passages.found(
                row.path, (concepts, read_stored(ConceptEdge, row.edges, row.course_id, row.path))
            )


def read_documents(
    connection: Connection, course_id: CourseId, path: str | None = None
) -> Iterator[CourseDocument]:
    """The documents of a course by path, or the one of `path`; a few in memory at a time.

    `pairs` are all of the file, those that are `off` too. `rejected` is not stored.
    """
    query = select(tables.documents).filter_by(course_id=course_id).order_by("path")
    if path is None:
        query = query.execution_options(yield_per=DOCUMENTS_AT_ONCE)
    else:
        query = query.filter_by(path=path)
    for row in connection.execute(query):
        yield CourseDocument(
            path=row.path,
            sha256=row.sha256,
            folder=row.folder,
            pairs=read_stored(QAPair, all_pairs(row.pairs, row.held), row.course_id, row.path),
            off=tuple(PairId(pair["id"]) for _, pair in row.held if digest_of(pair) in row.switched_off),
            release_at=row.release_at,
            concepts=read_stored(Concept, row.concepts, row.course_id, row.path),
            edges=read_stored(ConceptEdge, row.edges, row.course_id, row.path),
            contents=read_stored(tuple[str, str], row.contents, row.course_id, row.path),
        )


def read_faq_pairs(connection: Connection, course_id: CourseId) -> Iterator[QAPair]:
    """The FAQ pairs of a course, whether written here or read from a file, by document."""
    table = tables.documents.c
    query = select(table.path, table.pairs).filter_by(course_id=course_id).order_by("path")
    for row in connection.execute(query.execution_options(yield_per=DOCUMENTS_AT_ONCE)):
        faq = [pair for pair in row.pairs if pair["source"] == Source.FAQ]
        yield from read_stored(QAPair, faq, course_id, row.path)


def check_pair_ids(connection: Connection, course_id: CourseId) -> None:
    """`Conflict` where two pairs of a course have the same id, or another course has one of its ids."""
    table, ids = tables.documents.c, set[str]()
    query = select(table.course_id, table.path, table.pairs, table.held).order_by(
        table.course_id != course_id
    )
    with connection.execute(query.execution_options(yield_per=DOCUMENTS_AT_ONCE)) as rows:
        for row in rows:
            is_own = row.course_id == course_id
            for pair in all_pairs(row.pairs, row.held):
                if pair["id"] in ids:
                    taken = Fault("course.pair_taken", pair=pair["id"], course=row.course_id)
                    raise Conflict(taken, path=row.path if is_own else None)
                if is_own:
                    ids.add(pair["id"])


def apply_documents(
    connection: Connection, course_id: CourseId, *, put: Iterable[CourseDocument], remove: Sequence[str] = ()
) -> int:
    """`SqlDocuments.apply` as part of the caller's transaction.

    What a language model said of a section raises no revision: nothing is read of it before a graph is built.
    """
    require_course(connection, course_id)
    changes = Changes()
    stored = insert(tables.documents).values(stored_at=func.now())
    for path in dict.fromkeys(remove):
        before = _take(connection, course_id, path)
        if before is not None and not path.startswith(SECTIONS):
            changes.add(path, before, None)
    removed, weeks = removed_states(connection, course_id), read_weeks(connection, course_id)
    for given in rows_of(course_id, put):
        path = str(given["path"])
        before = _take(connection, course_id, path, keep=False)
        earlier = before or removed.get(path)
        off = {*given["switched_off"], *(earlier["switched_off"] if earlier else ())}
        if earlier is not None and given["release_at"] is None:
            given |= {name: earlier[name] for name in ("release_at", "waits")}
        if before is None:
            given |= {"waits": given["waits"] or weeks.week_of(path) is not None}
        row = given | hold_back(given["pairs"], off, waits=given["waits"])
        if not path.startswith(SECTIONS):
            changes.add(path, before, row)
        connection.execute(stored, row)
        if path in removed:
            forget_removed(connection, course_id, path)
    return keep_changes(connection, course_id, changes)


def _take(
    connection: Connection, course_id: CourseId, path: str, *, keep: bool = True
) -> Mapping[str, Any] | None:
    """Delete a document and return its row, None for an unknown one; with `keep` it can be restored."""
    here = {"course_id": course_id, "path": path}
    before = connection.execute(select(tables.documents).filter_by(**here)).one_or_none()
    if before is None:
        return None
    if keep:
        keep_removed(connection, course_id, path)
    connection.execute(delete(tables.documents).filter_by(**here))
    return before._asdict()
