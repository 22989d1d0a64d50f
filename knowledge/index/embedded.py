"""The embedded search index: tantivy in a folder, one sub-folder a generation.

`live.json` names the generation that answers, and its stamp. A new one is built beside it and becomes live by
one atomic rename, so a reader sees the old index or the new one and never an empty one. An update is a commit
to the live generation, which a reader takes up when `live.json` has its stamp.

Whatever goes wrong in the folder is `NotReady`. A generation that could not be read has no stamp any more in
this process, by which its owner sees that it must be built anew.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Protocol

import tantivy
from filelock import FileLock

from knowledge.index.embedded_bounds import Lengths, read_segments, reload, slack
from knowledge.index.embedded_generations import GenerationFolder, Live
from knowledge.index.embedded_search import Slack, best_pairs, read_pairs, score_pairs
from knowledge.index.embedded_statistics import Totals, read_statistics, read_totals
from knowledge.index.embedded_writing import build, change, open_index
from knowledge.index.faults import check_since, damaged, no_generation, reading, writing
from vta.errors import NotReady
from vta.text import Analyser
from vta.types import Candidate, CollectionStatistics, PairId, QAPair, SearchQuery, SourceWeight


@dataclass(frozen=True, slots=True)
class Generation:
    """One build of the index, open for reading."""

    live: Live
    index: tantivy.Index
    totals: Totals
    segments: Mapping[str, Lengths]
    slack: Slack | None


class SideIndex(Protocol):
    """What else is kept of the pairs in the folder of a generation, and lives and goes with it."""

    def stage(self, folder: Path, pairs: Iterable[QAPair]) -> Iterator[QAPair]:
        """The same pairs, which are written into the folder of the new generation on their way."""
        ...

    def update(self, folder: Path, put: Collection[QAPair], remove: Collection[PairId]) -> None:
        """Put and remove pairs of a generation."""
        ...


class EmbeddedIndex:
    """`vta.ports.PairIndex` over tantivy. Safe to share between threads; processes may share the folder."""

    def __init__(self, folder: Path, *, beside: SideIndex | None = None) -> None:
        self.generations = GenerationFolder(folder)
        self._folder = folder
        self._beside = beside
        self._generation: Generation | None = None
        self._unreadable: Live | None = None
        self._lock = Lock()

    def replace(self, pairs: Iterable[QAPair], *, analyser: Analyser, stamp: str) -> int:
        live = Live(f"generation-{uuid.uuid4().hex[:12]}", stamp)
        staged = self._folder / live.name
        with writing():
            self._folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self.generations.lock_file):
                self.generations.drop_all_but(self.generations.live())
                staged.mkdir()
                try:
                    pairs = self._beside.stage(staged, pairs) if self._beside else pairs
                    count = build(staged, pairs, analyser)
                    self.generations.make_live(live)
                except BaseException:
                    shutil.rmtree(staged, ignore_errors=True)
                    raise
                self.generations.drop_all_but(live)
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
        with writing(), FileLock(self.generations.lock_file):
            live = self._require_live()
            check_since(live.stamp, since)
            change(self._folder / live.name, put, remove, analyser)
            if self._beside:
                self._beside.update(self._folder / live.name, put, remove)
            self.generations.make_live(Live(live.name, stamp))

    def stamp(self) -> str | None:
        with reading():
            live = self.generations.live()
        return live.stamp if live and live != self._unreadable else None

    def search(self, query: SearchQuery, weights: Sequence[SourceWeight], top: int) -> tuple[Candidate, ...]:
        generation = self.open()
        with self._noting_damage(generation.live):
            return best_pairs(generation.index, query, weights, top, generation.slack) if top > 0 else ()

    def score(
        self, query: SearchQuery, weights: Sequence[SourceWeight], ids: Collection[PairId]
    ) -> tuple[Candidate, ...]:
        generation = self.open()
        with self._noting_damage(generation.live):
            return score_pairs(generation.index, query, weights, ids) if ids else ()

    def statistics(self, query: SearchQuery) -> CollectionStatistics:
        generation = self.open()
        with self._noting_damage(generation.live):
            return read_statistics(generation.index.searcher(), generation.totals, query)

    def open(self) -> Generation:
        """The generation that answers now. `NotReady` where there is none, or none that can be read."""
        live = self._require_live()
        with self._lock:
            while self._generation is None or self._generation.live != live:
                try:
                    with self._noting_damage(live):
                        self._generation = self._open(live)
                except NotReady:
                    newer = self.generations.live()
                    if newer is None or newer == live:
                        raise
                    live = newer  # swapped by another process between reading its name and opening it
            return self._generation

    def read_pairs(self, most: int) -> None:
        """Read so many pairs of the generation that answers now; `NotReady` where one cannot be read."""
        generation = self.open()
        with self._noting_damage(generation.live):
            read_pairs(generation.index, most)

    def live_folder(self) -> Path:
        """The folder of the generation that answers now. `NotReady` where there is none."""
        return self._folder / self.open().live.name

    def _require_live(self) -> Live:
        with reading():
            live = self.generations.live()
        if live is None:
            raise no_generation()
        if live == self._unreadable:
            raise damaged()
        return live

    @contextmanager
    def _noting_damage(self, live: Live) -> Iterator[None]:
        try:
            with reading():
                yield
        except NotReady:
            self._unreadable = live
            raise

    def _open(self, live: Live) -> Generation:
        """One that was updated since is the same index at its newest commit; searches under way go on."""
        folder, before = self._folder / live.name, self._generation
        if before is not None and before.live.name == live.name:
            index, known, asked = before.index, before.segments, before.totals.asked
        else:
            index, known, asked = open_index(folder), {}, {}
            if not folder.exists():  # dropped while it was opened: some files may be missing
                raise FileNotFoundError(live.name)
        meta = reload(index, folder)
        totals = read_totals(index, index.searcher(), asked)
        segments = read_segments(folder, meta, known)
        return Generation(live, index, totals, segments or {}, slack(segments, totals))
