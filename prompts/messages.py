"""Prompts of one or two messages: about a section of a course or a faulty reply.

What courses wrote enters as quoted documents.
"""

from __future__ import annotations

from collections.abc import Sequence

from prompts.render import escape_markup, quote_data, render
from vta.languages import Language
from vta.types.language_model import ChatMessage


def section_messages(passages: Sequence[str], language: Language) -> tuple[ChatMessage, ...]:
    """Asks for the concepts and prerequisites of a section; document n is the n-th passage."""
    documents = [quote_data(passage, n) for n, passage in enumerate(passages, start=1)]
    return (
        ChatMessage(role="system", content=render(f"graph_sections/system.{language}.j2")),
        ChatMessage(role="user", content=render(f"graph_sections/read.{language}.j2", documents=documents)),
    )


def repair_messages(answer: str, fault: str, language: Language) -> tuple[ChatMessage, ...]:
    """The model's own answer, and the request to mend it."""
    return (
        ChatMessage(role="assistant", content=escape_markup(answer)),
        ChatMessage(role="user", content=render(f"structured/repair.{language}.j2", fault=fault)),
    )
