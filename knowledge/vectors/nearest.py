"""What both engines hold of vectors: the nearest pairs of chosen groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from knowledge.vectors.rows import Vector
from vta.errors import NotReady
from vta.faults import Fault
from vta.types import QAPair, SourceWeight


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A pair and the cosine of its embedding and the question's, in -1..1."""

    pair: QAPair
    similarity: float


class VectorIndex(Protocol):
    """Finds the nearest pairs of the live generation."""

    def nearest(self, vector: Vector, weights: Sequence[SourceWeight], top: int) -> tuple[Neighbour, ...]:
        """The top pairs by cosine among all that a weight above 0 selects, ties by pair id.

        The weight selects and does not enter the cosine. `NotReady` where the live generation has no vectors
        or those of another model, and says how to make them.
        """
        ...


def check_model(kept: str | None, wanted: str, *, failure: str | None = None) -> None:
    """`NotReady` unless the generation's vectors are whole and of the wanted model."""
    if failure:
        raise NotReady(Fault("index.no_vectors_since", failure=failure))
    if kept is None:
        raise NotReady(Fault("index.no_vectors"))
    if kept != wanted:
        raise NotReady(Fault("index.other_model", kept=kept, wanted=wanted))


def check_dimensions(kept: int, wanted: int) -> None:
    """`NotReady` where a question's vector has another length than the index's."""
    if kept != wanted:
        raise NotReady(Fault("index.other_dimensions", kept=kept, wanted=wanted))
