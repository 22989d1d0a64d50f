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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Protocol

import tantivy
from filelock import FileLock

from knowledge.index.embedded_bounds import Lengths, read_segments, reload, slack
from knowledge.index.embedded_search import Slack, best_pairs
from knowledge.index.embedded_statistics import Totals, read_statistics, read_totals
from knowledge.index.embedded_writing import build, change, open_index
from knowledge.index.faults import check_since, damaged, no_generation
from knowledge.index.tokens import FORMAT
from vta.text import Analyser
from vta.types import Candidate, CollectionStatistics, PairId, QAPair, SearchQuery, SourceWeight


@dataclass(frozen=True, slots=True)
class Generation:
    """One build of the index, open for reading."""

    name: str
    stamp: str
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
        self._folder = folder
        self._beside = beside
        self._live_file = folder / "live.json"
        self._generation: Generation | None = None
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
                count = build(staged, pairs, analyser)
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
            change(self._folder / name, put, remove, analyser)
            if self._beside:
                self._beside.update(self._folder / name, put, remove)
            self._make_live(name, stamp)

    def stamp(self) -> str | None:
        live = self._read_live()
        return live[1] if live else None

    def search(self, query: SearchQuery, weights: Sequence[SourceWeight], top: int) -> tuple[Candidate, ...]:
        live = self.live()
        return best_pairs(live.index, query, weights, top, live.slack) if top > 0 else ()

    def statistics(self, query: SearchQuery) -> CollectionStatistics:
        live = self.live()
        return read_statistics(live.index.searcher(), live.totals, query)

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
                        raise damaged() from error
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
        folder, before = self._folder / name, self._generation
        if before is not None and before.name == name:
            index, known, asked = before.index, before.segments, before.totals.asked
        else:
            index, known, asked = open_index(folder), {}, {}
            if not folder.exists():  # dropped while it was opened: some files may be missing
                raise FileNotFoundError(name)
        meta = reload(index, folder)
        totals = read_totals(index, index.searcher(), asked)
        segments = read_segments(folder, meta, known)
        return Generation(name, stamp, index, totals, segments or {}, slack(segments, totals))

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
