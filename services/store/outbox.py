"""The outbox: which pairs each revision changed, written in the transaction that changes them.

An index that stands at an earlier revision follows by it. There may be many indexes, one in the folder of
each process, and none tells what it has applied: the last `KEPT_REVISIONS` revisions are kept, and an index
further behind is rebuilt. A revision without an entry (a removed course, more than `LARGEST_CHANGE` pairs)
has no row here, and is known by that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from services.store import tables
from services.store.rows import as_row, from_row
from vta.changes import (
    KEPT_REVISIONS,
    LARGEST_CHANGE,
    DocumentChange,
    compare_versions,
    join_changes,
    net_changes,
)
from vta.types.courses import CourseId, PairId
from vta.types.documents import PairChanges
from vta.types.pairs import QAPair, Source

_NO_DOCUMENT: Mapping[str, DocumentChange] = {"": DocumentChange()}


class Changes:
    """The changes of one transaction by path; `by_path` is None once they are too many."""

    def __init__(self) -> None:
        self.by_path: dict[str, DocumentChange] | None = {}
        self._size = 0
        self._any = False

    def __bool__(self) -> bool:
        return self._any

    def add(self, path: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> None:
        """Count the change of one document: as it was stored, and as it will be."""
        self._any = True
        if self.by_path is None:
            return
        old, new = before or _NOTHING, after or _NOTHING
        concepts = _graph_basis(old) != _graph_basis(new)
        change = compare_versions(by_id(old["pairs"]), by_id(new["pairs"]), concepts=concepts)
        self.by_path[path] = join_changes(self.by_path.get(path, DocumentChange()), change)
        self._size += change.size
        if self._size > LARGEST_CHANGE:
            self.by_path = None


_NOTHING: Mapping[str, list[Any]] = {"pairs": [], "concepts": [], "edges": [], "held": []}


def _graph_basis(row: Mapping[str, Any]) -> list[object]:
    """The source of the graph of a course; a name or sentence stands in it while a passage contains it."""
    material = [pair for pair in row["pairs"] if pair["source"] == Source.MATERIAL and pair.get("document")]
    return [material, row["held"], row["concepts"], row["edges"]]


def by_id(pairs: Iterable[Mapping[str, object]]) -> dict[PairId, object]:
    """Stored pairs by their ids, as versions of a document are compared."""
    return {PairId(str(pair["id"])): pair for pair in pairs}


def note_changes(
    connection: Connection, revision: int, course_id: CourseId, changes: Mapping[str, DocumentChange]
) -> None:
    """Write the changes of a revision to the documents of a course, by path, and drop old ones."""
    rows = [
        {"revision": revision, "course_id": course_id, "path": path, **as_row(change)}
        for path, change in (changes or _NO_DOCUMENT).items()
    ]
    connection.execute(insert(tables.outbox), rows)
    old = tables.outbox.c.revision <= revision - KEPT_REVISIONS
    connection.execute(delete(tables.outbox).where(old))


def read_changes(
    connection: Connection,
    read: Callable[[CourseId, str], Iterable[QAPair]],
    *,
    since: int,
    revision: int,
) -> PairChanges | None:
    """The changes after `since` up to `revision`; None where one of the revisions has no entry."""
    table = tables.outbox
    query = select(table).where(table.c.revision > since).order_by(table.c.revision)
    rows = connection.execute(query).all() if since <= revision else []
    if len({row.revision for row in rows}) != revision - since:
        return None
    changes = ((CourseId(row.course_id), row.path, from_row(DocumentChange, row)) for row in rows)
    return net_changes(changes, read, revision=revision)
