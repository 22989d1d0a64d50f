"""The answer as it goes out: the stored JSON with the Markdown rendered to safe HTML beside it."""

from __future__ import annotations

from html import escape

from pydantic_core import to_json

from services.rendering.answer_json import answer_to_json, citation_to_json
from services.rendering.markdown import render_markdown
from services.storage.session_rows import TurnReaction
from vta.types import Answer, Citation, QuestionState, Source, TaAnswer, Turn


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
    """What a real TA said; of a rejected question the text is the reason, which is no Markdown."""
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
