"""The prompt that asks a language model for what is missing in a concept graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prompts.render import quote_data, render
from vta.types import ChatMessage, Language


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedConcept:
    """A concept by its name, the numbers of the documents that name it, and concepts that may come before."""

    name: str
    documents: tuple[int, ...]
    others: tuple[str, ...]


def proposal_messages(
    asked: Sequence[AskedConcept], passages: Sequence[str], language: Language
) -> tuple[ChatMessage, ...]:
    """Asks about some concepts at once; document n is the n-th passage."""
    documents = [quote_data(passage, n) for n, passage in enumerate(passages, start=1)]
    return (
        ChatMessage(role="system", content=render(f"graph_proposals/system.{language}.j2")),
        ChatMessage(
            role="user",
            content=render(f"graph_proposals/propose.{language}.j2", asked=asked, documents=documents),
        ),
    )
