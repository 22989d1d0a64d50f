"""Asking a search engine, which may fail without harm to the answer."""

from __future__ import annotations

from vta.dialogue.question import QuestionContext
from vta.dialogue.tracing import Tracer
from vta.errors import UpstreamFailed
from vta.ports import WebSearch
from vta.threads import require_loop
from vta.types import Degradation, QAPair


class WebLookup:
    """A search engine with the number of pairs to ask it for at most."""

    def __init__(self, engine: WebSearch, *, limit: int = 5) -> None:
        self._engine = engine
        self._limit = limit

    async def find(
        self, context: QuestionContext, trace: Tracer
    ) -> tuple[tuple[QAPair, ...], Degradation | None]:
        """What is found for the stand-alone question; nothing, and why, where the engine fails."""
        require_loop()
        with trace.stage("web_search") as tell:
            try:
                found = await self._engine.search(
                    context.standalone,
                    course_id=context.course.id,
                    language=context.language,
                    limit=self._limit,
                )
            except UpstreamFailed as failure:
                tell(f"failed: {failure.message}")
                return (), Degradation(stage="web_search", reason=failure.message)
            tell(f"{len(found)} pairs found")
            return found, None
