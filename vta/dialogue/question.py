"""A question as it is checked, corrected and understood."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.languages import Language
from vta.ports import ConceptLinker, Knowledge
from vta.text import normalise
from vta.types.answers import PastTurn
from vta.types.concepts import Mention
from vta.types.courses import Course, Thresholds
from vta.types.pairs import Candidate, QAPair, Ranking
from vta.types.questions import PLAIN, AnswerStyle, IntentPrediction, Mode, Position, Scope, Suspicion

LONGEST_QUESTION = 4000
"""Characters."""

_NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderstoodQuestion:
    """A question after the guard, the intent model and the linker, before the search.

    Three texts of it: `question` in the student's words; `resolved`, with its spelling corrected and an
    operation on the last answer ("why?") asked of its question; `standalone`, the query of the search, with
    the subject of the dialogue before `resolved` where that depends on it. `style` is the form of answer that
    an operation asks for, `scope` the part of the student's place that the question is about, None for none.
    `suspicion` is the verdict of the guard, None without a guard. `danger` is the logit of distress, and
    `in_distress` is set where that is certain: then the reply is all about help, whatever else is asked.
    `told` are the facts of the course, where a language model may answer from them.
    """

    question: str
    mode: Mode
    course: Course
    history: tuple[PastTurn, ...]
    language: Language
    resolved: str
    standalone: str
    mentions: tuple[Mention, ...]
    intent: IntentPrediction
    knowledge: Knowledge
    thresholds: Thresholds
    suspicion: Suspicion | None
    in_distress: bool = False
    told: Candidate | None = None
    position: Position | None = None
    scope: Scope | None = None
    is_operation: bool = False
    danger: float = -math.inf
    style: AnswerStyle = PLAIN

    @property
    def goes_on(self) -> bool:
        """Whether the question depends on the subject of the dialogue before it."""
        return self.standalone != self.resolved

    def rank(
        self,
        text: str,
        *,
        top: int,
        mentions: Sequence[Mention] | None = None,
        found: Sequence[QAPair] = (),
    ) -> Ranking:
        """The ranking of a text that names the question's concepts, or other `mentions`."""
        return self.knowledge.ranker.rank(
            text,
            course=self.course,
            mentions=self.mentions if mentions is None else mentions,
            chit_chat=self.intent.chit_chat,
            top=top,
            found=found,
        )

    @property
    def flagged(self) -> bool:
        """Whether no language model may see this question, now or as history."""
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


def correct_spelling(text: str, linker: ConceptLinker, course: Course) -> tuple[str, tuple[Mention, ...]]:
    """The text with its misspelt concepts corrected, normalised where there are any, and its mentions."""
    mentions = linker.link(text, course=course)
    misspelt = [each for each in mentions if each.is_misspelt]
    if not misspelt:
        return text, mentions
    plain = normalise(text)
    for each in reversed(misspelt):
        plain = plain[: each.start] + each.concept.name + plain[each.end :]
    return plain, linker.link(plain, course=course)
