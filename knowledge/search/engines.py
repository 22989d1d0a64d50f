"""All search engines that are switched on as one, and what they found kept for a while."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import os
import re
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import reduce
from itertools import chain, zip_longest
from pathlib import Path

from knowledge.index.payload import pair_from_json, pair_to_json
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.languages import Language
from vta.ports import Clock, WebSearch
from vta.text import Analyser, normalise, stem
from vta.types.courses import CourseId
from vta.types.pairs import QAPair

logger = logging.getLogger(__name__)
MOST_WORDS = 16
_PERSONAL = re.compile(
    r"[a-z0-9._%+-]{1,64}@[a-z0-9.-]{1,255}"  # e-mail addresses
    r"|(?:https?://|www\.)[!-~]+"
    r"|\+?\d(?:[ .()-]{0,3}\d){4,}",  # phone, card and student numbers
    re.IGNORECASE,
)
_LATIN = re.compile(r"[a-z0-9]+(?:\+\+|#)?")


class SearchEngines:
    """`vta.ports.WebSearch` over several engines, asked at the same time with the outgoing words only.

    One engine that fails goes to the log while another finds something; `UpstreamFailed` names the rest.
    """

    def __init__(self, engines: Sequence[WebSearch], *, analyser: Analyser) -> None:
        self._engines = tuple(engines)
        self._analyser = analyser

    async def search(
        self, query: str, *, course_id: CourseId, language: Language, limit: int
    ) -> tuple[QAPair, ...]:
        words = await asyncio.to_thread(outgoing_words, query, self._analyser)
        if not words or limit < 1:
            return ()
        replies = await asyncio.gather(
            *(_ask(engine, words, course_id, language, limit) for engine in self._engines)
        )
        failures = [reply for reply in replies if isinstance(reply, UpstreamFailed)]
        found = [reply for reply in replies if not isinstance(reply, UpstreamFailed)]
        pairs = _in_turn(found)[:limit]
        if failures and not pairs:
            raise UpstreamFailed(reduce(_both, (failure.fault for failure in failures))) from failures[0]
        for failure in failures:
            logger.warning("%s", failure.message)
        return pairs


async def _ask(
    engine: WebSearch, words: str, course_id: CourseId, language: Language, limit: int
) -> tuple[QAPair, ...] | UpstreamFailed:
    try:
        return await engine.search(words, course_id=course_id, language=language, limit=limit)
    except UpstreamFailed as failure:
        return failure


def _in_turn(found: Sequence[Sequence[QAPair]]) -> tuple[QAPair, ...]:
    """The best of each engine, then the second of each; each pair once."""
    pairs = (pair for pair in chain.from_iterable(zip_longest(*found)) if pair is not None)
    return tuple({pair.id: pair for pair in pairs}.values())


def _both(first: Fault, second: Fault) -> Fault:
    return Fault("search.both_failed", first=first, second=second)


def outgoing_words(question: str, analyser: Analyser) -> str:
    """The content words of a question in order, at most `MOST_WORDS`; empty where none is left.

    Left out are function words, question templates, punctuation (and with it every operator of a search
    engine), e-mail addresses, links and numbers of five digits or more. A name is a content word and stays.
    """
    plain = _PERSONAL.sub(" ", normalise(question))
    surfaces = {stem(word): word for word in reversed(_LATIN.findall(plain))}
    words = list(dict.fromkeys(analyser.content_words(plain)))
    kept = [surfaces.get(word, word) for word in words if not _inside_another(word, words)]
    return " ".join(kept[:MOST_WORDS])


def _inside_another(word: str, words: list[str]) -> bool:
    """Whether a Chinese word is part of a longer one, since both come out of the analyser."""
    return not word.isascii() and any(word != other and word in other for other in words)


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
