"""The vectors of the embedded index: a SQLite file in the generation's folder, searched by a matrix product.

The file is the truth. The groups that are asked for are read into memory, d * 4 bytes a pair, one matrix a
group, and again where an update changed them; those asked for longest ago make room. Search is exact.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from knowledge.index.embedded import EmbeddedIndex
from knowledge.index.payload import pair_from_json, pair_to_json
from knowledge.index.tokens import group
from knowledge.vectors.rows import EmbeddedPairs, Neighbour, Vector, Vectors, check_dimensions, check_model
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
"""Of matrices in memory, beside those of the question that is asked."""

_TABLES = (
    "CREATE TABLE about (model TEXT, failure TEXT)",
    "CREATE TABLE pair (number INTEGER PRIMARY KEY, id TEXT UNIQUE, grp TEXT, vector BLOB, body TEXT)",
    "CREATE TABLE changed (grp TEXT PRIMARY KEY, times INTEGER) WITHOUT ROWID",
)
_BY_GROUP = "CREATE INDEX pair_of_group ON pair (grp, id)"
_CHANGED = """INSERT INTO changed SELECT DISTINCT grp, 1 FROM pair WHERE id = ?
    ON CONFLICT (grp) DO UPDATE SET times = times + 1"""
_PUT = "INSERT OR REPLACE INTO pair (id, grp, vector, body) VALUES (?, ?, ?, ?)"


class VectorFile:
    """Writes the vectors of a generation beside its index (`knowledge.index.embedded.SideIndex`)."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def stage(self, folder: Path, pairs: Iterable[QAPair]) -> Iterator[QAPair]:
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
    """The pairs of one group by id: their numbers in the file, and their vectors.

    `version` is the file, and how many times the group had changed in it.
    """

    version: tuple[Path, int]
    numbers: NDArray[np.int64]
    vectors: Vectors


class EmbeddedVectors:
    """`knowledge.vectors.rows.VectorIndex` over the live generation of an `EmbeddedIndex`."""

    def __init__(self, index: EmbeddedIndex, *, model: str, most_bytes: int = _MOST_BYTES) -> None:
        """`model` is the name of the embedder that makes the vectors of the questions."""
        self._index = index
        self._model = model
        self._opened = _Opened(most_bytes)

    def nearest(self, vector: Vector, weights: Sequence[SourceWeight], top: int) -> tuple[Neighbour, ...]:
        path = self._index.live_folder() / FILE
        if not path.exists():
            check_model(None, self._model)
        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
                file.execute("BEGIN")  # one state for all that is read
                model, failure = file.execute("SELECT model, failure FROM about").fetchone()
                check_model(model, self._model, failure=failure)
                chosen = {group(w.source, w.course_id) for w in weights if w.weight > 0}
                groups = self._opened.groups(path, file, sorted(chosen))
                return _read(file, _search(groups, vector, top), top)
        except sqlite3.Error as error:
            raise NotReady(Fault("index.vectors_unreadable", reason=str(error))) from error


class _Opened:
    """The groups in memory that were asked last. Safe to share between threads."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._lock = Lock()
        self._kept: OrderedDict[str, _Group] = OrderedDict()

    def groups(self, path: Path, file: sqlite3.Connection, names: Sequence[str]) -> list[_Group]:
        """Those of these names that have pairs, as the file has them now."""
        return [each for name in names if len((each := self._group(path, file, name)).numbers)]

    def _group(self, path: Path, file: sqlite3.Connection, name: str) -> _Group:
        changed = file.execute("SELECT times FROM changed WHERE grp = ?", (name,)).fetchone()
        version = path, int(changed[0]) if changed else 0
        with self._lock:
            known = self._kept.get(name)
            if known is not None and known.version == version:
                self._kept.move_to_end(name)
                return known
        found = _load(file, name, version)
        with self._lock:
            self._kept[name] = found
            self._kept.move_to_end(name)
            size = sum(each.vectors.nbytes for each in self._kept.values())
            while size > self._most_bytes and len(self._kept) > 1:
                size -= self._kept.popitem(last=False)[1].vectors.nbytes
        return found


def _load(file: sqlite3.Connection, name: str, version: tuple[Path, int]) -> _Group:
    rows = file.execute("SELECT number, vector FROM pair WHERE grp = ? ORDER BY id", (name,)).fetchall()
    numbers = np.array([number for number, _ in rows], dtype=np.int64)
    vectors = np.frombuffer(b"".join(vector for _, vector in rows), dtype=np.float32)
    return _Group(version, numbers, vectors.reshape(len(rows), -1 if rows else 0))


def _search(groups: Sequence[_Group], vector: Vector, top: int) -> list[tuple[float, int]]:
    """Cosine and number of the top pairs of each group, ties by id."""
    found: list[tuple[float, int]] = []
    for each in groups if top > 0 else ():
        check_dimensions(each.vectors.shape[1], len(vector))
        cosines = each.vectors @ vector
        last = np.partition(cosines, -top)[-top] if top < len(cosines) else -np.inf
        places = np.flatnonzero(cosines >= last - 2 * 10**-_DECIMALS)  # all that may tie when rounded
        near = np.round(cosines[places], _DECIMALS)
        order = np.argsort(-near, kind="stable")[:top]
        found += zip(near[order].tolist(), each.numbers[places[order]].tolist(), strict=True)
    return found


def _read(file: sqlite3.Connection, found: Collection[tuple[float, int]], top: int) -> tuple[Neighbour, ...]:
    """The best of what was found, best first, ties by id."""
    best = sorted(found, reverse=True)
    neighbours: list[Neighbour] = []
    for cosine, number in best:
        if len(neighbours) >= top and cosine < best[top - 1][0]:
            break
        (body,) = file.execute("SELECT body FROM pair WHERE number = ?", (number,)).fetchone()
        neighbours.append(Neighbour(pair=pair_from_json(body), similarity=cosine))
    return tuple(sorted(neighbours, key=lambda each: (-each.similarity, each.pair.id))[: max(top, 0)])


def _row(pair: QAPair, vector: Vector) -> tuple[str, str, bytes, str]:
    return pair.id, group(pair.source, pair.course_id), vector.tobytes(), pair_to_json(pair)
