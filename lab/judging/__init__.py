"""The prompts by which a language model judges an answer: its statements, and which of them hold.

One template a step and language; all that is judged enters as quoted documents.
"""

from __future__ import annotations

from collections.abc import Sequence

from prompts.render import quote_data, render
from vta.languages import Language
from vta.types.language_model import ChatMessage


def statements(question: str, text: str, language: Language) -> tuple[ChatMessage, ...]:
    """Break a text that answers a question into statements that stand alone."""
    return _messages("statements", language, question=question, document=quote_data(text, 1))


def verdicts(
    statements: Sequence[str], passages: Sequence[str], language: Language
) -> tuple[ChatMessage, ...]:
    """For each statement: can it be inferred from the passages?"""
    return _messages("verdicts", language, statements=statements, documents=_documents(passages))


def useful(
    question: str, reference: str, passages: Sequence[str], language: Language
) -> tuple[ChatMessage, ...]:
    """For each passage: was it useful to arrive at the reference answer?"""
    return _messages(
        "useful",
        language,
        question=question,
        reference=quote_data(reference, 0),
        documents=_documents(passages),
        count=len(passages),
    )


def questions(text: str, count: int, language: Language) -> tuple[ChatMessage, ...]:
    """Questions that a text would answer, and whether it evades an answer."""
    return _messages("questions", language, document=quote_data(text, 1), count=count)


def _documents(passages: Sequence[str]) -> list[str]:
    return [quote_data(passage, n) for n, passage in enumerate(passages, start=1)]


def _messages(step: str, language: Language, **fields: object) -> tuple[ChatMessage, ...]:
    return (
        ChatMessage(role="system", content=render(f"judging/system.{language}.j2", "lab")),
        ChatMessage(role="user", content=render(f"judging/{step}.{language}.j2", "lab", **fields)),
    )
