"""Uploads that wait for a yes: what they would do to the course is said before it is done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from pydantic import TypeAdapter

from services.documents.store import DocumentSummary
from services.materials.uploads import KeptFiles
from vta.ingest.files import digest
from vta.ingest.pipeline import IngestReport
from vta.types.answers import Rejection
from vta.types.documents import DocumentState


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
    """An upload that waits for a yes: what it would do, and what else is in its `KeptFiles`."""

    plan: UploadPlan
    refused: tuple[Rejection, ...]
    passed_over: tuple[str, ...]
    release_at: Mapping[str, datetime] = field(default_factory=dict)


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


planned_form = TypeAdapter(PlannedUpload)
"""Makes and reads the JSON that is stored of one."""


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
