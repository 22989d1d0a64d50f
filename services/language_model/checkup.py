"""The check of a language model: one tiny question on one passage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vta.types.language_model import ChatMessage

QUESTION: Final = (
    ChatMessage(
        role="system",
        content="Answer in one sentence from the passage alone, and cite it by its number in brackets.",
    ),
    ChatMessage(
        role="user",
        content="[1] The exam is on 14 May in room 204.\n\nIn which room is the exam? Cite as [1].",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A model's answer to the check; `models` are those that its server lists."""

    text: str
    models: tuple[str, ...]

    @property
    def is_grounded(self) -> bool:
        """Is the answer right, with a citation of its passage?"""
        return "204" in self.text and "[1]" in self.text

    def lists(self, model: str) -> bool:
        """Does the server list the model, perhaps with Ollama's suffix? True if it lists none."""
        return not self.models or not {model, f"{model}:latest"}.isdisjoint(self.models)
