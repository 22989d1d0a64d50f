"""Uploads that wait for a yes: what they would do to the course is said before it is done."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock

from services.storage.documents import DocumentSummary
from services.use_cases.kept_files import KeptFiles
from vta.errors import NotFound
from vta.faults import Fault
from vta.ingest.files import digest
from vta.types import CourseId, DocumentState

KEPT_S = 24 * 3600
MOST_KEPT = 5
"""Plans of one course; the oldest gives way to a sixth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadPlan:
    """What an upload would do: documents by path, those that it replaces with what is stored now.

    `missing` are stored documents of the folders that were uploaded which are not among the files.
    """

    new: tuple[str, ...]
    replaced: tuple[DocumentSummary, ...]
    unchanged: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def needs_yes(self) -> bool:
        return bool(self.replaced or self.missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedUpload:
    """Kept files and what they would do."""

    id: str
    course_id: CourseId
    kept: KeptFiles
    plan: UploadPlan
    made_s: float = field(default_factory=time.monotonic)


def compare_upload(
    kept: KeptFiles, states: Mapping[str, DocumentState], stored: Iterable[DocumentSummary]
) -> UploadPlan:
    """Compare kept files with the documents of a course, by path and content."""
    new, changed, unchanged = list[str](), set[str](), list[str]()
    for file in kept.files:
        path = file.relative_to(kept.folder).as_posix()
        before = states.get(path)
        with file.open("rb") as content:
            same = before is not None and before.sha256 == digest(content)
        if same:
            unchanged.append(path)
        elif before is not None:
            changed.add(path)
        else:
            new.append(path)
    given = {*new, *changed, *unchanged}
    folders = tuple({f"{path.split('/')[0]}/" for path in given if "/" in path})
    stored = tuple(stored)
    return UploadPlan(
        new=tuple(sorted(new)),
        replaced=tuple(each for each in stored if each.path in changed),
        unchanged=tuple(sorted(unchanged)),
        missing=tuple(
            each.path for each in stored if each.path.startswith(folders) and each.path not in given
        ),
    )


class UploadPlans:
    """The uploads of this process that wait for a yes; what nobody wanted goes after a day."""

    def __init__(self) -> None:
        self._plans: dict[str, PlannedUpload] = {}
        self._lock = Lock()

    def add(self, course_id: CourseId, kept: KeptFiles, plan: UploadPlan) -> PlannedUpload:
        planned = PlannedUpload(id=secrets.token_hex(8), course_id=course_id, kept=kept, plan=plan)
        with self._lock:
            of_course = [each for each in self._plans.values() if each.course_id == course_id]
            old = [each for each in self._plans.values() if planned.made_s - each.made_s > KEPT_S]
            for each in {each.id: each for each in (*old, *of_course[: -MOST_KEPT + 1])}.values():
                del self._plans[each.id]
                each.kept.drop()
            self._plans[planned.id] = planned
        return planned

    def find(self, course_id: CourseId, id: str) -> PlannedUpload:
        """A plan of this course, or `NotFound`."""
        planned = self._plans.get(id)
        if planned is None or planned.course_id != course_id:
            raise NotFound(Fault("upload.unknown"))
        return planned

    def take(self, course_id: CourseId, id: str) -> PlannedUpload:
        """A plan of this course, which is carried out or dropped now; `NotFound` where it was already."""
        with self._lock:
            planned = self.find(course_id, id)
            del self._plans[id]
        return planned
