"""An open generation of the embedded index: a tantivy index for each course, opened when it is first asked.

So the statistics of BM25 are those of a course, and no other course's import moves them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import tantivy

from knowledge.index import embedded_search
from knowledge.index.embedded_bounds import Lengths, read_segments, reload, slack
from knowledge.index.embedded_generations import Live
from knowledge.index.embedded_scratch import META, part_folders
from knowledge.index.embedded_search import Slack
from knowledge.index.embedded_statistics import Totals, read_totals
from knowledge.index.embedded_writing import open_index, part_name
from vta.types import CourseId, SourceWeight

_MOST_OPEN = 400
"""Parts that stay open; each maps some seven files a segment, and a process may have 65,530 such maps."""


@dataclass(frozen=True, slots=True)
class Part:
    """The pairs of one course, open for reading at one commit, which `meta` is the meta.json of."""

    meta: str
    index: tantivy.Index
    totals: Totals
    segments: Mapping[str, Lengths]
    slack: Slack | None


class Generation:
    """One build of the index, open for reading. Safe to share between threads."""

    def __init__(self, live: Live, folder: Path, before: Generation | None) -> None:
        """`before` is the same generation as it was before it was updated."""
        self.live = live
        self._folder = folder
        self._before: dict[str, Part] = before._opened() if before is not None else {}
        self._parts: OrderedDict[str, Part] = OrderedDict()
        self._lock = Lock()

    def _opened(self) -> dict[str, Part]:
        """All parts that are open, those first that were asked longest ago."""
        with self._lock:
            return {**self._before, **self._parts}

    def part(self, course_id: CourseId) -> Part | None:
        """That of a course; None where it has no pairs."""
        name = part_name(course_id)
        return self._part(name) if name in self._parts or (self._folder / name).exists() else None

    def parts(self) -> Iterator[Part]:
        """Those of all courses."""
        return (self._part(folder.name) for folder in part_folders(self._folder))

    def chosen(self, weights: Sequence[SourceWeight]) -> Iterator[tuple[Part, list[SourceWeight]]]:
        """The parts in which weights above 0 select pairs, each with these weights."""
        by_course: dict[CourseId, list[SourceWeight]] = {}
        for weight in weights:
            if weight.weight > 0:
                by_course.setdefault(weight.course_id, []).append(weight)
        for course_id, of_course in by_course.items():
            if (part := self.part(course_id)) is not None:
                yield part, of_course

    def _part(self, name: str) -> Part:
        with self._lock:
            if name not in self._parts:
                self._parts[name] = _open(self._folder / name, self._before.pop(name, None))
                while len(self._before) + len(self._parts) > _MOST_OPEN:
                    longest_ago = self._before or self._parts
                    del longest_ago[next(iter(longest_ago))]
            self._parts.move_to_end(name)
            return self._parts[name]


def _open(folder: Path, before: Part | None) -> Part:
    """One that was updated since is the same index at its newest commit.

    The bounds of its segments are read only where there are so many pairs that searches rely on them.
    """
    if not (folder / META).exists():  # tantivy would begin a new one
        raise FileNotFoundError(folder / META)
    if before and before.meta == (folder / META).read_text(encoding="utf-8"):
        return before
    index = before.index if before else open_index(folder)
    meta = reload(index, folder)
    searcher = index.searcher()
    totals = read_totals(index, searcher, before.totals.asked if before else {})
    segments = None
    if searcher.num_docs > embedded_search.FEW:
        segments = read_segments(folder, meta, before.segments if before else {})
    return Part(meta, index, totals, segments or {}, slack(segments, totals))
