"""The form of a course file: its members, its manifest, and what holds for every line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from inspect import signature
from typing import Annotated, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from vta.types import ConceptId, CourseId, FaqId, PairId

T = TypeVar("T")

FORMAT = "vta-course"
VERSION = 1
MANIFEST = "manifest.json"
COURSE = "course.json"
DOCUMENTS = "documents.jsonl"
FAQ = "faq.jsonl"
EDITS = "graph_edits.jsonl"
MEMBERS = (COURSE, DOCUMENTS, FAQ, EDITS)

Name = Annotated[str, StringConstraints(pattern=r"^[\w.:@-]{1,128}$")]
Text = Annotated[str, StringConstraints(min_length=1)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


class Record(BaseModel):
    """What stands in a file, checked strictly: no unknown field, no number in a text, no NaN."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    @classmethod
    def of_fields(cls, each: object, **given: object) -> Self:
        """The record with the fields of a dataclass that it has too, and those `given`."""
        both = {name: getattr(each, name) for name in cls.model_fields if hasattr(each, name)}
        return cls.model_validate(both | given, from_attributes=True)

    def fields_of(self, kind: Callable[..., T], **given: object) -> T:
        """The dataclass with the fields of the record that it has too, and those `given`."""
        known = _names(kind)
        both = {name: each for name, each in self if name in known}
        return kind(**both | given)

    def line(self) -> str:
        """The record as it stands in a file, without the newline; what is as by default is left out."""
        return self.model_dump_json(exclude_defaults=True)


@cache
def _names(kind: Callable[..., object]) -> Collection[str]:
    return signature(kind).parameters.keys()


class Counts(Record):
    """How much a file holds."""

    documents: Count = 0
    pairs: Count = 0
    concepts: Count = 0
    edges: Count = 0
    faq_entries: Count = 0
    graph_edits: Count = 0


class MemberRecord(Record):
    """A member of the zip: its length unpacked, in bytes, and its hash."""

    size: Count
    sha256: Sha256


class Manifest(Record):
    """`manifest.json`: what the file is, and what its members must be."""

    format: str = FORMAT
    version: int = VERSION
    course: Name
    counts: Counts
    members: dict[str, MemberRecord]


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
