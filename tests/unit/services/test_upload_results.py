"""What is told of each file of an upload."""

from __future__ import annotations

from plain_faults import plain

from services.materials.upload_plans import FileOutcome, results_of
from vta.ingest.pipeline import IngestReport
from vta.types.answers import Rejection


def rejection(path: str, line: int | None = None) -> Rejection:
    return Rejection(path=path, fault=plain("faulty"), line=line)


def test_what_needs_a_look_comes_first() -> None:
    """Refused files, then those with faulty parts, then new, replaced, removed and unchanged ones by path."""
    report = IngestReport(
        added=("b.md", "a.md", "parts.csv"),
        replaced=("a.md",),
        unchanged=("same.md",),
        removed=("gone.md",),
        rejected=(rejection("parts.csv", 3), rejection("broken.pdf"), rejection("parts.csv", 7)),
        passages={"a.md": 2, "b.md": 1, "parts.csv": 5},
    )
    results = results_of(report)
    assert [(each.path, each.outcome, each.passages) for each in results] == [
        ("broken.pdf", FileOutcome.REFUSED, None),
        ("parts.csv", FileOutcome.NEW, 5),
        ("b.md", FileOutcome.NEW, 1),
        ("a.md", FileOutcome.REPLACED, 2),
        ("gone.md", FileOutcome.REMOVED, None),
        ("same.md", FileOutcome.UNCHANGED, None),
    ]
    assert [problem.line for problem in results[1].problems] == [3, 7]


def test_a_file_refused_beside_its_namesake_is_told_with_it() -> None:
    """The first of two files of one name is read; the fault of the second stands beside it."""
    report = IngestReport(added=("a.md",), rejected=(rejection("a.md"),), passages={"a.md": 1})
    (result,) = results_of(report)
    assert (result.outcome, len(result.problems), result.is_stored) == (FileOutcome.NEW, 1, True)
