"""The embedded search index: tantivy in a folder, one sub-folder a generation, in that one a course.

`live.json` names the generation that answers, and its stamp. A new one is built beside it and becomes live by
one atomic rename, so a reader sees the old index or the new one and never an empty one. An update is a commit
to the live generation, which a reader takes up when `live.json` has its stamp.

Whatever goes wrong in the folder is `NotReady`. A generation that could not be read has no stamp any more in
this process, by which its owner sees that it must be rebuilt.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from filelock import FileLock

from knowledge.index.embedded_documents import all_pairs, build, change
from knowledge.index.embedded_search import Generation, best_pairs, score_pairs
from knowledge.index.faults import check_since, damaged, no_generation, reading, writing
from knowledge.index.tokens import FIELDS, FORMAT, query_terms
from vta.errors import NotReady
from vta.text import Analyser
from vta.types.courses import CourseId, PairId
from vta.types.pairs import Candidate, CollectionStatistics, QAPair, SearchQuery, SourceWeight

if TYPE_CHECKING:
    from knowledge.vectors.embedded import VectorFile

T = TypeVar("T")


class EmbeddedIndex:
    """A `PairIndex` over tantivy. Safe to share between threads; processes may share the folder."""

    def __init__(self, folder: Path, *, beside: VectorFile | None = None) -> None:
        """`beside` writes the vectors of each generation into its folder."""
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
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with FileLock(self.generations.lock_file):
                self.generations.drop_all_but(self.generations.live())
                staged.mkdir(mode=0o700)
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
        remove: Mapping[PairId, CourseId],
        analyser: Analyser,
        since: str,
        stamp: str,
    ) -> None:
        self.live()
        with writing(), FileLock(self.generations.lock_file):
            live = self.live()
            check_since(live.stamp, since)
            folder = self._folder / live.name
            change(folder, put, remove, analyser)
            if self._beside:
                self._beside.update(folder, put, remove)
            self.generations.make_live(Live(live.name, stamp))

    def stamp(self) -> str | None:
        with reading():
            live = self.generations.live()
        return live.stamp if live and live != self._unreadable else None

    def search(self, query: SearchQuery, weights: Sequence[SourceWeight], top: int) -> tuple[Candidate, ...]:
        def search(generation: Generation) -> list[Candidate]:
            return [
                each
                for part, chosen in generation.chosen(weights if top > 0 else ())
                for each in best_pairs(part.searcher, query, chosen, top)
            ]

        return _best_first(self._read(search))[: max(top, 0)]

    def score(
        self, query: SearchQuery, weights: Sequence[SourceWeight], ids: Collection[PairId]
    ) -> tuple[Candidate, ...]:
        def score(generation: Generation) -> list[Candidate]:
            return [
                each
                for part, chosen in generation.chosen(weights if ids else ())
                for each in score_pairs(part.searcher, query, chosen, ids)
            ]

        return _best_first(self._read(score))

    def statistics(self, query: SearchQuery, course_id: CourseId) -> CollectionStatistics:
        def count(generation: Generation) -> CollectionStatistics:
            part = generation.part(course_id)
            return part.statistics(query) if part else _no_statistics(query)

        return self._read(count)

    def read_pairs(self, most: int) -> None:
        """Read so many pairs of the generation that answers now; `NotReady` where one cannot be read."""

        def read(generation: Generation) -> None:
            left = most
            for part in generation.parts():
                left -= sum(1 for _ in all_pairs(part.searcher, left))
                if left <= 0:
                    return

        self._read(read)

    def folder_of(self, live: Live) -> Path:
        """The folder of a generation."""
        return self._folder / live.name

    def live(self) -> Live:
        """The generation that answers now. `NotReady` where there is none."""
        with reading():
            live = self.generations.live()
        if live is None:
            raise no_generation()
        if live == self._unreadable:
            raise damaged()
        return live

    def _read(self, action: Callable[[Generation], T]) -> T:
        """Run `action` on the live generation; again if another process swapped it meanwhile."""
        while True:
            live = self.live()
            try:
                with reading():
                    return action(self._opened(live))
            except NotReady:
                newer = self.generations.live()
                if newer is None or newer == live:
                    self._unreadable = live
                    raise  # else another process swapped it while it was read

    def _opened(self, live: Live) -> Generation:
        """The generation open for reading, each part at its newest commit; searches under way go on."""
        with self._lock:
            if self._generation is None or self._generation.folder.name != live.name:
                self._generation = Generation(self._folder / live.name)
            self._generation.follow(live.stamp)
            return self._generation


def _best_first(found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    return tuple(sorted(found, key=lambda each: (-each.score, each.pair.id)))


def _no_statistics(query: SearchQuery) -> CollectionStatistics:
    """Those of a course without pairs."""
    return CollectionStatistics(
        documents=0,
        average_lengths=dict.fromkeys(FIELDS, 0.0),
        frequencies=dict.fromkeys(query_terms(query), 0),
    )


@dataclass(frozen=True, slots=True)
class Live:
    """The generation that answers, by the name of its folder, and what it was made from."""

    name: str
    stamp: str


class GenerationFolder:
    """Reads and writes which generation is live. Safe to share between threads and processes."""

    def __init__(self, folder: Path) -> None:
        self.path = folder
        self.lock_file = folder / "writer.lock"
        self._live_file = folder / "live.json"
        self._read: tuple[tuple[int, ...], Live | None] | None = None

    def live(self) -> Live | None:
        """The live generation; None where there is none of this format, or its folder is gone."""
        live = self._named()
        while live is not None and not (self.path / live.name).is_dir():
            newer = self._named()
            if newer == live:
                return None
            live = newer  # swapped by another process, which then dropped the one that was read
        return live

    def make_live(self, live: Live) -> None:
        """Name the generation in one atomic step."""
        staged = self.path / f"{live.name}.json"
        with staged.open("w", encoding="utf-8") as file:
            json.dump({"generation": live.name, "stamp": live.stamp, "format": FORMAT}, file)
            file.flush()
            os.fsync(file.fileno())
        staged.replace(self._live_file)

    def drop_all_but(self, live: Live | None) -> None:
        """Remove every other generation; a reader that still has one open keeps its mapped files.

        A folder is renamed before it is emptied, so that a process that is opening it can tell.
        """
        for folder in self.path.glob("generation-*"):
            if not folder.is_dir():
                folder.unlink(missing_ok=True)  # a `live.json` that never became it
            elif live is None or folder.name != live.name:
                folder.rename(folder.with_name(f"dropped-{folder.name}"))
        for folder in self.path.glob("dropped-*"):
            shutil.rmtree(folder, ignore_errors=True)

    def left_over(self) -> list[Path]:
        """Folders that killed processes left: all generations but the live one, and dropped ones.

        What a running process is writing at this moment is among them.
        """
        live = self.live()
        found = (*self.path.glob("generation-*"), *self.path.glob("dropped-*"))
        return [path for path in found if live is None or path.name != live.name]

    def _named(self) -> Live | None:
        """The generation that live.json names; None without one, or if its format is another."""
        try:
            found = os.stat(self._live_file)
        except FileNotFoundError:
            return None
        version = found.st_ino, found.st_mtime_ns, found.st_size
        if self._read is None or self._read[0] != version:
            self._read = version, _read_live(self._live_file)
        return self._read[1]


def _read_live(file: Path) -> Live | None:
    try:
        live = json.loads(file.read_text(encoding="utf-8"))
        return Live(str(live["generation"]), str(live["stamp"])) if live["format"] == FORMAT else None
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
