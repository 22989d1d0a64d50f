"""Concepts, the edges between them, the edits of teachers, and what a student is shown of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from vta.types.courses import ConceptId, CourseId
from vta.types.pairs import Locator


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A concept of the graph; `score` in 0..1 says how sure we are that it is one.

    `curated` concepts were written by a person: a course that has any is not given weak ones. `built` ones
    were found in all of a course's material at once, and stand in for those of its headings.
    """

    id: ConceptId
    name: str
    aliases: tuple[str, ...] = ()
    definition: str = ""
    domains: tuple[str, ...] = ()
    courses: tuple[CourseId, ...] = ()
    score: float = 1.0
    curated: bool = False
    built: bool = False
    first_seen: str | None = None
    locator: Locator = field(default_factory=Locator)
    document: str | None = None


SURE = 0.9
"""The score of an edge from which an answer shows it: of those found, nine of ten were read to be right. What
a person wrote has 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptEdge:
    """`prerequisite` should be known before `concept`; `evidence` holds the lines that say so."""

    prerequisite: ConceptId
    concept: ConceptId
    score: float = 1.0
    evidence: tuple[str, ...] = ()
    curated: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether students see it: a person wrote it, or its score is at least `SURE`."""
        return self.curated or self.score >= SURE


@dataclass(frozen=True, slots=True, kw_only=True)
class AddConcept:
    """There is a concept of this name."""

    kind: Literal["add"] = "add"
    name: str
    aliases: tuple[str, ...] = ()
    definition: str = ""
    domains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectConcept:
    """The thing called so is no concept of the course."""

    kind: Literal["reject"] = "reject"
    concept: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameConcept:
    """The concept is called `name`; what it was called stays as an alias."""

    kind: Literal["rename"] = "rename"
    concept: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeConcepts:
    """`other` is the same concept as `concept`, whose name stays."""

    kind: Literal["merge"] = "merge"
    concept: str
    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainConcept:
    """The explanation of the concept is this one; an empty one takes it away."""

    kind: Literal["explain"] = "explain"
    concept: str
    definition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkConcepts:
    """`prerequisite` should be known before `concept`, and why."""

    kind: Literal["link"] = "link"
    prerequisite: str
    concept: str
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlinkConcepts:
    """`prerequisite` need not be known before `concept`."""

    kind: Literal["unlink"] = "unlink"
    prerequisite: str
    concept: str


GraphEdit = (
    AddConcept
    | RejectConcept
    | RenameConcept
    | MergeConcepts
    | ExplainConcept
    | LinkConcepts
    | UnlinkConcepts
)
"""A person's change of a course's graph; it refers to concepts by name, since names outlive a build."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEdit:
    """An edit as stored; `number` counts from 1 inside the course, and no number comes twice."""

    course_id: CourseId
    number: int
    edit: GraphEdit
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A concept found in a text, at `start:end` of the normalised text."""

    concept: Concept
    start: int
    end: int
    surface: str
    is_misspelt: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Prerequisite:
    """A concept to know first; `where` is the place at which it is taught, in words of the course's language.

    Older stored answers have `where` alone, without `document` and `locator`.
    """

    name: str
    definition: str
    where: str | None = None
    document: str | None = None
    locator: Locator = Locator()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptCard:
    """A concept of the question as it is shown to the student."""

    name: str
    definition: str
    domains: tuple[str, ...]
    prerequisites: tuple[Prerequisite, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a concept is taught; `passage` is what stands there, empty where only the place is known.

    `title` is what the document is called, where that is known.
    """

    document: str
    locator: Locator
    passage: str = ""
    url: str | None = None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningStep:
    """A concept to know on the way to another; `distance` counts the edges of the shortest chain to it."""

    concept: Concept
    distance: int
    place: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedConcept:
    """A concept at the other end of an edge, with what the edge rests on."""

    concept: Concept
    edge: ConceptEdge
    place: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtConcept:
    """A concept with where it is taught."""

    concept: Concept
    place: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptStudy:
    """The content of a concept's card: its place, its prerequisites, and the concepts that build on it.

    `prerequisites` are the direct ones, surest first. `path` is in an order in which it can be learnt;
    `path_left_out` and `dependents_left_out` count what the limits left out of the two lists. Where the path
    is empty, `taught_before` is what the course explains just before: its order, no prerequisites.
    """

    concept: Concept
    place: Place | None
    prerequisites: tuple[RelatedConcept, ...]
    path: tuple[LearningStep, ...]
    path_left_out: int
    dependents: tuple[RelatedConcept, ...]
    dependents_left_out: int
    taught_before: tuple[TaughtConcept, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """A concept among those before it, in columns with the nearest first, and those after it.

    A pair (a, b) of `order` says that a comes before b with none of these concepts between the two.
    """

    concept: Concept
    before: tuple[tuple[Concept, ...], ...]
    after: tuple[Concept, ...]
    order: tuple[tuple[ConceptId, ConceptId], ...]
