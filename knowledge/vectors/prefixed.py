"""Embedders that want questions and passages marked by words before them, such as e5's "query: "."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.vectors.rows import Vectors
from vta.ports import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefixes:
    """What stands before questions and before passages; empty for most models."""

    query: str = ""
    passage: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixedEmbedder:
    """`vta.ports.Embedder` of one side. Both sides bear one name, since their vectors are compared."""

    embedder: Embedder
    prefix: str
    name: str

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self.embedder.embed([self.prefix + text for text in texts])


def two_sides(embedder: Embedder, prefixes: Prefixes) -> tuple[Embedder, Embedder]:
    """The embedders of questions and of passages."""
    if prefixes == Prefixes():
        return embedder, embedder
    name = f"{embedder.name} {prefixes.query!r} {prefixes.passage!r}"
    query, passage = (
        PrefixedEmbedder(embedder=embedder, prefix=prefix, name=name)
        for prefix in (prefixes.query, prefixes.passage)
    )
    return query, passage
