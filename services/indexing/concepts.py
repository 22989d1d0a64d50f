"""The concepts of the store with graph, linker and analyser of the same revision."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path

from concept_graph.by_course import GraphsByCourse, LinkersByCourse, unite
from concept_graph.edited_course import apply_edits
from concept_graph.headings import ConceptSet
from services.documents.graph_edits import SqlGraphEdits
from services.documents.store import SqlDocuments
from vta.changes import KEPT_REVISIONS
from vta.errors import NotFound
from vta.text import ANALYSER_VERSION, Analyser, user_words
from vta.types.concepts import Concept, RecordedEdit
from vta.types.courses import Course, CourseId
from vta.types.documents import PairChanges
from vta.types.pairs import Degradation

_FOLLOWED_EVERY = KEPT_REVISIONS // 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Dictionary:
    """The words of all concepts at a revision of the store."""

    revision: int
    words: tuple[str, ...]
    """The words that the analyser must know, in order."""
    digest: str
    """Of what an index holds of the concepts: neither their edges nor how sure they are."""


def make_dictionary(revision: int, concepts: Iterable[Concept]) -> Dictionary:
    """The dictionary of concepts, independent of their order."""
    digest, names = hashlib.sha256(), []
    for concept in sorted(concepts, key=lambda each: each.id):
        indexed = replace(concept, score=1.0, curated=False, built=False, first_seen=None)
        digest.update(repr(indexed).encode())
        names += [concept.name, *concept.aliases]
    return Dictionary(revision=revision, words=user_words(names), digest=digest.hexdigest())


class DictionaryFile:
    """The dictionary in a file, which may be deleted at any time; without a path there is no file."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._kept: Dictionary | None = None

    def read(self, documents: SqlDocuments) -> Dictionary | None:
        """The dictionary at the current revision; None where it has to be made again."""
        self._kept = self._read()
        if self._kept is not None and self._kept.revision != documents.revision():
            changes = documents.changes(self._kept.revision)
            if changes is None or changes.concepts:
                self._kept = None
                return None
            self.write(replace(self._kept, revision=changes.revision))
        return self._kept

    def follow(self, revision: int) -> None:
        """Move the dictionary to a later revision now and then, while the change log still covers it."""
        if self._kept is not None and revision - self._kept.revision >= _FOLLOWED_EVERY:
            self.write(replace(self._kept, revision=revision))

    def write(self, dictionary: Dictionary) -> None:
        """Replace the file; a full or read-only disk only slows the next start."""
        self._kept = dictionary
        if self._path is None:
            return
        staged = self._path.with_suffix(f".{uuid.uuid4().hex[:12]}")
        content = json.dumps(asdict(dictionary) | {"version": ANALYSER_VERSION}, ensure_ascii=False)
        try:
            staged.touch(mode=0o600)
            staged.write_text(content, encoding="utf-8")
            staged.replace(self._path)
        except OSError:
            with suppress(OSError):
                staged.unlink(missing_ok=True)

    def _read(self) -> Dictionary | None:
        if self._path is None:
            return None
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            if kept["version"] != ANALYSER_VERSION:
                return None
            return Dictionary(
                revision=int(kept["revision"]), words=tuple(kept["words"]), digest=str(kept["digest"])
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Concepts:
    """Graph, linker and analyser of the concepts at `revision`."""

    revision: int
    graph: GraphsByCourse
    linker: LinkersByCourse
    analyser: Analyser
    digest: str
    """Of what an index holds of the concepts: neither their edges nor how sure they are."""
    courses: Sequence[Course]
    """All courses, some of which may share their concepts."""
    embedder: str | None
    """The name of the embedding model whose vectors the index keeps."""
    revisions: Mapping[CourseId, int]
    """The revision of each course; its graph may be of an earlier one, after which no concept changed."""
    words_since: int
    """The revision from which on the analyser has been the same; it reads the texts of all courses."""

    def revisions_of(self, course: Course | None) -> Mapping[CourseId, int]:
        """The revisions of a course and of those that lend to it, or of all, as `SqlDocuments.revisions`."""
        if course is None:
            return self.revisions
        lenders = (each.id for each in self.courses if each.shares_with(course))
        return {each: self.revisions[each] for each in (course.id, *lenders) if each in self.revisions}

    def version_of(self, course: Course, *, degraded: Degradation | None) -> Hashable:
        """`vta.ports.Knowledge.version_of`; `degraded` tells an index that is behind from one that is not."""
        return frozenset(self.revisions_of(course).items()), self.words_since, degraded

    def stamp(self, revision: int) -> str:
        """The stamp of an index made at a revision with this analyser and this embedding model."""
        return "/".join(
            (str(revision), self.analyser.fingerprint, *([self.embedder] if self.embedder else []))
        )

    def revision_of(self, stamp: str | None) -> int | None:
        """The revision of an index that was made with this analyser and model; None for any other."""
        revision = stamp_revision(stamp)
        return revision if revision is not None and stamp == self.stamp(revision) else None


def stamp_revision(stamp: str | None) -> int | None:
    """The revision of the store that an index was made at; None where the stamp names none."""
    revision = (stamp or "").partition("/")[0]
    return int(revision) if revision.isdecimal() else None


def read_concepts(
    documents: SqlDocuments,
    edits: SqlGraphEdits,
    *,
    embedder: str | None,
    courses: Callable[[], Sequence[Course]],
    kept: DictionaryFile,
    known: Concepts | None = None,
    again: bool = False,
) -> Concepts:
    """The concepts of the current revision; `courses` reads all courses, some of which share their concepts.

    The dictionary comes from the file; an older one, and with `again` any, is made and written again. `known`
    are the concepts before.
    """
    revision, revisions = documents.revisions()  # read first: what is newer is read again, and nothing missed
    dictionary = None if again else kept.read(documents)
    if dictionary is None:
        dictionary = make_dictionary(revision, every_concept(documents, edits))
        kept.write(dictionary)

    def read(course_id: CourseId) -> ConceptSet:
        return dict(read_graphs(documents, edits, course_id)).get(course_id, ((), ()))

    present, analyser = courses(), Analyser(dictionary.words)
    same_words = known is not None and known.analyser.fingerprint == analyser.fingerprint
    if known and not again:
        graph = known.graph.at(revisions)
        linker = known.linker.at(graph, courses=present)
    else:
        graph = GraphsByCourse(read, revisions)
        linker = LinkersByCourse(graph, courses=present)
    return Concepts(
        revision=revision,
        graph=graph,
        linker=linker,
        analyser=analyser,
        digest=dictionary.digest,
        courses=present,
        embedder=embedder,
        revisions=revisions,
        words_since=known.words_since if known and same_words else revision,
    )


def read_graphs(
    documents: SqlDocuments, edits: SqlGraphEdits, course_id: CourseId | None = None
) -> Iterator[tuple[CourseId, ConceptSet]]:
    """The graph of a course, or of each, as its students may see it, with the edits of people."""
    recorded: dict[CourseId, list[RecordedEdit]] = {}
    with suppress(NotFound):
        for each in edits.edits(course_id):
            recorded.setdefault(each.course_id, []).append(each)
    for course, passages, graphs in documents.graphs(course_id):
        yield course, passages.written(apply_edits(unite(graphs), recorded.pop(course, ()))[0])
    for course, of_course in recorded.items():  # it has no files
        yield course, apply_edits(((), ()), of_course)[0]


def every_concept(documents: SqlDocuments, edits: SqlGraphEdits) -> tuple[Concept, ...]:
    """The concepts of all courses, read in one go."""
    return tuple(chain.from_iterable(concepts for _, (concepts, _) in read_graphs(documents, edits)))


def follow_concepts(
    known: Concepts, documents: SqlDocuments, *, courses: Callable[[], Sequence[Course]]
) -> tuple[Concepts, PairChanges | None] | None:
    """The same concepts at the current revision, and the changes of pairs since.

    None where the concepts changed, or where it is not known whether they did. `courses` reads all courses,
    where one of them may have changed.
    """
    if known.revision == documents.revision():
        return known, None
    changes = documents.changes(known.revision)
    if changes is None or changes.concepts:
        return None
    followed = replace(known, revision=changes.revision, revisions=changes.revisions)
    if changes.courses:
        present = courses()
        graph = known.graph.at({**changes.revisions, **known.graph.revisions})
        linker = known.linker.at(graph, courses=present)
        followed = replace(followed, courses=present, graph=graph, linker=linker)
    return followed, changes


def follow_edges(known: Concepts, now: Concepts, documents: SqlDocuments) -> PairChanges | None:
    """The changes of pairs between two revisions whose concepts have one `digest`.

    None for concepts of another digest, or unknown changes of pairs.
    """
    if known.digest != now.digest:
        return None
    changes = documents.changes(known.revision)
    if changes is None or changes.revision != now.revision:
        return None
    return replace(changes, concepts=False)
