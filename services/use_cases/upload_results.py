"""What became of each file of an upload."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum

from vta.ingest.report import IngestReport
from vta.types import Rejection


class Outcome(StrEnum):
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
    outcome: Outcome
    passages: int | None = None
    problems: tuple[Rejection, ...] = ()

    @property
    def is_stored(self) -> bool:
        """Whether the course has it now; one that was refused may stand there as it was."""
        return self.outcome not in (Outcome.REFUSED, Outcome.REMOVED)


def results_of(report: IngestReport) -> tuple[FileResult, ...]:
    """The files of a report: first those that were refused, then those with problems, then by outcome."""
    problems: defaultdict[str, list[Rejection]] = defaultdict(list)
    for each in report.rejected:
        problems[each.path].append(each)
    outcomes = dict.fromkeys(problems, Outcome.REFUSED)
    outcomes |= dict.fromkeys(report.removed, Outcome.REMOVED)
    outcomes |= dict.fromkeys(report.unchanged, Outcome.UNCHANGED)
    outcomes |= dict.fromkeys(report.added, Outcome.NEW)
    outcomes |= dict.fromkeys(report.replaced, Outcome.REPLACED)
    results = (
        FileResult(
            path=path,
            outcome=outcome,
            passages=report.passages.get(path),
            problems=tuple(problems.get(path, ())),
        )
        for path, outcome in outcomes.items()
    )
    order = tuple(Outcome)
    return tuple(sorted(results, key=lambda each: (not each.problems, order.index(each.outcome), each.path)))
