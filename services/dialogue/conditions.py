"""The conditions of an answer: the versions, and the learner's arm where the course compares two settings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256

from prompts.render import version
from services.stores import Stores
from vta import __version__
from vta.types.courses import Course
from vta.types.questions import Conditions, Mode, Question

ARMS = ("a", "b")
"""That of the course's own setting, and that of the other one."""
_NEVER = 100.0
"""A beta that no S is above: it is about 1 for a perfect pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """Arranges how questions are answered; `models` are those for courses to choose, the usual one first."""

    stores: Stores
    models: tuple[str, ...]

    def of(self, question: Question) -> tuple[Question, Course]:
        """The question with its conditions, and the course as the learner's arm has it; or `NotFound`."""
        course, found = self.stores.settings.with_course(question.course_id)
        model = found.model if found.model in self.models else next(iter(self.models), None)
        conditions = Conditions(program=__version__, prompts=version(), model=model)
        if found.experiment and question.learner_id:
            arm = arm_of(question.learner_id, found.experiment)
            conditions = replace(conditions, experiment=found.experiment, arm=arm)
            if arm == ARMS[1]:
                question, course = _varied(found.experiment_setting, found.experiment_value, question, course)
        return replace(question, conditions=conditions), course


def arm_of(learner_id: str, experiment: str) -> str:
    """The arm of a learner's pseudonym, always the same one; half of all learners are in each."""
    return ARMS[sha256(f"{experiment}\0{learner_id}".encode()).digest()[0] & 1]


def _varied(
    setting: str | None, value: str | None, question: Question, course: Course
) -> tuple[Question, Course]:
    match setting:
        case "hint":
            hinted = Mode.HINT if question.mode is Mode.ANSWER else question.mode
            return replace(question, mode=hinted), course
        case "tone":
            return question, replace(course, tone=value)
        case _:
            return question, replace(course, beta=_NEVER)
