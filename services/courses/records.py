"""The lines of a course file: the dataclasses of the core, less what belongs to the course they are in."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import PurePosixPath
from typing import Annotated, Any, ClassVar, Self, TypeVar, get_type_hints

from pydantic import Field, StringConstraints, create_model, model_validator

from services.archive.zipped import Count, Manifest, Record
from services.courses.settings_store import LONGEST_GREETING, LONGEST_REFUSAL, MOST_STARTERS
from services.documents.rows import BUILT_GRAPH, IMPORTED_GRAPH, PROPOSED, SUPPORTED
from services.graph.files import SEEDS
from services.materials.releases import Moment
from vta.faults import Fault
from vta.types.concepts import Concept, ConceptEdge, GraphEdit
from vta.types.courses import ConceptId, Course, CourseId, FaqId, PairId
from vta.types.faq import FaqDraft
from vta.types.pairs import QAPair

T = TypeVar("T")

COURSE = "course.json"
DOCUMENTS = "documents.jsonl"
FAQ = "faq.jsonl"
EDITS = "graph_edits.jsonl"
MEMBERS = (COURSE, DOCUMENTS, FAQ, EDITS)
_GRAPHS = (BUILT_GRAPH, IMPORTED_GRAPH, SEEDS, PROPOSED, SUPPORTED)
"""Paths of what no file holds."""

Name = Annotated[str, StringConstraints(pattern=r"^[\w.:@-]{1,128}$")]
Text = Annotated[str, StringConstraints(min_length=1)]
Share = Annotated[float, Field(ge=0, le=1)]
ShortText = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")]
Address = Annotated[str, StringConstraints(pattern=r"^https?://")]
OwnPairId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{20}$")]
"""As readers of documents make them. Pairs of entries and concepts are called otherwise, and made anew."""


class CourseFileLine(Record):
    """A line that stands for a dataclass: it has fields of the same names, and perhaps others."""

    @classmethod
    def of(cls, each: object, **given: object) -> Self:
        """The line with the fields of a dataclass that it has too, and those `given`."""
        both = {name: getattr(each, name) for name in cls.model_fields if hasattr(each, name)}
        return cls.model_validate(both | given)

    def to(self, kind: Callable[..., T], **given: object) -> T:
        """The dataclass with the fields of the line that it has too, and those `given`."""
        known = _names(kind)
        return kind(**{name: each for name, each in self if name in known} | given)

    def text(self) -> str:
        """The line as it stands in a file, without the newline; what is as by default is left out."""
        return self.model_dump_json(exclude_defaults=True)


@cache
def _names(kind: Any) -> frozenset[str]:
    return frozenset(each.name for each in fields(kind))


def _line_of(kind: Any, *without: str) -> type[CourseFileLine]:
    """A line with the fields of a dataclass, but for some; a class made of it says which are narrower."""
    hints = get_type_hints(kind)
    own: dict[str, Any] = {}
    for each in fields(kind):
        if each.name in without:
            continue
        if each.default_factory is not MISSING:
            own[each.name] = (hints[each.name], each.default_factory())
        else:
            own[each.name] = (hints[each.name], ... if each.default is MISSING else each.default)
    return create_model(f"{kind.__name__}Line", __base__=CourseFileLine, **own)


class PairLine(_line_of(QAPair, "course_id"), CourseFileLine):  # type: ignore[misc]
    """A pair, and whether a teacher switched it off."""

    id: OwnPairId
    url: Address | None = None
    off: bool = False


class ConceptLine(_line_of(Concept, "id", "courses"), CourseFileLine):  # type: ignore[misc]
    """A concept; `key` is its id inside the course."""

    key: Text
    name: Text
    score: Share = 1.0


class EdgeLine(_line_of(ConceptEdge), CourseFileLine):  # type: ignore[misc]
    """A prerequisite between keys; `judgement` stands in files of an earlier version, and is not read."""

    prerequisite: Text
    concept: Text
    score: Share = 1.0
    judgement: Annotated[object, Field(exclude=True)] = None


_OF_THE_PLATFORM = ("shares_concepts", "takes_concepts", "is_platform_graph", "archived")


class CourseLine(_line_of(Course, *_OF_THE_PLATFORM), CourseFileLine):  # type: ignore[misc]
    """The course, without what it is to the platform that it is on."""

    id: Name
    name: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
    domains: Annotated[tuple[ShortText, ...], Field(min_length=1, max_length=20)]
    relevance: Share | None = None
    alpha: Share | None = None
    beta: Annotated[float, Field(gt=0)] | None = None
    refusal: Annotated[str, StringConstraints(max_length=LONGEST_REFUSAL)] | None = None
    origins: tuple[str, ...] = ()
    hints: bool = True
    greeting: Annotated[str, StringConstraints(max_length=LONGEST_GREETING)] | None = None
    starters: Annotated[tuple[str, ...], Field(max_length=MOST_STARTERS)] = ()


class EntryLine(_line_of(FaqDraft), CourseFileLine):  # type: ignore[misc]
    """An FAQ entry."""

    id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    created_at: Moment


class EditLine(CourseFileLine):
    """A line of `graph_edits.jsonl`: an edit with its number."""

    number: Annotated[int, Field(ge=1, lt=2**31)]
    created_at: Moment
    edit: Annotated[GraphEdit, Field(discriminator="kind")]

    def text(self) -> str:
        """The line with all its fields: the kind of an edit has a default, and is needed to read it."""
        return self.model_dump_json()


class DocumentHead(CourseFileLine):
    """A document; its pairs, concepts and edges follow it, a line each."""

    path: Annotated[Text, StringConstraints(max_length=1000)]
    sha256: str
    folder: str = ""
    release_at: Moment | None = None

    @model_validator(mode="after")
    def _inside(self) -> Self:
        outside = self.path.startswith("/") or ".." in PurePosixPath(self.path).parts
        if "\0" in self.path or (outside and self.path not in _GRAPHS):
            raise ValueError("the path leads out of the course")
        return self


class DocumentLine(CourseFileLine):
    """A line of `documents.jsonl`, which is one of the four."""

    document: DocumentHead | None = None
    pair: PairLine | None = None
    concept: ConceptLine | None = None
    edge: EdgeLine | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(part is not None for _, part in self) != 1:
            raise ValueError("a line holds one of document, pair, concept, edge")
        return self

    @property
    def kind(self) -> str:
        """Which of the four it is."""
        return next(name for name, part in self if part is not None)


class CourseFileCounts(Record):
    """How much a course file holds."""

    documents: Count = 0
    pairs: Count = 0
    concepts: Count = 0
    edges: Count = 0
    faq_entries: Count = 0
    graph_edits: Count = 0


class CourseManifest(Manifest):
    """The manifest of a course file."""

    form: ClassVar = "vta-course"
    kind: ClassVar = Fault("name.course_file")
    course: Name
    counts: CourseFileCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Ids:
    """The ids of what a file holds, in a course that has the id of the file's or, `renamed`, another one."""

    course: CourseId
    renamed: bool = False

    def pair(self, id: str) -> PairId:
        return PairId(self._other(id, 20) if self.renamed else id)

    def entry(self, id: str) -> FaqId:
        return FaqId(self._other(id, 32) if self.renamed else id)

    def concept(self, key: str) -> ConceptId:
        return ConceptId(f"{self.course}:{key}")

    def key(self, id: ConceptId) -> str:
        """The id of a concept without its course."""
        return id.removeprefix(f"{self.course}:")

    def _other(self, id: str, length: int) -> str:
        return hashlib.sha256(f"{self.course}\x1f{id}".encode()).hexdigest()[:length]
