"""Copies of courses, for another store or under another id, within the bounds of the API."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from services.courses.settings_store import clean_settings
from services.courses.transfer import CourseContent, KeptEntry
from services.documents.rows import BUILT_GRAPH, IMPORTED_GRAPH, SECTIONS
from services.documents.weeks import clean_week, move_week
from services.facts.store import clean_facts, move_facts
from services.faq.rows import entry_of_pair, pair_of_entry
from services.graph.files import SEEDS
from services.materials.passages import a_moment
from services.test_questions.store import CourseTest, clean
from vta.errors import InvalidInput
from vta.faq import clean_draft
from vta.faults import Fault
from vta.types.concepts import Concept, ConceptEdge, RecordedEdit
from vta.types.courses import LONGEST_COURSE_NAME, ConceptId, CourseId, FaqId, PairId
from vta.types.documents import CourseDocument
from vta.types.pairs import QAPair

MOST_DOMAINS = 20
_LONGEST_PATH = 1000
_GRAPHS = re.compile("|".join((BUILT_GRAPH, IMPORTED_GRAPH, SEEDS, f"{SECTIONS}[0-9a-f]{{32}}")))
"""Paths of what no file holds."""
_NO_MORE = ("/graph/proposals", "/graph/supported")
"""Paths in files of earlier versions."""
_COURSE_ID = re.compile(r"[\w.:@-]{1,128}")
_PAIR_ID = re.compile(r"[0-9a-f]{20}")
"""The ids of pairs that readers of documents make; those of entries and concepts are made again."""
_ENTRY_ID = re.compile(r"[0-9a-f]{32}")
_ADDRESS = re.compile(r"https?://.*", re.DOTALL)
_LAST_EDIT = 2**31 - 1


def copy_content(
    content: CourseContent,
    *,
    as_id: CourseId | None = None,
    name: str | None = None,
    later: timedelta = timedelta(),
) -> CourseContent:
    """The content under another id and name, with its release dates, weeks and facts moved by `later`.

    What a course is to its platform stays behind, and under another id its study. `InvalidInput` names what
    is outside the bounds of the API, at once for the course and its settings, else when the list is read.
    """
    given, is_new = content.course, as_id not in (None, content.course.id)
    kept = replace(content.settings, research=None, experiment=None) if is_new else content.settings
    settings, facts = clean_settings(kept), clean_facts(content.facts)
    weeks = tuple(map(clean_week, content.weeks))
    cleaned, domains = clean_name(given.name if name is None else name, given.domains)
    course = replace(
        given,
        id=CourseId(_checked("id", as_id or given.id, _COURSE_ID)),
        name=cleaned,
        domains=domains,
        refusal=settings.refusal,
        tone=settings.tone,
        shares_concepts=False,
        takes_concepts=False,
        is_platform_graph=False,
        archived=False,
    )
    copier = _Copier(source=given.id, target=course.id, later=later)
    return CourseContent(
        course=course,
        settings=settings,
        facts=move_facts(facts, later) if is_new else facts,
        tests=tuple(map(copier.test, content.tests)),
        weeks=tuple(move_week(each, later) for each in weeks) if is_new else weeks,
        documents=lambda: (copier.document(d) for d in content.documents() if d.path not in _NO_MORE),
        entries=lambda: map(copier.entry, content.entries()),
        edits=lambda: map(copier.edit, content.edits()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Copier:
    """Gives the parts of the course `source` the ids of the course `target`."""

    source: CourseId
    target: CourseId
    later: timedelta

    def document(self, document: CourseDocument) -> CourseDocument:
        try:
            return self._document(document)
        except InvalidInput as error:
            fault = Fault("course_file.document", path=document.path, reason=error.fault)
            raise InvalidInput(fault, field=error.field, path=document.path) from error

    def entry(self, entry: KeptEntry) -> KeptEntry:
        id = FaqId(self._other(_checked("id", entry.id, _ENTRY_ID)))
        return KeptEntry(id=id, draft=clean_draft(entry.draft), created_at=_moment(entry.created_at))

    def test(self, test: CourseTest) -> CourseTest:
        """A test question without its maker; the entry that is expected has another id here."""
        id = entry_of_pair(PairId(test.place.removeprefix("/"))) if test.place.startswith("/") else None
        place = test.place if id is None else f"/{pair_of_entry(self._other(id))}"
        return clean(replace(test, place=place, made_by="", made_at=test.made_at and _moment(test.made_at)))

    def edit(self, edit: RecordedEdit) -> RecordedEdit:
        _check("number", edit.number, most=_LAST_EDIT)
        return replace(edit, course_id=self.target, created_at=_moment(edit.created_at))

    def _document(self, document: CourseDocument) -> CourseDocument:
        path = document.path
        outside = path.startswith("/") or ".." in PurePosixPath(path).parts
        if "\0" in path or len(path) > _LONGEST_PATH or (outside and not _GRAPHS.fullmatch(path)):
            raise InvalidInput(Fault("course_file.path"))
        try:
            release_at = document.release_at and a_moment.validate_python(document.release_at + self.later)
        except (ValueError, OverflowError) as error:
            raise InvalidInput(Fault("course.moved_too_far"), field="weeks") from error
        return replace(
            document,
            release_at=release_at,
            pairs=tuple(map(self._pair, document.pairs)),
            off=tuple(PairId(self._other(each)) for each in document.off),
            concepts=tuple(map(self._concept, document.concepts)),
            edges=tuple(map(self._edge, document.edges)),
        )

    def _pair(self, pair: QAPair) -> QAPair:
        _checked("url", pair.url or "https://", _ADDRESS)
        id = PairId(self._other(_checked("id", pair.id, _PAIR_ID)))
        return replace(pair, id=id, course_id=self.target)

    def _concept(self, concept: Concept) -> Concept:
        _check("score", concept.score, most=1)
        return replace(concept, id=self._named(concept.id), courses=(self.target,))

    def _edge(self, edge: ConceptEdge) -> ConceptEdge:
        _check("score", edge.score, most=1)
        before, after = self._named(edge.prerequisite), self._named(edge.concept)
        return replace(edge, prerequisite=before, concept=after)

    def _named(self, id: ConceptId) -> ConceptId:
        return ConceptId(f"{self.target}:{id.removeprefix(f'{self.source}:')}")

    def _other(self, id: str) -> str:
        """The id of a pair or an entry in this course, as long as it was."""
        if self.target == self.source:
            return id
        return hashlib.sha256(f"{self.target}\x1f{id}".encode()).hexdigest()[: len(id)]


def clean_name(name: str, domains: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """A course's name on one line, and its domains without empty or double ones."""
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_COURSE_NAME or "\0" in name:
        raise InvalidInput(Fault("course.name_length", most=LONGEST_COURSE_NAME), field="name")
    cleaned = tuple(dict.fromkeys(" ".join(each.split()) for each in domains if each.strip()))
    if not 0 < len(cleaned) <= MOST_DOMAINS or "\0" in "".join(cleaned):
        raise InvalidInput(Fault("course.no_domain", most=MOST_DOMAINS), field="domains")
    return name, cleaned


def _checked(field: str, text: str, shape: re.Pattern[str]) -> str:
    if not shape.fullmatch(text):
        raise InvalidInput(Fault("course_file.outside", field=field, value=text[:200]), field=field)
    return text


def _check(field: str, value: float, *, most: float) -> None:
    if not 0 <= value <= most:
        raise InvalidInput(Fault("course_file.outside", field=field, value=value), field=field)


def _moment(at: datetime) -> datetime:
    try:
        return a_moment.validate_python(at)
    except ValueError as error:
        fault = Fault("course_file.outside", field="created_at", value=at.isoformat())
        raise InvalidInput(fault, field="created_at") from error
