"""The prompts about a transcript; question, transcript and notes enter as quoted documents."""

from __future__ import annotations

from collections.abc import Sequence

from prompts.render import Rendered, quote_data, render
from vta.types import ChatMessage, Language


def find_messages(question: str, text: str, language: Language) -> tuple[ChatMessage, ...]:
    """Does this part say so: yes, no or unknown, with quotes."""
    return _messages("find", language, question=question, document=quote_data(text, 1))


def explain_messages(question: str, text: str, language: Language) -> tuple[ChatMessage, ...]:
    """What this part holds about the question, with quotes."""
    return _messages("explain", language, question=question, document=quote_data(text, 1))


def conclude_messages(question: str, notes: Sequence[str], language: Language) -> tuple[ChatMessage, ...]:
    """Yes, no or unknown, from the explanations of all parts."""
    documents = [quote_data(note, n) for n, note in enumerate(notes, start=1)]
    return _messages("conclude", language, question=question, documents=documents)


def unread_phrase(language: Language) -> Rendered:
    """Says that no language model has read the transcript."""
    return render(f"transcripts/unknown.{language}.j2")


def _messages(step: str, language: Language, **fields: object) -> tuple[ChatMessage, ...]:
    return (
        ChatMessage(role="system", content=render(f"transcripts/system.{language}.j2")),
        ChatMessage(role="user", content=render(f"transcripts/{step}.{language}.j2", **fields)),
    )
