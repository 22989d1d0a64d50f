"""The vectors of the embedded index: a SQLite file in the generation's folder, searched by a matrix product.

The file is the truth and is read whole into memory, d * 4 bytes a pair, one matrix a group. Search is exact.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from knowledge.index.embedded import EmbeddedIndex
from knowledge.index.payload import pair_from_json, pair_to_json
from knowledge.index.tokens import group
from knowledge.vectors.nearest import Neighbour, check_dimensions, check_model
from knowledge.vectors.rows import Vector, Vectors
from knowledge.vectors.staging import EmbeddedPairs
from vta.errors import NotReady
from vta.faults import Fault
from vta.ports import Embedder
from vta.types import PairId, QAPair, SourceWeight

FILE = "vectors.db"
_WAIT_S = 30.0
_FLOAT_BYTES = 4
_DECIMALS = 6
"""Of a cosine, so that equal texts tie wherever they stand in the matrix."""

_TABLES = (
    "CREATE TABLE about (model TEXT, failure TEXT, version INTEGER)",
    "CREATE TABLE pair (number INTEGER PRIMARY KEY, id TEXT UNIQUE, grp TEXT, vector BLOB, body TEXT)",
)
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
            file.execute("INSERT INTO about VALUES (?, ?, 0)", (self._embedder.name, embedded.failure))

    def update(self, folder: Path, put: Collection[QAPair], remove: Collection[PairId]) -> None:
        """One transaction. Pairs that cannot be embedded now are without a vector until the next rebuild."""
        rows = [_row(pair, row) for pair, row in EmbeddedPairs(put, self._embedder) if row is not None]
        with closing(sqlite3.connect(folder / FILE, timeout=_WAIT_S)) as file, file:
            gone = {*remove, *(pair.id for pair in put)}
            file.executemany("DELETE FROM pair WHERE id = ?", [(each,) for each in gone])
            file.executemany(_PUT, rows)
            file.execute("UPDATE about SET version = version + 1")


@dataclass(frozen=True, slots=True)
class _Group:
    """The pairs of one group by id: their numbers in the file, and their vectors."""

    numbers: NDArray[np.int64]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class _Opened:
    """One state of a generation's file in memory."""

    file: Path
    version: int
    dimensions: int
    groups: dict[str, _Group]


class EmbeddedVectors:
    """`knowledge.vectors.nearest.VectorIndex` over the live generation of an `EmbeddedIndex`."""

    def __init__(self, index: EmbeddedIndex, *, model: str) -> None:
        """`model` is the name of the embedder that makes the vectors of the questions."""
        self._index = index
        self._model = model
        self._lock = Lock()
        self._opened: _Opened | None = None

    def nearest(self, vector: Vector, weights: Sequence[SourceWeight], top: int) -> tuple[Neighbour, ...]:
        path = self._index.live_folder() / FILE
        if not path.exists():
            check_model(None, self._model)
        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file:
                file.execute("BEGIN")  # one state for all that is read
                opened = self._open(path, file)
                chosen = {group(w.source, w.course_id) for w in weights if w.weight > 0}
                return _read(file, _search(opened, vector, chosen, top), top)
        except sqlite3.Error as error:
            raise NotReady(Fault("index.vectors_unreadable", reason=str(error))) from error

    def _open(self, path: Path, file: sqlite3.Connection) -> _Opened:
        model, failure, version = file.execute("SELECT model, failure, version FROM about").fetchone()
        check_model(model, self._model, failure=failure)
        with self._lock:
            if self._opened is None or (self._opened.file, self._opened.version) != (path, version):
                self._opened = None  # the memory of the old one is not needed beside the new one
                self._opened = _load(path, version, file)
            return self._opened


def _load(path: Path, version: int, file: sqlite3.Connection) -> _Opened:
    numbers: dict[str, list[int]] = {}
    vectors: dict[str, bytearray] = {}
    dimensions = 0
    for number, name, vector in file.execute("SELECT number, grp, vector FROM pair ORDER BY id"):
        dimensions = len(vector) // _FLOAT_BYTES
        numbers.setdefault(name, []).append(number)
        vectors.setdefault(name, bytearray()).extend(vector)
    groups = {
        name: _Group(
            np.array(of_group, dtype=np.int64),
            np.frombuffer(vectors[name], dtype=np.float32).reshape(-1, dimensions),
        )
        for name, of_group in numbers.items()
    }
    return _Opened(path, version, dimensions, groups)


def _search(opened: _Opened, vector: Vector, chosen: Set[str], top: int) -> list[tuple[float, int]]:
    """Cosine and number of the top pairs of each chosen group, ties by id."""
    if opened.groups and chosen:
        check_dimensions(opened.dimensions, len(vector))
    found: list[tuple[float, int]] = []
    for name in chosen & opened.groups.keys() if top > 0 else ():
        each = opened.groups[name]
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
