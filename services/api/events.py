"""The answer as typed server-sent events: start, trace, sources, delta, html, and so on to done or error."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from sse_starlette import ServerSentEvent

from services.api.answers import answer_out, citation_out
from services.http.problems import FAILED, problem_of
from services.rendering.answer_json import concept_to_json
from services.rendering.growing import GrowingMarkdown
from vta.errors import VtaError
from vta.types import (
    Answer,
    CitationsFound,
    ConceptsFound,
    Delta,
    DialogueEvent,
    SourcesFound,
    Started,
    TraceStep,
)

_log = logging.getLogger(__name__)


async def with_error_event(
    first: DialogueEvent, rest: AsyncGenerator[DialogueEvent, None]
) -> AsyncGenerator[DialogueEvent | dict[str, object], None]:
    """Each event; a failure on the way ends them with its problem."""
    try:
        async with aclosing(rest):
            yield first
            async for event in rest:
                yield event
    except VtaError as failure:
        yield problem_of(failure).model_dump(exclude_none=True)
    except Exception as failure:
        _log.error("unexpected failure while streaming", exc_info=failure)
        hidden = problem_of(VtaError(FAILED))
        yield hidden.model_dump(exclude_none=True)


async def as_server_sent(
    first: DialogueEvent, rest: AsyncGenerator[DialogueEvent, None]
) -> AsyncGenerator[bytes, None]:
    """Each event by name with its JSON; a failure on the way ends the stream with `error`.

    Each `delta` that changes the page is followed, in one piece with it, by the change as `html`.
    """
    written = GrowingMarkdown()
    async with aclosing(with_error_event(first, rest)) as events:
        async for event in events:
            if isinstance(event, dict):
                yield _named("error", event)
            elif isinstance(event, Delta) and (change := written.add(event.text)):
                yield _event(event) + _named("html", {"keep": change.keep, "html": change.html})
            elif event not in (CitationsFound(citations=()), ConceptsFound(concepts=())):
                yield _event(event)


def _event(event: DialogueEvent) -> bytes:
    match event:
        case Started():
            return _named("start", {"turn_id": event.turn_id, "session_id": event.session_id})
        case TraceStep():
            return _named("trace", {"stage": event.stage, "decision": event.decision, "ms": event.ms})
        case Delta():
            return _named("delta", {"text": event.text})
        case Answer():
            return _named("done", answer_out(event))
        case SourcesFound():
            return _named("sources", [citation_out(each) for each in event.sources])
        case CitationsFound():
            return _named("citations", [citation_out(each) for each in event.citations])
        case ConceptsFound():
            return _named("concepts", [concept_to_json(each) for each in event.concepts])


def _named(name: str, data: object) -> bytes:
    return ServerSentEvent(json.dumps(data, ensure_ascii=False), event=name).encode()
