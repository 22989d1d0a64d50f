"""The prompt that asks a language model whether an unclear text is an attack."""

from __future__ import annotations

import re

from prompts.render import render
from vta.types import ChatMessage, JsonSchema, Language

_WORDS = {
    Language.EN: {"attack": True, "question": False},
    Language.ZH: {"攻击": True, "提问": False},
}
_FIELD = re.compile(r'"verdict"\s*:\s*"([^"]*)"')
_LONGEST = 1000
"""Characters of the text that are shown."""


class TemplateSuspicionPrompt:
    """`vta.ports.SuspicionPrompt` by a versioned template a language."""

    def build(self, text: str, *, language: Language) -> tuple[ChatMessage, ...]:
        """One message that quotes the text on one line and asks for one word in a JSON object."""
        content = render(f"second_opinion/prompt.{language}.j2", text=text[:_LONGEST])
        return (ChatMessage(role="user", content=str(content)),)

    def schema(self, language: Language) -> JsonSchema:
        """An object whose one field is one of the two words."""
        verdict = {"type": "string", "enum": list(_WORDS[language])}
        return {
            "type": "object",
            "properties": {"verdict": verdict},
            "required": ["verdict"],
            "additionalProperties": False,
        }

    def is_attack(self, reply: str) -> bool | None:
        """What the reply says, in the object or as the bare word; None where it is neither word."""
        said = _FIELD.search(reply)
        word = (said.group(1) if said else reply).strip().strip(".!。！\"'*").lower()
        return next((words[word] for words in _WORDS.values() if word in words), None)
