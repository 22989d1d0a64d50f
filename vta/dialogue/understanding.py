"""Understanding a question: the guard, its stand-alone form, its intent h and its concepts NER(q)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from intent.distress import DistressModel, is_certain
from vta.course_life import spell_out
from vta.dialogue.follow_up import read_follow_up, stands_alone
from vta.dialogue.history import head_of, is_flagged, past_turn
from vta.dialogue.question import UnderstoodQuestion, correct_spelling
from vta.dialogue.routing import thresholds_for
from vta.dialogue.tracing import Tracer
from vta.ports import Guard, IntentClassifier, Knowledge
from vta.text import Analyser, detect_language
from vta.types.answers import Answer, PastTurn, Route, Turn
from vta.types.courses import Course, Thresholds
from vta.types.questions import Exchange, Question

MOST_EXCHANGES = 10
"""The last exchanges of a caller's dialogue that are used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Understanding:
    """Reads a question in the light of the dialogue before it.

    `thresholds` hold for courses that learned none; a text that `guard` flags is shown to no language model.
    """

    intents: IntentClassifier
    distress: DistressModel
    thresholds: Thresholds
    guard: Guard | None
    analyser: Analyser

    def understand(
        self,
        question: Question,
        *,
        course: Course,
        turns: Sequence[Turn],
        knowledge: Knowledge,
        trace: Tracer,
    ) -> UnderstoodQuestion:
        """The question after the stored `turns`, or after the dialogue that the caller sends."""
        history = self._history(question, course, turns, knowledge)
        return self._read(question, course, knowledge, trace, history=history)

    def recall(self, turn: Turn, *, course: Course, knowledge: Knowledge) -> UnderstoodQuestion:
        """A stored question, with the intent and the stand-alone form that are stored with its answer."""
        question = Question(course_id=course.id, text=turn.question)
        return self._read(question, course, knowledge, Tracer(), stored=turn.answer)

    def _history(
        self, question: Question, course: Course, turns: Sequence[Turn], knowledge: Knowledge
    ) -> tuple[PastTurn, ...]:
        if turns or not question.earlier:
            return tuple(map(past_turn, turns))
        return past_exchanges(
            question.earlier, course=course, knowledge=knowledge, analyser=self.analyser, guard=self.guard
        )

    def _read(
        self,
        question: Question,
        course: Course,
        knowledge: Knowledge,
        trace: Tracer,
        *,
        history: tuple[PastTurn, ...] = (),
        stored: Answer | None = None,
    ) -> UnderstoodQuestion:
        """From d = [CLS] x_{t-1}, c [SEP] q_t to h and to NER(q) of the stand-alone question."""
        thresholds = thresholds_for(course, self.thresholds)
        language = detect_language(question.text, course.language)
        spelt, mentions = correct_spelling(spell_out(question.text, language), knowledge.linker, course)
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
        with trace.stage("follow_up") as decide:
            read = read_follow_up(spelt, history=history, mentions=mentions, analyser=self.analyser)
            resolved = stored.standalone_question if stored else read.resolved
            standalone = resolved if stored else read.standalone
            decide("stands alone" if standalone == resolved else "goes on")
        with trace.stage("concepts") as decide:
            if standalone != spelt:
                mentions = knowledge.linker.link(standalone, course=course)
            decide(", ".join(m.concept.name for m in mentions) or "none")
        return UnderstoodQuestion(
            question=question.text,
            mode=question.mode,
            course=course,
            history=history,
            language=language,
            resolved=resolved,
            standalone=standalone,
            mentions=mentions,
            intent=intent,
            knowledge=knowledge,
            thresholds=thresholds,
            suspicion=self.guard.inspect(question.text) if self.guard else None,
            in_distress=is_certain(question.text, danger),
            danger=danger,
            position=question.position,
            scope=read.scope,
            is_operation=read.is_operation,
            style=read.style,
        )


def past_exchanges(
    exchanges: Sequence[Exchange],
    *,
    course: Course,
    knowledge: Knowledge,
    analyser: Analyser,
    guard: Guard | None,
) -> tuple[PastTurn, ...]:
    """The last exchanges of a dialogue that the caller sends; the guard reads the answers, too."""
    history: list[PastTurn] = []
    for exchange in exchanges[-MOST_EXCHANGES:]:
        question = standalone = exchange.question
        mentions = knowledge.linker.link(question, course=course)
        if history and not stands_alone(question, mentions, analyser, history[-1].standalone_question):
            standalone = f"{head_of(history[-1])} {question}"
            mentions = knowledge.linker.link(standalone, course=course)
        history.append(
            PastTurn(
                question=question,
                standalone_question=standalone,
                answer=exchange.answer,
                route=Route.CHAIN_OF_TEACH,
                concepts=tuple(mention.concept.name for mention in mentions),
                flagged=is_flagged(guard, question, exchange.answer),
            )
        )
    return tuple(history)
