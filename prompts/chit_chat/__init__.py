"""Chit-chat: small talk that is warm, honest about being a program, and leads back to the course."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from prompts.budget import PROMPT_TOKENS, Pieces, fit
from prompts.chit_chat.kinds import TalkKind, in_distress, talk_kind
from prompts.chit_chat.tasks import TaskKind, task_kind
from prompts.markdown import escape_markdown
from prompts.primers import render_primers
from prompts.quoting import escape_history, quote_candidates
from prompts.render import Rendered, render
from vta.text import normalise
from vta.types import Candidate, ChatMessage, Course, IntentLabel, IntentPrediction, Language, Source

CLOSE = 0.5
"""S from which a pair is close enough to the talk to be named."""
_COMFORT = {
    Language.ZH: "别着急，在这里卡住很正常，我们一步一步来。",
    Language.EN: "Take your time: getting stuck here is normal, and we go step by step.",
}

__all__ = ["CaringChitChat", "TalkKind", "TaskKind", "in_distress", "reply_kind", "talk_kind", "task_kind"]


class CaringChitChat:
    """Small talk with a language model or without one."""

    def __init__(self, *, budget: int = PROMPT_TOKENS) -> None:
        """`budget` is the tokens that the messages of a prompt may have together, as estimated."""
        self._budget = budget

    def in_distress(self, text: str) -> bool:
        return in_distress(text)

    def comfort(self, text: str, language: Language) -> str:
        is_upset = talk_kind(text, emotional=False) in (TalkKind.WEARY, TalkKind.FRUSTRATION)
        return _COMFORT[language] if is_upset else ""

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

    def reply(
        self,
        question: str,
        *,
        course: Course,
        intent: IntentPrediction,
        language: Language,
        knowledge: Sequence[Candidate] = (),
    ) -> str:
        """Plain text, the same for the same question and knowledge; no fact of the course but names.

        Talk of no kind of its own is led back to the best of the knowledge by its title and [n], where its S
        is at least `CLOSE`; anything else is left alone.
        """
        kind = reply_kind(question, intent)
        replies = render(f"chit_chat/replies.{language}.j2", kind=kind, course=course.name).splitlines()
        digest = hashlib.sha256(normalise(question).encode()).digest()
        reply = replies[int.from_bytes(digest[:4]) % len(replies)]
        close = [(c.score, -n) for n, c in enumerate(knowledge, start=1) if c.score >= CLOSE]
        if kind is not TalkKind.DEFAULT or not close:
            return reply
        n = -max(close)[1]
        title = Rendered(escape_markdown(_title(knowledge[n - 1])))
        lead = render(f"chit_chat/lead_back.{language}.j2", title=title, n=n)
        return f"{reply}{'' if language is Language.ZH else ' '}{lead}"


def reply_kind(text: str, intent: IntentPrediction) -> TalkKind | TaskKind:
    """What a reply answers: a task that is not the course's where the intent says so and the words name it or
    name nothing else, otherwise the kind of talk.
    """
    talk = talk_kind(text, emotional=intent.label is IntentLabel.EMOTIONAL_CHAT)
    if not intent.is_other_task or talk is TalkKind.DISTRESS:
        return talk
    task = task_kind(text)
    return task if task is not TaskKind.ANY or talk in (TalkKind.DEFAULT, TalkKind.FEELING) else talk


def _title(candidate: Candidate) -> str:
    """What a pair is about: the last heading of a passage, the question of any other."""
    pair = candidate.pair
    headings = pair.locator.heading_path
    return headings[-1] if pair.source is Source.MATERIAL and headings else pair.question
