"""The prompts about a transcript, as `vta.ports.TranscriptPrompts`."""

from __future__ import annotations

from collections.abc import Sequence

from prompts.render import Rendered, quote_data, render
from vta.types import ChatMessage, Language


class TranscriptTemplates:
    """One template a step and language; transcript and notes enter as quoted documents."""

    def find(self, question: str, text: str, language: Language) -> tuple[ChatMessage, ...]:
        return _messages("find", language, question=question, document=quote_data(text, 1))

    def explain(self, question: str, text: str, language: Language) -> tuple[ChatMessage, ...]:
        return _messages("explain", language, question=question, document=quote_data(text, 1))

    def conclude(self, question: str, notes: Sequence[str], language: Language) -> tuple[ChatMessage, ...]:
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
