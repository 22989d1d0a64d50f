"""What a language model said of passages, in the relational store, and the passages that are found by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, delete, func, select, update

from services.courses.store import keep_changes, require_course
from services.materials.rows import Pair, digest_of
from services.store import tables
from services.store.outbox import Changes
from services.store.rows import as_row, from_row
from services.store.transactions import SqlStore, put_row, reading, write
from vta.languages import Language
from vta.types.courses import CourseId
from vta.types.pairs import Source

Wordings = Mapping[str, Sequence[str]]
"""What passages are asked as, by the digests of their texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrichment:
    """What holds of what a model said of a passage: questions in the `languages` it was asked for, a summary.

    `prompt` is the version of the prompt. Nothing may hold; the passage was asked about all the same.
    """

    digest: str
    questions: tuple[str, ...]
    summary: str
    languages: tuple[Language, ...]
    model: str
    prompt: int


class SqlEnrichments(SqlStore):
    """Enrichments by course and passage, and the stored passages that carry their words."""

    def enrichments(self, course_id: CourseId) -> Mapping[str, Enrichment]:
        """Those of a course by the digests of the passages."""
        with reading(self._engine) as connection:
            return _read(connection, course_id)

    def count(self, course_id: CourseId) -> int:
        """How many there are, those of passages that the course does not have any more among them."""
        return int(self._scalar(select(func.count()).select_from(_TABLE).filter_by(course_id=course_id)))

    def keep(self, course_id: CourseId, enrichment: Enrichment) -> None:
        """Keep one in the place of an earlier one; passages carry it from the next `apply` on."""
        values = as_row(enrichment)
        here = {"course_id": course_id, "digest": values.pop("digest")}

        def action(connection: Connection) -> None:
            require_course(connection, course_id)
            put_row(connection, _TABLE, here, values)

        write(self._engine, action)

    def apply(self, course_id: CourseId) -> int:
        """Let the passages of a course carry what is kept of them; returns the revision.

        It stays where nothing changes, and the index follows the changed passages alone.
        """

        def action(connection: Connection) -> int:
            known = _wordings(connection, course_id)
            return _rewrite(connection, course_id, lambda pair: _asked_as(pair, known))

        return write(self._engine, action, patient=True)

    def remove(self, course_id: CourseId) -> int:
        """Forget all of a course, also in documents that can be restored; returns the revision."""

        def action(connection: Connection) -> int:
            connection.execute(delete(_TABLE).filter_by(course_id=course_id))
            _rewrite(connection, course_id, _bare, tables.removed_documents)
            return _rewrite(connection, course_id, _bare)

        return write(self._engine, action, patient=True)


_TABLE = tables.enrichments


def carrying(
    connection: Connection, course_id: CourseId, rows: Iterable[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Documents that are to be stored, their passages with what is kept of them."""
    known: Wordings | None = None
    for row in rows:
        if any(pair["source"] == Source.MATERIAL for pair in row["pairs"]):
            if known is None:
                known = _wordings(connection, course_id)
            row["pairs"] = [_asked_as(pair, known) for pair in row["pairs"]]
        yield row


def _asked_as(pair: Pair, known: Wordings) -> Pair:
    """A stored pair with what is kept of its text; as it is where nothing is."""
    if pair["source"] != Source.MATERIAL or not known:
        return pair
    wordings = known.get(digest_of(pair))
    return pair if wordings is None else {**pair, "asked_as": list(wordings)}


def _bare(pair: Pair) -> Pair:
    return {**pair, "asked_as": []} if pair.get("asked_as") else pair


def _read(connection: Connection, course_id: CourseId) -> dict[str, Enrichment]:
    rows = connection.execute(select(_TABLE).filter_by(course_id=course_id))
    return {
        row.digest: from_row(Enrichment, row, languages=tuple(map(Language, row.languages))) for row in rows
    }


def _wordings(connection: Connection, course_id: CourseId) -> Wordings:
    kept = _read(connection, course_id)
    return {digest: (*each.questions, *filter(None, [each.summary])) for digest, each in kept.items()}


def _rewrite(
    connection: Connection,
    course_id: CourseId,
    change: Callable[[Pair], Pair],
    table: Table = tables.documents,
) -> int:
    """Change the pairs of the documents of a course, those that are held back too; returns the revision."""
    here = select(table.c.path).filter_by(course_id=course_id).where(~table.c.path.startswith("/"))
    changes = Changes()
    for path in connection.execute(here.order_by(table.c.path)).scalars().all():
        query = select(table.c.pairs, table.c.held, table.c.concepts, table.c.edges)
        before = connection.execute(query.filter_by(course_id=course_id, path=path)).mappings().one()
        pairs = [change(pair) for pair in before["pairs"]]
        held = [[at, change(pair)] for at, pair in before["held"]]
        if pairs != before["pairs"] or held != before["held"]:
            put = update(table).filter_by(course_id=course_id, path=path)
            connection.execute(put.values(pairs=pairs, held=held))
            changes.add(path, dict(before), {**before, "pairs": pairs})  # what is held back is in no index
    return keep_changes(connection, course_id, changes if table is tables.documents else Changes())
