"""Prompts of one or two messages: about a follow-up, section of a course or faulty reply.

What students and courses wrote enters as quoted documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from prompts.render import escape_markup, quote_data, render
from vta.languages import Language
from vta.types.answers import PastTurn
from vta.types.language_model import ChatMessage

_TURNS = 3
LONGEST_SHOWN = 1500
"""Characters of an earlier answer from which a follow-up is reworded."""


def standalone_messages(
    question: str, *, history: Sequence[PastTurn], language: Language
) -> tuple[ChatMessage, ...]:
    """One message: the last three turns as they were shown, and the question.

    The reply wanted is the stand-alone question alone, on one line.
    """
    turns = [replace(turn, answer=turn.answer[:LONGEST_SHOWN]) for turn in history[-_TURNS:]]
    text = render(f"follow_up/standalone.{language}.j2", turns=turns, question=question)
    return (ChatMessage(role="user", content=str(text)),)


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
