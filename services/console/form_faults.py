"""Why a form was not carried out, as its page shows it."""

from __future__ import annotations

from dataclasses import dataclass

from services.http.problems import problem_of
from services.use_cases.faq import FaqService
from vta.errors import Conflict, InvalidInput, QuestionTaken
from vta.faults import Fault
from vta.types import CourseId, FaqEntry, FaqId


@dataclass(frozen=True, slots=True, kw_only=True)
class FormFault:
    """What was wrong with a form; `taken` is the entry that asks the same question already."""

    fault: Fault
    status: int
    taken: FaqEntry | None = None


def fault_of(error: InvalidInput | Conflict, faq: FaqService, course_id: CourseId) -> FormFault:
    """What the page shows for an error of a form."""
    taken = faq.entry(course_id, FaqId(error.entry)) if isinstance(error, QuestionTaken) else None
    return FormFault(fault=error.fault, status=problem_of(error).status, taken=taken)
