"""Chit-chat: small talk that is warm, honest about being a program, and leads back to the course."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from prompts.budget import PROMPT_TOKENS, Pieces, fit
from prompts.chit_chat.kinds import TalkKind, in_distress, talk_kind
from prompts.primers import render_primers
from prompts.quoting import escape_history, quote_candidates
from prompts.render import render
from vta.text import normalise
from vta.types import Candidate, ChatMessage, Course, IntentLabel, IntentPrediction, Language

__all__ = ["CaringChitChat", "TalkKind", "in_distress", "talk_kind"]


class CaringChitChat:
    """Small talk with a language model or without one."""

    def __init__(self, *, budget: int = PROMPT_TOKENS) -> None:
        """`budget` is the tokens that the messages of a prompt may have together, as estimated."""
        self._budget = budget

    def in_distress(self, text: str) -> bool:
        return in_distress(text)

    def prompt(
        self,
        question: str,
        *,
        course: Course,
        intent: IntentPrediction,
        knowledge: Sequence[Candidate],
        history: Sequence[ChatMessage],
        language: Language,
    ) -> tuple[ChatMessage, ...]:
        """System message, history, and one user message with the knowledge as quoted data.

        What exceeds the budget is dropped whole: the lowest ranked knowledge first, then the oldest turns.
        """
        distress = in_distress(question)
        system = render(
            f"chit_chat/system.{language}.j2",
            primers=render_primers(language),
            course=course.name,
            emotional=intent.label is IntentLabel.EMOTIONAL_CHAT and not distress,
            distress=distress,
        )

        def render_messages(kept: Pieces) -> tuple[ChatMessage, ...]:
            documents = tuple(kept.documents.values())
            user = render(f"chit_chat/prompt.{language}.j2", documents=documents, question=question)
            return (
                ChatMessage(role="system", content=str(system)),
                *kept.history,
                ChatMessage(role="user", content=str(user)),
            )

        pieces = Pieces(documents=quote_candidates(knowledge), history=escape_history(history))
        return fit(pieces, render_messages, budget=self._budget)[1]

    def reply(self, question: str, *, course: Course, intent: IntentPrediction, language: Language) -> str:
        """Plain text, the same for the same question; never about facts of the course but its name."""
        kind = talk_kind(question, emotional=intent.label is IntentLabel.EMOTIONAL_CHAT)
        replies = render(f"chit_chat/replies.{language}.j2", kind=kind, course=course.name).splitlines()
        digest = hashlib.sha256(normalise(question).encode()).digest()
        return replies[int.from_bytes(digest[:4]) % len(replies)]
