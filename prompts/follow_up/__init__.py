"""The prompt that asks a language model to make a follow-up stand alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prompts.markdown import join_sentences, split_sentences
from prompts.render import render
from vta.types import ChatMessage, Language, PastTurn

_TURNS = 3
_SENTENCES = 2


@dataclass(frozen=True, slots=True)
class _Said:
    question: str
    answer: str


def standalone_messages(
    question: str, *, history: Sequence[PastTurn], language: Language
) -> tuple[ChatMessage, ...]:
    """One message: the last three turns, of each answer its first two sentences, and the question.

    The reply wanted is the stand-alone question alone, on one line.
    """
    turns = [
        _Said(turn.question, join_sentences(split_sentences(turn.answer)[:_SENTENCES]))
        for turn in history[-_TURNS:]
    ]
    text = render(f"follow_up/standalone.{language}.j2", turns=turns, question=question)
    return (ChatMessage(role="user", content=str(text)),)
