"""Understanding a question: the guard, its stand-alone form, its intent h and its concepts NER(q)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from intent.distress import DistressModel, is_certain
from knowledge.vectors.token_table import shipped_encoder
from vta.course_life import spell_out
from vta.dialogue.continuation import already_said
from vta.dialogue.follow_up import read_follow_up
from vta.dialogue.history import inspect, past_exchanges, past_turn
from vta.dialogue.question import UnderstoodQuestion, link_put_right
from vta.dialogue.routing import thresholds_for
from vta.dialogue.small_talk import CaringChitChat
from vta.dialogue.tracing import Tracer
from vta.kinds import kinds_of
from vta.ports import Guard, IntentClassifier, Knowledge
from vta.text import Analyser, detect_language, normalise
from vta.types.answers import Answer, PastTurn, Turn
from vta.types.concepts import Mention
from vta.types.courses import Course, Thresholds
from vta.types.questions import Question, Wish

_THIS_COURSE = re.compile(r"这门?课|本课程|\bthis (?:class|course)\b")


@cache
def shipped_distress() -> DistressModel:
    """The shipped signal of distress, with the encoder that it was fitted with, whatever the search uses."""
    return DistressModel.load(shipped_encoder())


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionReader:
    """Reads a question in the light of the dialogue before it.

    `thresholds` hold for courses that learned none; what `guard` flags is kept from the model.
    """

    intents: IntentClassifier
    chit_chat: CaringChitChat
    thresholds: Thresholds
    guard: Guard | None
    analyser: Analyser
    distress: DistressModel = field(default_factory=shipped_distress)

    def understand(
        self,
        question: Question,
        *,
        course: Course,
        turns: Sequence[Turn],
        knowledge: Knowledge,
        trace: Tracer,
    ) -> UnderstoodQuestion:
        """What the question means after the stored `turns`, or after the dialogue that the caller keeps."""
        history = self._history(question, course, turns, knowledge)
        return self._read(question, course, history, knowledge, trace)

    def recall(self, turn: Turn, *, course: Course, knowledge: Knowledge) -> UnderstoodQuestion:
        """A stored question, with the intent and the stand-alone form that are stored with its answer."""
        question = Question(course_id=course.id, text=turn.question)
        return self._read(question, course, (), knowledge, Tracer(), stored=turn.answer)

    def _history(
        self, question: Question, course: Course, turns: Sequence[Turn], knowledge: Knowledge
    ) -> tuple[PastTurn, ...]:
        is_stored = bool(turns) or not question.earlier
        history = (
            tuple(map(past_turn, turns))
            if is_stored
            else past_exchanges(question.earlier, course=course, knowledge=knowledge, analyser=self.analyser)
        )
        return history if self.guard is None else inspect(history, self.guard, answers=not is_stored)

    def _read(
        self,
        question: Question,
        course: Course,
        history: tuple[PastTurn, ...],
        knowledge: Knowledge,
        trace: Tracer,
        stored: Answer | None = None,
    ) -> UnderstoodQuestion:
        """d = [CLS] x_{t-1}, c [SEP] q_t -> h, and NER(q) of the stand-alone question."""
        thresholds = thresholds_for(course, self.thresholds)
        language = detect_language(question.text, course.language)
        plain = spell_out(question.text, language)
        spelt, named = link_put_right(plain, knowledge.linker, course)
        read = read_follow_up(spelt, history=history, mentions=named, analyser=self.analyser)
        with trace.stage("intent") as decide:
            previous = history[-1].question if history else ""
            intent = (
                stored.intent
                if stored
                else self.intents.predict(question.text, previous=previous, course=course.name)
            )
            task = f", other task {intent.other_task:.3f}" if intent.other_task else ""
            decide(f"{intent.label}, h = {intent.chit_chat:.3f}, alpha = {thresholds.alpha:g}{task}")
        danger = self.distress.danger(question.text)
        in_distress = is_certain(question.text, danger)
        with trace.stage("follow_up") as decide:
            asked = stored.standalone_question if stored else read.question
            standalone = read.carried or asked
            decide("goes on" if read.carried else "stands alone")
        with trace.stage("concepts") as decide:
            mentions = named if standalone == spelt else knowledge.linker.link(standalone, course=course)
            decide(", ".join(m.concept.name for m in mentions) or "none")
        chats = intent.chit_chat > thresholds.alpha
        only_feels = not in_distress and self._feels(question.text, course, chats, named)
        return UnderstoodQuestion(
            question=question.text,
            mode=question.mode,
            course=course,
            history=history,
            language=language,
            asked=asked,
            standalone=standalone,
            mentions=mentions,
            intent=intent,
            knowledge=knowledge,
            thresholds=thresholds,
            suspicion=self.guard.inspect(question.text) if self.guard else None,
            in_distress=in_distress,
            only_feels=only_feels,
            danger=danger,
            position=question.position,
            scope=read.scope,
            is_operation=read.wish is not None and not read.names,
            goes_on=read.carried is not None,
            wish=Wish() if read.wish is None else replace(read.wish, told=already_said(history)),
        )

    def _feels(self, question: str, course: Course, chats: bool, mentions: Sequence[Mention]) -> bool:
        """Whether a student asks nothing and is upset about nothing smaller than the course as a whole."""
        if kinds_of(question):
            return False
        plain = normalise(question)
        name, this = normalise(course.name), _THIS_COURSE.search(plain)
        named = all(normalise(each.surface) in f"{name} {this.group() if this else ''}" for each in mentions)
        whole = chats or name in plain or this is not None
        return named and whole and bool(self.chit_chat.comfort(plain, course.language))
