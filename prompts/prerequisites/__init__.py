"""The prompt that asks a language model which of two concepts should be learnt first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prompts.render import quote_data, render
from vta.types import ChatMessage, Language


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPair:
    """Two concepts and the sentences of the course that name both."""

    a: str
    b: str
    sentences: tuple[str, ...]


class PrerequisiteTemplates:
    """One template a language; what the course says enters as quoted documents, one a pair."""

    def compare(self, pairs: Sequence[AskedPair], language: Language) -> tuple[ChatMessage, ...]:
        """For each pair a reason, and which of the two should be learnt first, if either."""
        documents = [
            quote_data("\n".join((f"A: {each.a}", f"B: {each.b}", *each.sentences)), n)
            for n, each in enumerate(pairs, start=1)
        ]
        return (
            ChatMessage(role="system", content=render(f"prerequisites/system.{language}.j2")),
            ChatMessage(
                role="user", content=render(f"prerequisites/compare.{language}.j2", documents=documents)
            ),
        )
