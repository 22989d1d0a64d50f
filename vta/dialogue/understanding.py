"""Understanding a question: the guard, its stand-alone form, its intent h and its concepts NER(q)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from intent.distress import DistressModel
from knowledge.vectors.token_table import shipped_encoder
from vta.dialogue.continuation import already_said, likely_to_go_on, read_signs
from vta.dialogue.degradations import SEARCH_FAILURES
from vta.dialogue.follow_up import read_follow_up
from vta.dialogue.history import inspect, past_exchanges, past_turn
from vta.dialogue.question import UnderstoodQuestion, put_right
from vta.dialogue.routing import SURE_TALK, is_small_talk, thresholds_for
from vta.dialogue.small_talk import CaringChitChat
from vta.dialogue.tracing import Tracer
from vta.kinds import kinds_of
from vta.ports import Guard, IntentClassifier, Knowledge
from vta.text import Analyser, detect_language, normalise
from vta.types.answers import PastTurn, Turn
from vta.types.concepts import Mention
from vta.types.courses import Course, Thresholds
from vta.types.questions import Question, Suspicion, Wish

_GOES_ON = 0.5
_LEAST_HELD = 0.3
"""The share of its own content words, as it was for follow-ups before."""
_THIS_COURSE = re.compile(r"这门?课|本课程|\bthis (?:class|course)\b")


@cache
def shipped_distress() -> DistressModel:
    """The shipped signal of distress, with the encoder that it was fitted with, whatever the search uses."""
    return DistressModel.load(shipped_encoder())


class QuestionReader:
    """Reads a question in the light of the dialogue before it."""

    def __init__(
        self,
        *,
        intents: IntentClassifier,
        chit_chat: CaringChitChat,
        thresholds: Thresholds,
        guard: Guard | None,
        analyser: Analyser,
    ) -> None:
        """`thresholds` hold for courses that learned none; what `guard` flags is kept from the model."""
        self._intents = intents
        self._chit_chat = chit_chat
        self._distress = shipped_distress()
        self._thresholds = thresholds
        self._guard = guard
        self._analyser = analyser

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
        suspicion = self._guard.inspect(question.text) if self._guard else None
        return self._read(question, course, history, knowledge, suspicion, trace)

    def _history(
        self, question: Question, course: Course, turns: Sequence[Turn], knowledge: Knowledge
    ) -> tuple[PastTurn, ...]:
        def goes_on(asked: str, carried: str) -> bool:
            return self._likely_to_go_on(asked, carried, course, knowledge) > _GOES_ON

        is_stored = bool(turns) or not question.earlier
        history = (
            tuple(map(past_turn, turns))
            if is_stored
            else past_exchanges(question.earlier, course=course, knowledge=knowledge, goes_on=goes_on)
        )
        return history if self._guard is None else inspect(history, self._guard, answers=not is_stored)

    def _read(
        self,
        question: Question,
        course: Course,
        history: tuple[PastTurn, ...],
        knowledge: Knowledge,
        suspicion: Suspicion | None,
        trace: Tracer,
    ) -> UnderstoodQuestion:
        """d = [CLS] x_{t-1}, c [SEP] q_t -> h, and NER(q) of the stand-alone question."""
        thresholds = thresholds_for(course, self._thresholds)
        named = knowledge.linker.link(question.text, course=course)
        spelt = put_right(question.text, named)
        if spelt != question.text:
            named = knowledge.linker.link(spelt, course=course)
        read = read_follow_up(spelt, history=history, mentions=named)
        with trace.stage("intent") as decide:
            previous = history[-1].question if history else ""
            intent = self._intents.predict(question.text, previous=previous, course=course.name)
            task = f", other task {intent.other_task:.3f}" if intent.other_task else ""
            decide(f"{intent.label}, h = {intent.chit_chat:.3f}, alpha = {thresholds.alpha:g}{task}")
        in_distress = self._distress.in_distress(question.text)
        carried = None if in_distress or intent.chit_chat > SURE_TALK else read.carried
        if carried and intent.chit_chat > thresholds.alpha:
            carried = carried if self._asks_of(question.text, carried, course, knowledge) else None
        with trace.stage("follow_up") as decide:
            likely = self._likely_to_go_on(question.text, carried, course, knowledge) if carried else 0.0
            goes_on = likely > _GOES_ON
            decide(f"goes on with p = {likely:.3f}" if carried else "stands alone")
        with trace.stage("concepts") as decide:
            asked, standalone = read.question, carried if carried and goes_on else read.question
            mentions = named if standalone == spelt else knowledge.linker.link(standalone, course=course)
            decide(", ".join(m.concept.name for m in mentions) or "none")
        chats = intent.chit_chat > thresholds.alpha
        only_feels = not in_distress and self._feels(question.text, course, chats, mentions)
        asks_on = goes_on or read.scope is not None or read.question != spelt
        is_talk = not asks_on and is_small_talk(intent, mentions, thresholds)
        return UnderstoodQuestion(
            question=question.text,
            mode=question.mode,
            course=course,
            history=history,
            language=detect_language(question.text, course.language),
            asked=asked,
            standalone=standalone,
            mentions=mentions,
            intent=intent,
            knowledge=knowledge,
            thresholds=thresholds,
            suspicion=suspicion,
            in_distress=in_distress,
            is_small_talk=in_distress or only_feels or is_talk,
            only_feels=only_feels,
            position=question.position,
            scope=read.scope,
            is_operation=read.wish is not None and not read.names,
            goes_on=goes_on,
            wish=Wish() if read.wish is None else replace(read.wish, told=already_said(history)),
        )

    def _asks_of(self, question: str, carried: str, course: Course, knowledge: Knowledge) -> bool:
        """Whether what sounds like small talk has words of its own in what is found on the subject."""
        try:
            found = knowledge.ranker.rank(
                carried, course=course, mentions=(), chit_chat=0.0, top=1
            ).candidates
            held = knowledge.ranker.coverage(question, mentions=(), candidates=found)
        except SEARCH_FAILURES:
            return False
        return held >= _LEAST_HELD

    def _likely_to_go_on(self, question: str, carried: str, course: Course, knowledge: Knowledge) -> float:
        """How likely the question goes on with the subject before it; 0 where search fails."""
        try:
            signs = read_signs(
                question,
                carried,
                course=course,
                knowledge=knowledge,
                analyser=self._analyser,
            )
        except SEARCH_FAILURES:
            return 0.0
        return likely_to_go_on(signs)

    def _feels(self, question: str, course: Course, chats: bool, mentions: Sequence[Mention]) -> bool:
        """Whether a student asks nothing and is upset about nothing smaller than the course as a whole."""
        if kinds_of(question):
            return False
        plain = normalise(question)
        name, this = normalise(course.name), _THIS_COURSE.search(plain)
        named = all(normalise(each.surface) in f"{name} {this.group() if this else ''}" for each in mentions)
        whole = chats or name in plain or this is not None
        return named and whole and bool(self._chit_chat.comfort(plain, course.language))
