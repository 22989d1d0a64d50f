"""Plans of uploads, shown before an upload replaces or removes anything, and the results of an ingest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from pydantic import TypeAdapter

from knowledge.sources.visibility import Unpacked
from services.documents.store import DocumentSummary
from services.materials.uploads import StoredUpload
from vta.ingest.files import digest
from vta.ingest.pipeline import IngestReport
from vta.types.answers import Rejection
from vta.types.documents import DocumentState


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadPlan:
    """The effect of an upload on the documents of a course, by path; `replaced` as they are stored now.

    `missing` are stored documents of the uploaded folders that are not among the files.
    """

    new: tuple[str, ...]
    replaced: tuple[DocumentSummary, ...]
    unchanged: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def needs_confirmation(self) -> bool:
        return bool(self.replaced or self.missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedUpload:
    """An upload that waits for a confirmation: its plan, and what else was found in it, see `Unpacked`."""

    plan: UploadPlan
    refused: tuple[Rejection, ...]
    passed_over: tuple[str, ...]
    release_at: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def found(self) -> Unpacked:
        return Unpacked(
            release_at=dict(self.release_at), refused=[*self.refused], passed_over=[*self.passed_over]
        )


def compare_upload(
    upload: StoredUpload, states: Mapping[str, DocumentState], stored: Iterable[DocumentSummary]
) -> UploadPlan:
    """Compare the files of an upload with the documents of a course, by path and content."""
    new, changed, unchanged = list[str](), set[str](), list[str]()
    for file in upload.files:
        path = file.relative_to(upload.folder).as_posix()
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


planned_form = TypeAdapter(PlannedUpload)
"""Makes and reads the JSON that is stored of one."""


class FileOutcome(StrEnum):
    """The result for a file, in the order of the report."""

    REFUSED = "refused"
    NEW = "new"
    REPLACED = "replaced"
    REMOVED = "removed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """The result for a file and its unreadable parts; `passages` of a file that was read now."""

    path: str
    outcome: FileOutcome
    passages: int | None = None
    problems: tuple[Rejection, ...] = ()

    @property
    def is_stored(self) -> bool:
        """Whether the upload stored the file; an earlier version of a refused one may remain."""
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
