"""Chit-chat: small talk that is warm, honest about being a program, and leads back to the course."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

from prompts.budget import PROMPT_TOKENS, Pieces, chat, fit
from prompts.phrases import TEXTS
from prompts.primers import TALK_PRIMERS, render_primers
from prompts.render import escape_history, quote_candidates, render
from vta.languages import Language
from vta.patterns import read_patterns
from vta.text import normalise
from vta.types.courses import Course
from vta.types.language_model import ChatMessage
from vta.types.pairs import Candidate
from vta.types.questions import IntentLabel, IntentPrediction

HELP_LINES = {
    Language.ZH: "全国统一心理援助热线 12356；紧急情况请拨打 120 或 110",
    Language.EN: "988 in the US and Canada, 116 123 (Samaritans) in the UK and Ireland, or findahelpline.com "
    "elsewhere; in an emergency, your local emergency number",
}
"""The default help lines, for schools without their own."""
_COMFORT = {
    Language.ZH: "别着急，在这里卡住很正常，我们一步一步来。",
    Language.EN: "Take your time: getting stuck here is normal, and we go step by step.",
}
_SAD = ("lonely", "frustration", "weary", "feeling")


def _first(table: str, text: str) -> str | None:
    """The first kind of a table of small_talk.toml whose words stand in the text."""
    plain, patterns = normalise(text), read_patterns("vta.dialogue", "small_talk.toml", table)
    return next((kind for kind, pattern in patterns.items() if pattern.search(plain)), None)


def names_talk(text: str) -> bool:
    """Whether a word of small talk, or of a task outside any course, stands in a text."""
    return _first("talk", text) is not None or _first("tasks", text) is not None


def beyond_courtesy(text: str) -> str:
    """The normalised text without its thanks and goodbyes; empty where it is nothing else."""
    rest, patterns = normalise(text), read_patterns("vta.dialogue", "small_talk.toml", "talk")
    for kind in ("thanks", "goodbye"):
        rest = patterns[kind].sub(" ", rest)
    return rest if re.search(r"\w", rest) or rest == normalise(text) else ""


def asks_for_facts(text: str) -> bool:
    """Whether a text asks who is answering, or for a task outside any course: a model would invent that."""
    return _first("talk", text) == "identity" or _first("tasks", text) is not None


def is_upset(text: str) -> bool:
    """Whether a text says that the student is tired or frustrated."""
    return _first("talk", text) in ("weary", "frustration")


def comfort(text: str, language: Language) -> str:
    """A sentence for an upset student; empty for any other."""
    return _COMFORT[language] if is_upset(text) else ""


class CaringChitChat:
    """Small talk with a language model or without one."""

    def __init__(
        self, *, budget: int = PROMPT_TOKENS, help_lines: Mapping[Language, str] = HELP_LINES
    ) -> None:
        """`budget` is the tokens that the messages of a prompt may have together, as estimated."""
        self._budget = budget
        self._help_lines = help_lines

    def care(self, language: Language) -> str:
        return str(render(f"chit_chat/care.{language}.j2", help_line=self._help_lines[language]))

    def gentle_line(self, language: Language) -> str:
        """A line with the help line, below an answer to a possible cry for help."""
        return TEXTS[language]["gentle_line"].format(help_line=self._help_lines[language])

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
        system = render(
            f"chit_chat/system.{language}.j2",
            primers=render_primers(language, primers=TALK_PRIMERS),
            course=course.name,
            emotional=reply_kind(question, intent) in _SAD,
            tone=course.tone,
        )

        def render_messages(pieces: Pieces) -> tuple[ChatMessage, ...]:
            documents = tuple(pieces.documents.values())
            user = render(f"chit_chat/prompt.{language}.j2", documents=documents, question=question)
            return chat(system, pieces.history, user)

        pieces = Pieces(documents=quote_candidates(knowledge), history=escape_history(history))
        return fit(pieces, render_messages, budget=self._budget)[1]

    def reply(
        self,
        question: str,
        *,
        course: Course,
        intent: IntentPrediction,
        language: Language,
    ) -> str:
        """Plain text, the same for the same question; no fact of the course but its name."""
        kind = reply_kind(question, intent)
        replies = render(f"chit_chat/replies.{language}.j2", kind=kind, course=course.name).splitlines()
        digest = hashlib.sha256(normalise(question).encode()).digest()
        return replies[int.from_bytes(digest[:4]) % len(replies)]


def reply_kind(text: str, intent: IntentPrediction) -> str:
    """The kind of a reply: the task that an intent of another task names, else the kind of talk.

    A task that the words do not name counts only where they name no talk either.
    """
    is_emotional = intent.label is IntentLabel.EMOTIONAL_CHAT
    talk = _first("talk", text) or ("feeling" if is_emotional else "default")
    if not intent.is_other_task:
        return talk
    return _first("tasks", text) or ("task" if talk in ("default", "feeling") else talk)
