"""The JSON of concepts, of where they are taught, and of the graph."""

from __future__ import annotations

from pydantic import BaseModel, Field


class LocatorOut(BaseModel):
    """Where a passage stands; only what is known is there."""

    heading_path: list[str] = Field(default_factory=list)
    page: int = Field(default=0, description="Counts from 1.")
    page_label: str = Field(
        default="", description="What is printed on the page, where that is not its number."
    )
    video: str = ""
    start_s: float = 0.0
    end_s: float = 0.0


class PlaceOut(BaseModel):
    """Where a concept is taught; `passage` is what stands there, empty where only the place is known."""

    document: str
    locator: LocatorOut
    passage: str
    passage_html: str
    url: str | None


class TaughtConceptOut(BaseModel):
    """A concept with where the course teaches it: in words, and as a place to open."""

    name: str
    definition: str
    where: str | None
    taught: PlaceOut | None


class LearningStepOut(TaughtConceptOut):
    """A concept to learn on the way; `distance` counts the edges of the shortest chain to the goal."""

    distance: int


class RelatedConceptOut(TaughtConceptOut):
    """A concept at the other end of an edge; `evidence` are the lines that say so.

    A `curated` edge was written by a person. `score` in 0..1 says how sure the edge is.
    """

    score: float
    curated: bool
    evidence: list[str]


class ConceptStudyOut(TaughtConceptOut):
    """A concept, its direct prerequisites (surest first), the path to it and what builds on it.

    `taught_before` is what the course explains just before, in its order, where the path is empty.
    """

    aliases: list[str]
    domains: list[str]
    prerequisites: list[RelatedConceptOut]
    path: list[LearningStepOut]
    path_left_out: int
    dependents: list[RelatedConceptOut]
    dependents_left_out: int
    taught_before: list[TaughtConceptOut]


class GraphConceptOut(BaseModel):
    """A concept of the graph; `score` in 0..1 says how sure it is, `first_seen` names the document."""

    name: str
    aliases: list[str]
    definition: str
    domains: list[str]
    score: float
    first_seen: str | None


class GraphEdgeOut(BaseModel):
    """`prerequisite` should be known before `concept`; `evidence` says why."""

    prerequisite: str
    concept: str
    score: float
    evidence: list[str]


class GraphOut(BaseModel):
    """The concept graph of a course, as `vta graph export` writes it."""

    concepts: list[GraphConceptOut]
    edges: list[GraphEdgeOut]
