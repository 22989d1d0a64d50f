"""The answer as it goes out: as JSON with its Markdown rendered to safe HTML, or as server-sent events."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from html import escape

from pydantic_core import to_json
from sse_starlette import ServerSentEvent

from services.dialogue.rows import TurnReaction
from services.rendering.answer_json import answer_to_json, citation_to_json, concept_to_json
from services.rendering.growing import GrowingMarkdown
from services.rendering.markdown import render_markdown
from services.web.problems import FAILED, problem_of
from vta.errors import VtaError
from vta.types.answers import (
    Answer,
    Citation,
    CitationsFound,
    ConceptsFound,
    Delta,
    DialogueEvent,
    SourcesFound,
    Started,
    TraceStep,
    Turn,
)
from vta.types.inbox import QuestionState, TaAnswer
from vta.types.pairs import Source


def answer_out(answer: Answer) -> dict[str, object]:
    """The Answer of the API, `html` included."""
    citations = [citation_out(citation) for citation in answer.citations]
    return {**answer_to_json(answer), "html": render_markdown(answer.text), "citations": citations}


def write_answer(answer: Answer) -> bytes:
    """`answer_out` as JSON in UTF-8."""
    return to_json(answer_out(answer))


def citation_out(citation: Citation) -> dict[str, object]:
    """A citation with its passage as safe HTML; what a search engine found is shown as it is."""
    is_course = citation.source is not Source.SEARCH
    html = render_markdown(citation.passage) if is_course else f"<p>{escape(citation.passage)}</p>"
    return {**citation_to_json(citation), "passage_html": html}


def turn_out(turn: Turn, reaction: TurnReaction) -> dict[str, object]:
    """One turn of a session's history, with what the student did with its answer."""
    return {
        "number": turn.number,
        "question": turn.question,
        "answer": answer_out(turn.answer),
        "created_at": turn.created_at.isoformat(),
        "rating": reaction.rating,
        "ta_question": reaction.ta_question,
    }


def ta_answer_out(answer: TaAnswer) -> dict[str, object]:
    """A real TA's reply; of a rejected question the text is the reason, which is no Markdown."""
    rejected = answer.state is QuestionState.REJECTED
    reason = answer.reason or ""
    return {
        "turn_id": answer.turn_id,
        "question": answer.question,
        "state": answer.state.value,
        "reason": answer.reason,
        "text": reason if rejected else answer.answer,
        "html": f"<p>{escape(reason)}</p>" * bool(reason) if rejected else render_markdown(answer.answer),
        "answered_at": answer.answered_at.isoformat(),
        "seen": answer.seen,
        "private": not rejected and answer.faq_id is None,
        "asks_back": answer.asks_back,
    }


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
