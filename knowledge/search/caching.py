"""Results of search engines, cached so that the same question need not be sent out again."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import os
import uuid
from datetime import datetime, timedelta
from pathlib import Path

from knowledge.index.payload import pair_from_json, pair_to_json
from vta.ports import Clock, WebSearch
from vta.types import CourseId, Language, QAPair

logger = logging.getLogger(__name__)

MOST_ENTRIES = 5000


class CachedSearch:
    """`vta.ports.WebSearch` that asks `engine` only for what is not in a folder, or is there for too long.

    One file an entry, named by a digest of engine, course, language, limit and query, and written beside its
    place before it is moved there: a crash leaves the old entry or the new one, a damaged file is a miss, and
    no query is stored. Failures are never kept; a folder that cannot be written only means asking again.
    """

    def __init__(
        self, engine: WebSearch, *, name: str, folder: Path, age_limit: timedelta, clock: Clock
    ) -> None:
        self._engine = engine
        self._name = name
        self._folder = folder
        self._age_limit = age_limit
        self._clock = clock

    async def search(
        self, query: str, *, course_id: CourseId, language: Language, limit: int
    ) -> tuple[QAPair, ...]:
        key = json.dumps([self._name, course_id, language, limit, query])
        path = self._folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"
        kept = await asyncio.to_thread(self._read, path)
        if kept is not None:
            return kept
        found = await self._engine.search(query, course_id=course_id, language=language, limit=limit)
        await asyncio.to_thread(self._write, path, found)
        return found

    def _read(self, path: Path) -> tuple[QAPair, ...] | None:
        try:
            entry = json.loads(path.read_text(encoding="utf-8"))
            age = self._clock.now() - datetime.fromisoformat(entry["at"])
            if not timedelta(0) <= age < self._age_limit:
                return None
            return tuple(map(pair_from_json, entry["pairs"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            logger.warning("a cached search result is damaged and is asked for again")
            return None

    def _write(self, path: Path, pairs: tuple[QAPair, ...]) -> None:
        entry = {"at": self._clock.now().isoformat(), "pairs": [pair_to_json(pair) for pair in pairs]}
        staged = path.with_suffix(f".{uuid.uuid4().hex}.new")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._make_room()
            staged.write_text(json.dumps(entry), encoding="utf-8")
            staged.replace(path)
        except OSError as error:
            logger.warning("a search result cannot be cached: %s", error.strerror)
            with contextlib.suppress(OSError):
                staged.unlink(missing_ok=True)

    def _make_room(self) -> None:
        """Drop what is too old by its file's time, what a crash left, and the oldest above `MOST_ENTRIES`."""
        files = sorted((_modified(file), file) for file in self._folder.iterdir())
        oldest = self._clock.now().timestamp() - self._age_limit.total_seconds()
        surplus = len(files) - MOST_ENTRIES + 1
        for number, (modified, file) in enumerate(files):
            if number < surplus or modified < oldest:
                file.unlink(missing_ok=True)


def _modified(file: Path) -> float:
    try:
        return os.stat(file).st_mtime
    except FileNotFoundError:
        return 0.0
