"""The prompt that asks a language model whether an unclear text is an attack."""

from __future__ import annotations

from prompts.render import render
from vta.types import ChatMessage, Language

_LONGEST = 1000
"""Characters of the text that are shown."""


class TemplateSuspicionPrompt:
    """`vta.ports.SuspicionPrompt` by a versioned template a language."""

    def build(self, text: str, *, language: Language) -> tuple[ChatMessage, ...]:
        """One message that quotes the text on one line and asks for one word."""
        content = render(f"second_opinion/prompt.{language}.j2", text=text[:_LONGEST])
        return (ChatMessage(role="user", content=str(content)),)

    def is_attack(self, reply: str) -> bool | None:
        """What the reply says; None where it is neither word."""
        word = reply.strip().strip(".!。！\"'*").lower()
        return {"attack": True, "question": False, "攻击": True, "提问": False}.get(word)
