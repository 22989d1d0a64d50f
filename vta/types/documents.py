"""The documents of a course and what reading one changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from vta.types.answers import Block, Rejection
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import CourseId, PairId
from vta.types.pairs import QAPair

Contents = tuple[tuple[str, str], ...]
"""Files in the order of teaching, each as its path without the ending and its title there, "" for none; see
`knowledge.sources.contents.place_of`. Before them, as `#3`, the number of a page in its folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """A file as read: its blocks in reading order, the parts that could not be read, and its release date."""

    path: str
    title: str
    blocks: tuple[Block, ...]
    rejected: tuple[Rejection, ...] = ()
    release_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseDocument:
    """A document of a course as the store keeps it: its content hash and what was made of it.

    `path` is relative to the folder given to `vta ingest`, and `folder` is that folder's name (empty for a
    file given by itself); `sha256` is the hex digest of the file's bytes. `rejected` are parts of the file
    that were left out; their words are stored. `title`, which may name the lecture of the file, is not.
    Pairs that are `off` were switched off by a teacher: they stay stored, and nothing uses them. So do all of
    a document before `release_at`; None where it has no release date, or that of the version before.
    `contents` are the files that a table of contents in it names.
    """

    path: str
    sha256: str
    folder: str = ""
    title: str = ""
    pairs: tuple[QAPair, ...] = ()
    concepts: tuple[Concept, ...] = ()
    edges: tuple[ConceptEdge, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    off: tuple[PairId, ...] = ()
    release_at: datetime | None = None
    contents: Contents = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingDocument:
    """A document that answers nobody before `opens_at`, in the time zone of its course.

    `title` and the name of its `week` are "" where it has none. `headings` are those of its passages.
    """

    path: str
    title: str
    opens_at: datetime
    week: str
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentState:
    """The stored state of a document, without its content."""

    sha256: str
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairChanges:
    """The changes of pairs between two revisions of the store.

    `put` are the pairs that were added or edited, as they are at `revision`; `removed` those that are gone,
    each with the course that had it. `concepts` says whether a concept or an edge changed, `courses` whether
    a course itself may have, as in its domains or in sharing its concepts. `revisions` are those of the
    courses.
    """

    revision: int
    put: tuple[QAPair, ...]
    removed: Mapping[PairId, CourseId]
    concepts: bool
    courses: bool
    revisions: Mapping[CourseId, int] = field(default_factory=dict)
