"""The prompt that follows an answer of a language model that lacks the required form."""

from __future__ import annotations

from prompts.render import escape_markup, render
from vta.types import ChatMessage, Language


def repair_messages(answer: str, fault: str, language: Language) -> tuple[ChatMessage, ...]:
    """The model's own answer, and the request to mend it."""
    return (
        ChatMessage(role="assistant", content=escape_markup(answer)),
        ChatMessage(role="user", content=render(f"structured/repair.{language}.j2", fault=fault)),
    )
