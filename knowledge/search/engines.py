"""All search engines that are switched on, as one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from functools import reduce
from itertools import chain, zip_longest

from knowledge.search.outgoing import outgoing_words
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.ports import WebSearch
from vta.text import Analyser
from vta.types import CourseId, Language, QAPair

logger = logging.getLogger(__name__)


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
