"""The conditions of an answer, which are stored with its turn for research."""

from __future__ import annotations

from dataclasses import dataclass, replace

from prompts.render import version
from services.stores import Stores
from vta import __version__
from vta.types.questions import Conditions, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """Arranges how questions are answered; `models` are those for courses to choose, the usual one first."""

    stores: Stores
    models: tuple[str, ...]

    def of(self, question: Question) -> Question:
        """The question with its conditions."""
        chosen = self.stores.settings.settings(question.course_id).model if self.models else None
        model = chosen if chosen in self.models else next(iter(self.models), None)
        conditions = Conditions(program=__version__, prompts=version(), model=model)
        return replace(question, conditions=conditions)
