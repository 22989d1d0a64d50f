"""Asking a search engine, which may fail without harm to the answer."""

from __future__ import annotations

from vta.dialogue.question import Understanding
from vta.dialogue.tracing import Tracer
from vta.errors import UpstreamFailed
from vta.ports import WebSearch
from vta.types import Degradation, QAPair


async def find_outside(
    web: WebSearch, heard: Understanding, trace: Tracer, *, limit: int
) -> tuple[tuple[QAPair, ...], Degradation | None]:
    """What a search engine finds for the stand-alone question; nothing, and why, where it fails."""
    with trace.stage("web_search") as decide:
        try:
            found = await web.search(
                heard.standalone, course_id=heard.course.id, language=heard.language, limit=limit
            )
        except UpstreamFailed as failure:
            decide(f"failed: {failure.message}")
            return (), Degradation(stage="web_search", reason=failure.message)
        decide(f"{len(found)} pairs found")
        return found, None
