"""The path of one question, as in figure 2 of the LittleMu paper."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from functools import partial

from vta.dialogue.concepts import concept_cards
from vta.dialogue.course_places import CoursePlaces
from vta.dialogue.degradations import UNCITED, gravest
from vta.dialogue.grounding import bind_citations
from vta.dialogue.offers import offers_under
from vta.dialogue.plan import Plan
from vta.dialogue.question import QuestionContext, check_question
from vta.dialogue.quiz import Quiz
from vta.dialogue.retrieval import Retriever
from vta.dialogue.tracing import StageSpan, Tracer, unseen
from vta.dialogue.understanding import QuestionReader
from vta.dialogue.writing import AnswerWriter, Written
from vta.ports import CourseStore, GuardAudit, KnowledgeBase, SessionStore
from vta.threads import events_of_one_job, in_one_job, in_thread
from vta.types import (
    Answer,
    CitationsFound,
    ConceptsFound,
    Course,
    CourseId,
    DialogueEvent,
    Question,
    Route,
    SessionId,
    Started,
    Turn,
    TurnId,
)

_TURNS_READ = 20
"""How much of a dialogue a question is understood after, however long it is."""


class Assistant:
    """Answers students' questions. Holds no state of its own, so one serves all sessions."""

    def __init__(
        self,
        *,
        courses: CourseStore,
        sessions: SessionStore,
        knowledge: KnowledgeBase,
        reader: QuestionReader,
        places: CoursePlaces,
        quiz: Quiz,
        retriever: Retriever,
        writer: AnswerWriter,
        audit: GuardAudit | None,
        around_stage: StageSpan = unseen,
    ) -> None:
        """`audit` keeps which turns the guard flagged; None where nothing is kept."""
        self._courses = courses
        self._sessions = sessions
        self._knowledge = knowledge
        self._reader = reader
        self._places = places
        self._quiz = quiz
        self._retriever = retriever
        self._writer = writer
        self._audit = audit
        self._around_stage = around_stage

    async def answer(self, question: Question, course: Course | None = None) -> Answer:
        """The whole answer; the same path as `stream`."""
        async with aclosing(self.stream(question, course)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    return event
        raise AssertionError("a stream ends with its answer")

    async def stream(
        self, question: Question, course: Course | None = None
    ) -> AsyncGenerator[DialogueEvent, None]:
        """The answer as it comes: `Started`, stages, sources, pieces, citations, concepts, the `Answer`.

        `course` is the question's, where the caller has read it.

        Raises `InvalidInput` for an empty or overlong question and `NotFound` for an unknown course or
        session, both before the first event. Stores, index and guard are asked in threads alone, up to the
        plan in one job of a thread, and from there in another where no model writes the answer.
        """
        check_question(question.text)
        if course is None:
            course = await in_thread(self._courses.course, question.course_id)
        turns = await in_thread(self._recall, question, question.session_id) if question.session_id else ()
        started = _start(question)
        yield started

        context, plan, trace = await in_one_job(self._prepare, question, course, turns)
        for step in trace.steps:
            yield step
        finish = partial(self._finish, question, started, context, plan, trace)
        asks_model = self._writer.asks_model(context, plan)
        async with aclosing(finish() if asks_model else events_of_one_job(finish)) as events:
            async for event in events:
                yield event

    async def _prepare(
        self, question: Question, course: Course, turns: tuple[Turn, ...]
    ) -> tuple[QuestionContext, Plan, Tracer]:
        """What the question means, and what its answer is made from."""
        trace = Tracer(self._around_stage)
        context = await self._understand(question, course, turns, trace)
        return context, await self._plan(context, trace), trace

    async def _finish(
        self, question: Question, started: Started, context: QuestionContext, plan: Plan, trace: Tracer
    ) -> AsyncGenerator[DialogueEvent, None]:
        """The answer as it is written, then what it cites, and the whole, which is recorded."""
        async with aclosing(self._write(context, plan, trace)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Written):
                    written = piece
                else:
                    yield piece
        answer = await in_thread(self._ground, started, context, plan, written, trace)
        await in_thread(self._record, question, context, answer)
        yield CitationsFound(citations=answer.citations)
        yield ConceptsFound(concepts=answer.concepts)
        yield answer

    def _recall(self, question: Question, session_id: SessionId) -> tuple[Turn, ...]:
        """The last turns of the session that the question goes on with."""
        return self._sessions.turns(
            question.course_id, session_id, last=_TURNS_READ, learner_id=question.learner_id
        )

    async def _understand(
        self, question: Question, course: Course, turns: tuple[Turn, ...], trace: Tracer
    ) -> QuestionContext:
        knowledge = await in_thread(self._knowledge.current)
        return await self._reader.understand(
            question, course=course, turns=turns, knowledge=knowledge, trace=trace
        )

    async def _plan(self, context: QuestionContext, trace: Tracer) -> Plan:
        """What the answer is made from: for a quiz, small talk, a question about places, else by S(z, q)."""
        if (quiz := await in_thread(self._quiz.plan, context, trace)) is not None:
            return quiz
        if context.is_small_talk:
            return await in_thread(self._retriever.recall, context, trace)
        if (places := await in_thread(self._places.plan, context, trace)) is not None:
            return places
        if not context.is_operation:
            return await self._retriever.retrieve(context, trace)
        around = await in_thread(self._places.around, context)
        plan = await self._retriever.retrieve(context, trace, around)
        return await in_thread(self._places.say_when_told, context, plan)

    async def _write(
        self, context: QuestionContext, plan: Plan, trace: Tracer
    ) -> AsyncGenerator[DialogueEvent | Written, None]:
        """The pieces of the text and the whole, then what the trace says of it."""
        with trace.stage("answer") as tell:
            async with aclosing(self._writer.write(context, plan)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Written):
                        lacking = f": {piece.degraded.reason}" if piece.degraded else ""
                        tell(f"{plan.route}{lacking}")
                    yield piece
        yield trace.steps[-1]

    def _ground(
        self, started: Started, context: QuestionContext, plan: Plan, written: Written, trace: Tracer
    ) -> Answer:
        """Citations bound to what was retrieved, and the checked answer as it is stored and shown."""
        with trace.stage("grounding") as tell:
            text, citations = bind_citations(
                written.text, plan.candidates, self._lenders(plan, context.course), written.quotes
            )
            cards, no_places = concept_cards(plan.steps, context.knowledge.ranker, context.course)
            degraded = gravest(written.degraded, plan.degraded, no_places)
            is_cited = bool(citations) or (written.checked is not None and written.checked.supported > 0)
            if written.route is Route.CHAIN_OF_TEACH and not is_cited and degraded is None:
                degraded = UNCITED
            tell(f"{len(citations)} citations{_describe_support(written)}")
        return Answer(
            turn_id=started.turn_id,
            session_id=started.session_id,
            course_id=context.course.id,
            route=written.route,
            text=text,
            citations=citations,
            concepts=cards,
            intent=context.intent,
            ranking=plan.ranking,
            standalone_question=context.standalone,
            degraded=degraded,
            actions=("ask_ta", "feedback"),
            trace=trace.steps,
            offers=offers_under(
                context,
                plan,
                route=written.route,
                text=text,
                citations=citations,
                by_model=written.checked is not None,
            ),
        )

    def _lenders(self, plan: Plan, course: Course) -> Mapping[CourseId, str]:
        """The names of the other courses whose concepts the answer may cite."""
        others = {candidate.pair.course_id for candidate in plan.candidates} - {course.id}
        return {each.id: each.name for each in self._courses.courses() if each.id in others} if others else {}

    def _record(self, question: Question, context: QuestionContext, answer: Answer) -> None:
        self._sessions.record(question, answer, flagged=context.flagged)
        if self._audit is not None and context.suspicion is not None and context.flagged:
            self._audit.flagged(answer.turn_id, context.suspicion)


def _start(question: Question) -> Started:
    session_id = question.session_id or SessionId(uuid.uuid4().hex)
    return Started(turn_id=TurnId(uuid.uuid4().hex), session_id=session_id)


def _describe_support(written: Written) -> str:
    """How a model's claims came through the check, as the trace shows it."""
    if written.checked is None:
        return ""
    return f", {written.checked.unsupported} of {written.checked.claims} claims without support"
