"""A question before and after it is understood."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.languages import Language
from vta.ports import ConceptLinker, Knowledge
from vta.text import normalise
from vta.types.answers import PastTurn
from vta.types.concepts import Mention
from vta.types.courses import Course, Thresholds
from vta.types.questions import IntentPrediction, Mode, Position, Scope, Suspicion, Wish

LONGEST_QUESTION = 4000
"""Characters."""

_NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderstoodQuestion:
    """What a question was understood as, before anything is looked up.

    `suspicion` is the verdict of the guard, None where there is no guard. `is_operation` says that it asks on
    about the last answer alone ("why?"), and `wish` how it wants it; `scope` is what it asks of the
    place where the student is. `asked` is the question by itself, `standalone` what is searched for: the
    same with the subject of the dialogue before it where it `goes_on` with that.
    `only_feels` says that it tells how the student feels and asks nothing. `danger` is the logit of distress,
    and `in_distress` that it is certain, or likely of what turned out to be small talk.
    """

    question: str
    mode: Mode
    course: Course
    history: tuple[PastTurn, ...]
    language: Language
    asked: str
    standalone: str
    mentions: tuple[Mention, ...]
    intent: IntentPrediction
    knowledge: Knowledge
    thresholds: Thresholds
    suspicion: Suspicion | None
    in_distress: bool
    position: Position | None = None
    scope: Scope | None = None
    is_operation: bool = False
    goes_on: bool = False
    only_feels: bool = False
    danger: float = -math.inf
    wish: Wish = field(default_factory=Wish)

    @property
    def flagged(self) -> bool:
        """Whether this question is kept from the language model, now and as history."""
        return self.suspicion is not None and self.suspicion.flag


def check_question(text: str) -> None:
    """`InvalidInput` for a question that is empty, longer than `LONGEST_QUESTION` or no text."""
    if not text.strip():
        raise InvalidInput(Fault("question.empty"), field="question")
    if _NO_TEXT.search(text):
        raise InvalidInput(Fault("question.no_text"), field="question")
    length = len(text)
    if length <= LONGEST_QUESTION:  # it is read in this form, which may be 18 times as long
        length = len(unicodedata.normalize("NFKC", text))
    if length > LONGEST_QUESTION:
        fault = Fault("question.too_long", length=length, most=LONGEST_QUESTION)
        raise InvalidInput(fault, field="question")


def link_put_right(text: str, linker: ConceptLinker, course: Course) -> tuple[str, tuple[Mention, ...]]:
    """The text with its misspelt concepts put right, and the concepts that it names then."""
    mentions = linker.link(text, course=course)
    spelt = put_right(text, mentions)
    return spelt, mentions if spelt == text else linker.link(spelt, course=course)


def put_right(text: str, mentions: Sequence[Mention]) -> str:
    """The text with the names of its misspelt concepts; itself where there are none."""
    misspelt = [each for each in mentions if each.is_misspelt]
    plain = normalise(text) if misspelt else text
    for each in reversed(misspelt):
        plain = plain[: each.start] + each.concept.name + plain[each.end :]
    return plain
