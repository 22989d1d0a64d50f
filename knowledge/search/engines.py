"""All search engines that are switched on as one, and the words that are sent to them."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from itertools import chain, zip_longest

from vta.errors import UpstreamFailed
from vta.languages import Language
from vta.ports import WebSearch
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

    A failure is logged; it is raised as `UpstreamFailed` only where no engine finds anything.
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
        failures: list[UpstreamFailed] = []

        async def ask(engine: WebSearch) -> tuple[QAPair, ...]:
            try:
                return await engine.search(words, course_id=course_id, language=language, limit=limit)
            except UpstreamFailed as failure:
                logger.warning("%s", failure.message)
                failures.append(failure)
                return ()

        found = await asyncio.gather(*map(ask, self._engines))
        best_first = chain.from_iterable(zip_longest(*found))
        pairs = {pair.id: pair for pair in best_first if pair is not None}
        if failures and not pairs:
            raise failures[0]
        return tuple(pairs.values())[:limit]


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
    """True for a Chinese word that is part of a longer one, since the analyser gives both."""
    return not word.isascii() and any(word != other and word in other for other in words)
