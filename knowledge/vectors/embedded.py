"""The vectors of the embedded index: a SQLite file in the generation's folder, searched by a matrix product.

The file is the truth. The groups that are asked for are read into memory, d * 4 bytes a pair, one matrix a
group, and again where an update changed them; those asked for longest ago make room. Search is exact.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

import numpy as np

from knowledge.index.embedded import EmbeddedIndex, Live
from knowledge.index.tokens import group
from knowledge.vectors.rows import EmbeddedPairs, Vector, Vectors, check_dimensions, check_model
from vta.errors import NotReady
from vta.faults import Fault
from vta.ports import Embedder
from vta.types.courses import PairId
from vta.types.pairs import QAPair, SourceWeight

FILE = "vectors.db"
_WAIT_S = 30.0
_DECIMALS = 6
"""Of a cosine, so that equal texts tie wherever they stand in the matrix."""

_MOST_BYTES = 256_000_000
"""Of groups in memory, beside those of the question that is asked."""

_ID_BYTES = 90

_TABLES = (
    "CREATE TABLE about (model TEXT, failure TEXT)",
    "CREATE TABLE pair (id TEXT PRIMARY KEY, grp TEXT, vector BLOB)",
    "CREATE TABLE changed (grp TEXT PRIMARY KEY, times INTEGER) WITHOUT ROWID",
)
_BY_GROUP = "CREATE INDEX pair_of_group ON pair (grp, id)"
_CHANGED = """INSERT INTO changed SELECT DISTINCT grp, 1 FROM pair WHERE id = ?
    ON CONFLICT (grp) DO UPDATE SET times = times + 1"""
_PUT = "INSERT OR REPLACE INTO pair (id, grp, vector) VALUES (?, ?, ?)"


class VectorFile:
    """Writes the vectors of a generation of `EmbeddedIndex` into its folder."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def stage(self, folder: Path, pairs: Iterable[QAPair]) -> Iterator[QAPair]:
        """The same pairs, whose vectors are written on their way."""
        embedded = EmbeddedPairs(pairs, self._embedder)
        with closing(sqlite3.connect(folder / FILE)) as file, file:
            for table in _TABLES:
                file.execute(table)
            for pair, vector in embedded:
                if vector is not None:
                    file.execute(_PUT, _row(pair, vector))
                yield pair
            file.execute(_BY_GROUP)
            file.execute("INSERT INTO about VALUES (?, ?)", (self._embedder.name, embedded.failure))

    def update(self, folder: Path, put: Collection[QAPair], remove: Collection[PairId]) -> None:
        """One transaction. Pairs that cannot be embedded now are without a vector until the next rebuild."""
        rows = [_row(pair, row) for pair, row in EmbeddedPairs(put, self._embedder) if row is not None]
        with closing(sqlite3.connect(folder / FILE, timeout=_WAIT_S)) as file, file:
            gone = [(id,) for id in {*remove, *(pair.id for pair in put)}]
            file.executemany(_CHANGED, gone)
            file.executemany("DELETE FROM pair WHERE id = ?", gone)
            file.executemany(_PUT, rows)
            file.executemany(_CHANGED, [(id,) for id, *_ in rows])


@dataclass(frozen=True, slots=True)
class _Group:
    """The pairs of one group by id, with their vectors.

    `live` is the newest state of the index at which they were looked at, `changes` how many times the group
    had changed by then.
    """

    live: Live
    changes: int
    ids: tuple[PairId, ...]
    vectors: Vectors

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return self.vectors.nbytes + _ID_BYTES * len(self.ids)


class EmbeddedVectors:
    """`knowledge.vectors.rows.VectorIndex` over the live generation of an `EmbeddedIndex`.

    The file is looked at only after the index has changed. Safe to share between threads.
    """

    def __init__(self, index: EmbeddedIndex, *, model: str, most_bytes: int = _MOST_BYTES) -> None:
        """`model` is the name of the embedder that makes the vectors of the questions."""
        self._index = index
        self._model = model
        self._most_bytes = most_bytes
        self._lock = Lock()
        self._kept: OrderedDict[str, _Group] = OrderedDict()

    def nearest(self, vector: Vector, weights: Sequence[SourceWeight], top: int) -> dict[PairId, float]:
        live = self._index.live()
        names = sorted({group(w.source, w.course_id) for w in weights if w.weight > 0})
        known = [found for name in names if (found := self._known(name, live)) is not None]
        return _nearest(known if len(known) == len(names) > 0 else self._read(names, live), vector, top)

    def _known(self, name: str, live: Live) -> _Group | None:
        """The group, where it is in memory as it is now."""
        with self._lock:
            found = self._kept.get(name)
            if found is None or found.live != live:
                return None
            self._kept.move_to_end(name)
            return found

    def _read(self, names: Sequence[str], live: Live) -> list[_Group]:
        """The groups as the file has them, all in one state; those that have not changed are not read."""
        path = self._index.folder_of(live) / FILE
        if not path.exists():
            check_model(None, self._model)
        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
                file.execute("BEGIN")
                model, failure = file.execute("SELECT model, failure FROM about").fetchone()
                check_model(model, self._model, failure=failure)
                return [self._group(file, name, live) for name in names]
        except sqlite3.Error as error:
            raise NotReady(Fault("index.vectors_unreadable", reason=str(error))) from error

    def _group(self, file: sqlite3.Connection, name: str, live: Live) -> _Group:
        changed = file.execute("SELECT times FROM changed WHERE grp = ?", (name,)).fetchone()
        changes = int(changed[0]) if changed else 0
        before = self._kept.get(name)
        if before is not None and (before.live.name, before.changes) == (live.name, changes):
            found = replace(before, live=live)
        else:
            found = _load(file, name, live, changes)
        with self._lock:
            self._kept[name] = found
            self._kept.move_to_end(name)
            size = sum(each.size for each in self._kept.values())
            while size > self._most_bytes and len(self._kept) > 1:
                size -= self._kept.popitem(last=False)[1].size
        return found


def _load(file: sqlite3.Connection, name: str, live: Live, changes: int) -> _Group:
    rows = file.execute("SELECT id, vector FROM pair WHERE grp = ? ORDER BY id", (name,)).fetchall()
    vectors = np.frombuffer(b"".join(vector for _, vector in rows), dtype=np.float32)
    return _Group(live, changes, tuple(id for id, _ in rows), vectors.reshape(len(rows), -1 if rows else 0))


def _nearest(groups: Sequence[_Group], vector: Vector, top: int) -> dict[PairId, float]:
    """The cosines of the top pairs of all groups, best first, ties by id."""
    found: list[tuple[float, PairId]] = []
    for each in groups if top > 0 else ():
        if not each.ids:
            continue
        check_dimensions(each.vectors.shape[1], len(vector))
        cosines = each.vectors @ vector
        last = np.partition(cosines, -top)[-top] if top < len(cosines) else -np.inf
        places = np.flatnonzero(cosines >= last - 2 * 10**-_DECIMALS)  # all that may tie when rounded
        negated = -cosines[places].round(_DECIMALS)
        found += zip(negated.tolist(), map(each.ids.__getitem__, places.tolist()), strict=True)
    return {id: -negated for negated, id in sorted(found)[:top]}


def _row(pair: QAPair, vector: Vector) -> tuple[str, str, bytes]:
    return pair.id, group(pair.source, pair.course_id), vector.tobytes()
