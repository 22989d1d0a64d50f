"""Understanding a question: the guard, its stand-alone form, its intent h and its concepts NER(q)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vta.dialogue.degradations import SEARCH_FAILURES
from vta.dialogue.going_on import goes_on, told_before
from vta.dialogue.history import inspect_exchanges, inspect_questions, past_exchanges, past_turn
from vta.dialogue.question import QuestionContext
from vta.dialogue.routing import SURE_TALK, is_small_talk, thresholds_for
from vta.dialogue.second_opinion import SecondOpinion
from vta.dialogue.spelling import correct
from vta.dialogue.standing_alone import StandaloneQuestions
from vta.dialogue.tracing import Tracer
from vta.kinds import Kind, kinds_of
from vta.ports import ChitChat, Guard, IntentClassifier, Knowledge
from vta.text import detect_language
from vta.threads import in_thread
from vta.types import (
    Course,
    FollowUp,
    IntentPrediction,
    PastTurn,
    Question,
    Suspicion,
    Thresholds,
    Turn,
    Wish,
)


class QuestionReader:
    """Reads a question in the light of the dialogue before it."""

    def __init__(
        self,
        *,
        intents: IntentClassifier,
        standalone: StandaloneQuestions,
        chit_chat: ChitChat,
        thresholds: Thresholds,
        guard: Guard | None,
        second_opinion: SecondOpinion | None = None,
    ) -> None:
        """`thresholds` hold for courses that learned none; what `guard` flags is kept from the model.

        `second_opinion` is asked where the guard is unsure.
        """
        self._intents = intents
        self._standalone = standalone
        self._chit_chat = chit_chat
        self._thresholds = thresholds
        self._guard = guard
        self._second_opinion = second_opinion

    async def understand(
        self,
        question: Question,
        *,
        course: Course,
        turns: Sequence[Turn],
        knowledge: Knowledge,
        trace: Tracer,
    ) -> QuestionContext:
        """What the question means after the stored `turns`, or after the dialogue that the caller keeps."""
        history, suspicion = await in_thread(self._recall, question, course, turns, knowledge)
        if suspicion is not None and self._second_opinion is not None:
            suspicion = await self._second_opinion.reconsider(
                suspicion, question.text, course=course, trace=trace
            )
        read = await self._standalone.rewrite(
            question.text,
            course=course,
            history=history,
            knowledge=knowledge,
            trace=trace,
            by_rules_only=suspicion is not None and suspicion.flag,
        )
        return await in_thread(self._read, question, read, course, history, knowledge, suspicion, trace)

    def _recall(
        self, question: Question, course: Course, turns: Sequence[Turn], knowledge: Knowledge
    ) -> tuple[tuple[PastTurn, ...], Suspicion | None]:
        """The dialogue so far, and the guard's verdict on the question."""
        history = self._history(question, course, turns, knowledge)
        return history, self._guard.inspect(question.text) if self._guard else None

    def _history(
        self, question: Question, course: Course, turns: Sequence[Turn], knowledge: Knowledge
    ) -> tuple[PastTurn, ...]:
        if turns or not question.earlier:
            history = tuple(map(past_turn, turns))
            return history if self._guard is None else inspect_questions(history, self._guard)
        history = past_exchanges(
            question.earlier, course=course, knowledge=knowledge, stand_alone=self._standalone.by_rules
        )
        return history if self._guard is None else inspect_exchanges(history, self._guard)

    def _read(
        self,
        question: Question,
        read: FollowUp,
        course: Course,
        history: tuple[PastTurn, ...],
        knowledge: Knowledge,
        suspicion: Suspicion | None,
        trace: Tracer,
    ) -> QuestionContext:
        """d = [CLS] x_{t-1}, c [SEP] q_t -> h, and NER(q) of the stand-alone question."""
        thresholds = thresholds_for(course, self._thresholds)
        with trace.stage("intent") as decide:
            previous = history[-1].question if history else ""
            intent = self._intents.predict(question.text, previous=previous, course=course.name)
            task = f", other task {intent.other_task:.3f}" if intent.other_task else ""
            decide(f"{intent.label}, h = {intent.chit_chat:.3f}, alpha = {thresholds.alpha:g}{task}")
        in_distress = self._chit_chat.in_distress(question.text)
        may_go_on = read.carried is not None and not in_distress and intent.chit_chat <= SURE_TALK
        with trace.stage("concepts") as decide:
            asked = read.question
            if may_go_on and read.carried is not None:
                asked = _go_on(question.text, read.carried, course, intent, knowledge)
            standalone, mentions = asked, knowledge.linker.link(asked, course=course)
            if (corrected := correct(asked, mentions)) != asked:
                standalone, mentions = corrected, knowledge.linker.link(corrected, course=course)
            decide(", ".join(m.concept.name for m in mentions) or "none")
        asks_on = may_go_on and bool(kinds_of(question.text) - {Kind.DEFINITION})
        small_talk = (in_distress or (read.scope is None and not asks_on)) and is_small_talk(
            question.text,
            standalone=asked,
            intent=intent,
            mentions=mentions,
            thresholds=thresholds,
            in_distress=in_distress,
        )
        return QuestionContext(
            question=question.text,
            mode=question.mode,
            course=course,
            history=history,
            language=detect_language(question.text, course.language),
            standalone=standalone,
            mentions=mentions,
            intent=intent,
            knowledge=knowledge,
            thresholds=thresholds,
            suspicion=suspicion,
            in_distress=in_distress,
            is_small_talk=small_talk,
            position=question.position,
            scope=read.scope,
            is_operation=read.wish is not None and not read.names,
            may_go_on=read.carried is not None,
            wish=Wish() if read.wish is None else replace(read.wish, told=told_before(history)),
        )


def _go_on(
    question: str, carried: str, course: Course, intent: IntentPrediction, knowledge: Knowledge
) -> str:
    """The question with the last subject before it, where it is about that; as it is where search fails."""
    mentions = knowledge.linker.link(carried, course=course)
    try:
        is_carried = goes_on(
            question,
            carried,
            course=course,
            mentions=mentions,
            chit_chat=intent.chit_chat,
            ranker=knowledge.ranker,
        )
    except SEARCH_FAILURES:
        return question
    return carried if is_carried else question
