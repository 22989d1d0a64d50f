"""Uploads that wait for a yes: what they would do to the course is said before it is done."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from services.materials.store import DocumentSummary
from services.materials.uploads import KeptFiles, UploadFolders
from vta.errors import NotFound
from vta.faults import Fault
from vta.ingest.files import digest
from vta.ingest.pipeline import IngestReport
from vta.types.answers import Rejection
from vta.types.courses import CourseId
from vta.types.documents import DocumentState

T = TypeVar("T")
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
    """The uploads of all processes of a data folder that wait for a yes; what nobody wanted goes after a day.

    A plan is a file beside the folder of its files, and whoever removes it has it: so a page that one process
    has shown can be answered at another.
    """

    def __init__(self, folders: UploadFolders) -> None:
        self._folders = folders

    def add(self, course_id: CourseId, kept: KeptFiles, plan: UploadPlan) -> PlannedUpload:
        """Keep a plan. `OSError` where the disk does not take it."""
        planned = PlannedUpload(id=secrets.token_hex(8), course_id=course_id, kept=kept, plan=plan)
        newest_first = sorted(self._folders.root.glob(_name("*", course_id)), key=_age_s)
        for old in (*newest_first[MOST_KEPT - 1 :], *self._too_old()):
            self._drop(old)
        file = kept.folder.with_name(_name(planned.id, course_id).removeprefix("*/"))
        file.write_text(json.dumps(_to_json(planned), ensure_ascii=True), encoding="utf-8")
        return planned

    def find(self, course_id: CourseId, id: str) -> PlannedUpload:
        """A plan of this course, or `NotFound`."""
        return _read(self._file(course_id, id), course_id, id)

    def take(self, course_id: CourseId, id: str) -> PlannedUpload:
        """A plan of this course, which is carried out or dropped now; `NotFound` where it was already.

        Its files belong to this process from now on.
        """
        file = self._file(course_id, id)
        planned = _read(file, course_id, id)
        try:
            file.unlink()
            return replace(planned, kept=self._folders.adopt(planned.kept))
        except OSError as error:
            raise NotFound(Fault("upload.unknown")) from error

    def _file(self, course_id: CourseId, id: str) -> Path:
        found = self._folders.root.glob(_name(id, course_id)) if _ID.fullmatch(id) else ()
        file = next(iter(found), None)
        if file is None:
            raise NotFound(Fault("upload.unknown"))
        return file

    def _too_old(self) -> Iterable[Path]:
        return (each for each in self._folders.root.glob("*/*.plan") if _age_s(each) > KEPT_S)

    def _drop(self, file: Path) -> None:
        with suppress(OSError, NotFound):
            planned = _read(file, CourseId(""), "")
            file.unlink()
            planned.kept.drop()


_ID = re.compile(r"[0-9a-f]{16}")


def _name(id: str, course_id: CourseId) -> str:
    """The pattern of a plan's path; a course is told by a digest, since its id may hold any character."""
    return f"*/{id}.{sha256(course_id.encode()).hexdigest()[:16]}.plan"


def _age_s(file: Path) -> float:
    try:
        return time.time() - file.stat().st_mtime
    except FileNotFoundError:  # another process took it
        return 0.0


@cache
def _form(kind: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(kind)


def _to_json(planned: PlannedUpload) -> dict[str, Any]:
    kept = planned.kept
    return {
        "folder": kept.folder.name,
        "files": [each.relative_to(kept.folder).as_posix() for each in kept.files],
        "refused": _form(tuple[Rejection, ...]).dump_python(kept.refused, mode="json"),
        "passed_over": list(kept.passed_over),
        "plan": _form(UploadPlan).dump_python(planned.plan, mode="json"),
    }


def _read(file: Path, course_id: CourseId, id: str) -> PlannedUpload:
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise NotFound(Fault("upload.unknown")) from error
    folder = file.with_name(stored["folder"])
    kept = KeptFiles(
        folder=folder,
        files=tuple(folder / each for each in stored["files"]),
        refused=_form(tuple[Rejection, ...]).validate_python(stored["refused"]),
        passed_over=tuple(stored["passed_over"]),
    )
    plan = _form(UploadPlan).validate_python(stored["plan"])
    return PlannedUpload(id=id, course_id=course_id, kept=kept, plan=plan)


class FileOutcome(StrEnum):
    """What was done with a file; in the order in which they are told."""

    REFUSED = "refused"
    NEW = "new"
    REPLACED = "replaced"
    REMOVED = "removed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """A file, what was done with it, and the parts that could not be read; `passages` of a file read now."""

    path: str
    outcome: FileOutcome
    passages: int | None = None
    problems: tuple[Rejection, ...] = ()

    @property
    def is_stored(self) -> bool:
        """Whether the course has it now; one that was refused may stand there as it was."""
        return self.outcome not in (FileOutcome.REFUSED, FileOutcome.REMOVED)


def results_of(report: IngestReport) -> tuple[FileResult, ...]:
    """The files of a report: first those that were refused, then those with problems, then by outcome."""
    problems: defaultdict[str, list[Rejection]] = defaultdict(list)
    for each in report.rejected:
        problems[each.path].append(each)
    outcomes = dict.fromkeys(problems, FileOutcome.REFUSED)
    outcomes |= dict.fromkeys(report.removed, FileOutcome.REMOVED)
    outcomes |= dict.fromkeys(report.unchanged, FileOutcome.UNCHANGED)
    outcomes |= dict.fromkeys(report.added, FileOutcome.NEW)
    outcomes |= dict.fromkeys(report.replaced, FileOutcome.REPLACED)
    results = (
        FileResult(
            path=path,
            outcome=outcome,
            passages=report.passages.get(path),
            problems=tuple(problems.get(path, ())),
        )
        for path, outcome in outcomes.items()
    )
    order = tuple(FileOutcome)
    return tuple(sorted(results, key=lambda each: (not each.problems, order.index(each.outcome), each.path)))
