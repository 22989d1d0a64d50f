"""The embedded search index: tantivy in a folder, one sub-folder a generation.

`live.json` names the generation that answers, and its stamp. A new one is built beside it and becomes live by
one atomic rename, so a reader sees the old index or the new one and never an empty one. An update is a commit
to the live generation, which a reader takes up when `live.json` has its stamp.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Protocol

import tantivy
from filelock import FileLock

from knowledge.index.embedded_search import best_pairs, group_number, id_number
from knowledge.index.embedded_statistics import Totals, read_statistics, read_totals
from knowledge.index.faults import check_since, check_stale, no_generation
from knowledge.index.payload import pair_to_json
from knowledge.index.tokens import (
    FIELDS,
    FORMAT,
    group,
    token_fields,
)
from vta.errors import NotReady
from vta.text import Analyser
from vta.types import Candidate, CollectionStatistics, PairId, QAPair, SearchQuery, SourceWeight

WRITER_BYTES = 256_000_000
"""What a build may hold in memory before it writes a segment; one that never reaches it is one segment, which
is searched fastest."""
_UPDATE_BYTES = 15_000_000
_DAMAGED = "the search index is damaged; rebuild it"


@dataclass(frozen=True, slots=True)
class Generation:
    """One build of the index, open for reading."""

    name: str
    stamp: str
    index: tantivy.Index


class Beside(Protocol):
    """What else is kept of the pairs in the folder of a generation, and lives and goes with it."""

    def stage(self, folder: Path, pairs: Iterable[QAPair]) -> Iterator[QAPair]:
        """The same pairs, which are written into the folder of the new generation on their way."""
        ...

    def update(self, folder: Path, put: Collection[QAPair], remove: Collection[PairId]) -> None:
        """Put and remove pairs of a generation."""
        ...


class EmbeddedIndex:
    """`vta.ports.PairIndex` over tantivy. Safe to share between threads; processes may share the folder."""

    def __init__(self, folder: Path, *, beside: Beside | None = None) -> None:
        self._folder = folder
        self._beside = beside
        self._live_file = folder / "live.json"
        self._generation: Generation | None = None
        self._totals: tuple[Generation, Totals] | None = None
        self._lock = Lock()
        self._named: tuple[tuple[int, ...], tuple[str, str] | None] | None = None

    def replace(self, pairs: Iterable[QAPair], *, analyser: Analyser, stamp: str) -> int:
        name = f"generation-{uuid.uuid4().hex[:12]}"
        staged = self._folder / name
        self._folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder / "writer.lock"):
            staged.mkdir()
            try:
                pairs = self._beside.stage(staged, pairs) if self._beside else pairs
                count = _build(staged, pairs, analyser)
                self._make_live(name, stamp)
            except BaseException:
                shutil.rmtree(staged, ignore_errors=True)
                raise
            self._drop_all_but(name)
        return count

    def update(
        self,
        *,
        put: Collection[QAPair],
        remove: Collection[PairId],
        analyser: Analyser,
        since: str,
        stamp: str,
    ) -> None:
        self._require_live()
        with FileLock(self._folder / "writer.lock"):
            name, current = self._require_live()
            check_since(current, since)
            _change(self._folder / name, put, remove, analyser)
            if self._beside:
                self._beside.update(self._folder / name, put, remove)
            self._make_live(name, stamp)

    def stamp(self) -> str | None:
        live = self._read_live()
        return live[1] if live else None

    def search(self, query: SearchQuery, weights: Sequence[SourceWeight], top: int) -> tuple[Candidate, ...]:
        live = self.live()
        return best_pairs(live.index, query, weights, top) if top > 0 else ()

    def statistics(self, query: SearchQuery) -> CollectionStatistics:
        live = self.live()
        searcher = live.index.searcher()
        with self._lock:
            if self._totals is None or self._totals[0] is not live:
                self._totals = live, read_totals(live.index, searcher)
            totals = self._totals[1]
        return read_statistics(searcher, totals, query)

    def live(self) -> Generation:
        """The generation that answers now. `NotReady` where there is none."""
        live = self._require_live()
        with self._lock:
            while self._generation is None or (self._generation.name, self._generation.stamp) != live:
                try:
                    self._generation = self._open(*live)
                except (OSError, ValueError) as error:
                    newer = self._read_live()
                    if newer is None or newer == live:
                        raise NotReady(_DAMAGED) from error
                    live = newer  # swapped by another process between reading its name and opening it
            return self._generation

    def _require_live(self) -> tuple[str, str]:
        live = self._read_live()
        if live is None:
            raise no_generation()
        return live

    def live_folder(self) -> Path:
        """The folder of the generation that answers now. `NotReady` where there is none."""
        return self._folder / self.live().name

    def _open(self, name: str, stamp: str) -> Generation:
        """One that was updated since is the same index at its newest commit; searches under way go on."""
        if self._generation is not None and self._generation.name == name:
            self._generation.index.reload()
            return Generation(name, stamp, self._generation.index)
        index = _open_index(self._folder / name)
        if not (self._folder / name).exists():  # dropped while it was opened: some files may be missing
            raise FileNotFoundError(name)
        return Generation(name, stamp, index)

    def _read_live(self) -> tuple[str, str] | None:
        """Name and stamp of the live generation; None where there is none, or its folder is gone."""
        live = self._named_live()
        while live is not None and not (self._folder / live[0] / "meta.json").exists():
            newer = self._named_live()
            if newer == live:
                return None
            live = newer  # swapped by another process, which then dropped the one that was read
        return live

    def _named_live(self) -> tuple[str, str] | None:
        """What live.json names; None for nothing, or for a generation kept in another format."""
        try:
            found = os.stat(self._live_file)
        except FileNotFoundError:
            return None
        version = found.st_ino, found.st_mtime_ns, found.st_size
        named = self._named
        if named is None or named[0] != version:
            named = self._named = version, _read_name(self._live_file)
        return named[1]

    def _make_live(self, name: str, stamp: str) -> None:
        staged = self._folder / f"{name}.json"
        with staged.open("w", encoding="utf-8") as file:
            json.dump({"generation": name, "stamp": stamp, "format": FORMAT}, file)
            file.flush()
            os.fsync(file.fileno())
        staged.replace(self._live_file)

    def _drop_all_but(self, name: str) -> None:
        """Old generations go; a reader that still has one open keeps its mapped files.

        A folder is renamed before it is emptied, so that who opens it meanwhile can tell.
        """
        for folder in self._folder.glob("generation-*"):
            if folder.is_dir() and folder.name != name:
                folder.rename(folder.with_name(f"dropped-{folder.name}"))
        for folder in self._folder.glob("dropped-*"):
            shutil.rmtree(folder, ignore_errors=True)


def _read_name(file: Path) -> tuple[str, str] | None:
    try:
        live = json.loads(file.read_text(encoding="utf-8"))
        return (str(live["generation"]), str(live["stamp"])) if live["format"] == FORMAT else None
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_bytes_field("pair", stored=True)
    builder.add_text_field("id", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("group", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("group_number", fast=True)
    builder.add_unsigned_field("id_number", fast=True)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def _open_index(folder: Path) -> tantivy.Index:
    """The index of a folder, without the thread that would watch the folder (and lock it while it goes)."""
    index = tantivy.Index(_schema(), path=str(folder), reuse=True)
    index.config_reader("manual")
    return index


def _build(folder: Path, pairs: Iterable[QAPair], analyser: Analyser) -> int:
    index = _open_index(folder)
    writer = index.writer(heap_size=WRITER_BYTES, num_threads=1)
    count = 0
    try:
        for pair in pairs:
            writer.add_document(_document(pair, analyser))
            count += 1
        writer.commit()
    finally:
        writer.wait_merging_threads()  # nothing writes to the folder any more, so it can be removed
    return count


def _change(folder: Path, put: Collection[QAPair], remove: Collection[PairId], analyser: Analyser) -> None:
    """One commit that deletes by id and adds, or nothing. `NotReady` for an index that is damaged."""
    try:
        index = _open_index(folder)
        searcher = index.searcher()
    except (OSError, ValueError) as error:
        raise NotReady(_DAMAGED) from error
    gone = {*remove, *(pair.id for pair in put)}
    found = sum(searcher.doc_freq("id", id) > 0 for id in gone)
    check_stale(_stale_pairs(folder) + found, searcher.num_docs)
    writer = index.writer(heap_size=_UPDATE_BYTES, num_threads=1)
    try:
        for id in gone:
            writer.delete_documents_by_term("id", id)
        for pair in put:
            writer.add_document(_document(pair, analyser))
        writer.commit()
    finally:
        writer.wait_merging_threads()  # what was not committed is given up with the writer


def _stale_pairs(folder: Path) -> int:
    """How many deleted pairs are still in the files, and so in the statistics."""
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    return sum(segment["deletes"]["num_deleted_docs"] for segment in meta["segments"] if segment["deletes"])


def _document(pair: QAPair, analyser: Analyser) -> tantivy.Document:
    fields = token_fields(pair, analyser)
    document = tantivy.Document()
    document.add_bytes("pair", pair_to_json(pair).encode())
    document.add_text("id", pair.id)
    name = group(pair.source, pair.course_id)
    document.add_text("group", name)
    document.add_unsigned("group_number", group_number(name))
    document.add_unsigned("id_number", id_number(pair.id))
    for field, tokens in fields.items():
        document.add_text(field, " ".join(tokens))
    return document
