"""The path of one question, as in figure 2 of the LittleMu paper.

understand:  guard, follow-up, intent h, concepts NER(q)
retrieve:    practice, facts or a place of the course, else the concept-aware BM25 ranking S(z, q)
decide:      h > alpha: small talk | S > beta: direct answer | else Chain of Teach, or unanswered
write:       the best pair, a language model, or the offline teacher
cite:        citations bound to the candidates
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import aclosing
from copy import copy
from dataclasses import dataclass, replace
from functools import partial

from vta.dialogue.awaiting import AnyAwait, AwaitStream, Path, follow
from vta.dialogue.concepts import concept_cards
from vta.dialogue.course_facts import FactFinder, FoundFacts
from vta.dialogue.course_places import CoursePlaces
from vta.dialogue.deciding import Decider
from vta.dialogue.degradations import UNCITED, gravest
from vta.dialogue.grounding import bind_citations
from vta.dialogue.history import MARK
from vta.dialogue.model_writing import ModelWriter
from vta.dialogue.offers import offers_under
from vta.dialogue.plan import Plan, PracticeHelp, SmallTalk
from vta.dialogue.practice import Practice
from vta.dialogue.question import UnderstoodQuestion, check_question
from vta.dialogue.ranking_cache import RankingCache
from vta.dialogue.reading_list import Librarian
from vta.dialogue.retrieval import Retriever
from vta.dialogue.shared_answers import SharedAnswers
from vta.dialogue.small_talk import CaringChitChat
from vta.dialogue.teaching.builder import ChainOfTeach
from vta.dialogue.teaching.offline import ComposingTeacher
from vta.dialogue.tracing import StageSpan, Tracer, unseen
from vta.dialogue.understanding import Understanding
from vta.dialogue.writing import OfflineWriter, Written
from vta.ports import (
    CourseDocuments,
    CourseStore,
    ExactMatches,
    GuardAudit,
    Knowledge,
    KnowledgeBase,
    LanguageModel,
    Reranker,
    SessionStore,
    WebSearch,
)
from vta.types.answers import (
    Answer,
    CitationsFound,
    ConceptsFound,
    Delta,
    DialogueEvent,
    Route,
    Started,
    Turn,
)
from vta.types.courses import Course, CourseId, SessionId, TurnId
from vta.types.pairs import Candidate
from vta.types.questions import Question

_TURNS_READ = 20
"""Turns of a dialogue that a question is read with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A language model with the prompt that it is given."""

    client: LanguageModel
    prompts: ChainOfTeach


class Assistant:
    """Answers students' questions. Holds no session, so one serves all."""

    def __init__(
        self,
        *,
        courses: CourseStore,
        sessions: SessionStore,
        knowledge: KnowledgeBase,
        documents: CourseDocuments,
        exact_matches: ExactMatches,
        understanding: Understanding,
        teacher: ComposingTeacher,
        chit_chat: CaringChitChat,
        model: Model | None = None,
        web: WebSearch | None = None,
        reranker: Reranker | None = None,
        audit: GuardAudit | None = None,
        facts: FactFinder | None = None,
        around_stage: StageSpan = unseen,
    ) -> None:
        """`audit` records which turns the guard flagged, `facts` answer first; None for neither."""
        self._courses = courses
        self._sessions = sessions
        self._knowledge = knowledge
        self._audit = audit
        self._facts = facts
        self._shared = SharedAnswers() if model is None and web is None else None
        self._around_stage = around_stage
        self._chit_chat = chit_chat
        self.understanding = understanding
        can_reason = model is not None
        self._places = CoursePlaces(outline=documents, analyser=understanding.analyser)
        self._retriever = Retriever(
            places=self._places,
            practice=Practice(understanding.analyser),
            exact_matches=exact_matches,
            web=web,
            can_reason=can_reason,
            reranker=reranker,
        )
        self._decider = Decider(places=self._places, can_reason=can_reason)
        self._writer = OfflineWriter(teacher=teacher, chit_chat=chit_chat, has_model=can_reason)
        self._model_writer = (
            ModelWriter(
                model.client,
                offline=self._writer,
                librarian=Librarian(documents),
                prompts=model.prompts,
                chit_chat=chit_chat,
                guard=understanding.guard,
            )
            if model
            else None
        )

    def beside(self, *, knowledge: KnowledgeBase, sessions: SessionStore) -> Assistant:
        """An assistant with other knowledge and another store of turns, without an audit."""
        other = copy(self)
        other._knowledge, other._sessions, other._audit = knowledge, sessions, None
        other._shared = self._shared and SharedAnswers()
        return other

    async def answer(self, question: Question, course: Course | None = None) -> Answer:
        """The whole answer; the same path as `stream`."""
        async with aclosing(self.stream(question, course)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    return event
        raise AssertionError("a stream ends with its answer")

    def stream(self, question: Question, course: Course | None = None) -> AsyncGenerator[DialogueEvent, None]:
        """The answer as it comes: `Started`, stages, sources, pieces, citations, concepts, the `Answer`.

        `course` is the question's, where the caller has read it.

        Raises `InvalidInput` for an empty or overlong question and `NotFound` for an unknown course or
        session, both before the first event.
        """
        return follow(self.path(question, course))

    def path(self, question: Question, course: Course | None = None) -> Path[DialogueEvent]:
        """The same events, for `follow`. All of it is plain code but for each `Await`."""
        check_question(question.text)
        course = self._courses.course(question.course_id) if course is None else course
        turns: Sequence[Turn] = ()
        if question.session_id:
            turns = self._sessions.turns(
                course.id, question.session_id, last=_TURNS_READ, learner_id=question.learner_id
            )
        session_id = question.session_id or SessionId(uuid.uuid4().hex)
        yield (started := Started(turn_id=TurnId(uuid.uuid4().hex), session_id=session_id))

        knowledge = self._knowledge.current(course)
        facts = self._facts.find(course.id, question.text) if self._facts else None
        shared = self._shared if not turns and facts is None else None
        answer = shared.find(knowledge, course, question, started) if shared else None
        if answer is not None:
            yield from answer.trace
            yield Delta(text=answer.text)
            self._sessions.record(question, answer)
        else:
            context, answer = yield from self._work_out(question, started, course, turns, knowledge, facts)
            self._record(question, context, answer)
            if shared and not context.flagged:
                shared.keep(knowledge, course, question, answer)
        yield CitationsFound(citations=answer.citations)
        yield ConceptsFound(concepts=answer.concepts)
        yield answer

    def _work_out(
        self,
        question: Question,
        started: Started,
        course: Course,
        turns: Sequence[Turn],
        knowledge: Knowledge,
        facts: FoundFacts | None,
    ) -> Generator[DialogueEvent | AnyAwait, None, tuple[UnderstoodQuestion, Answer]]:
        """The path of figure 2, from the question to its answer."""
        trace = Tracer(self._around_stage)
        once = replace(knowledge, ranker=RankingCache(knowledge.ranker))
        context = self.understanding.understand(
            question, course=course, turns=turns, knowledge=once, trace=trace
        )
        if self._facts and (context.goes_on or context.is_operation) and not (facts and facts.is_answer):
            facts = self._facts.find(course.id, context.standalone)
        found = yield from self._retriever.retrieve(context, facts, trace)
        plan = self._decider.decide(context, found, trace)
        yield from trace.steps
        written = yield from self._write(context, plan, facts, trace)
        yield trace.steps[-1]
        exercise = _open_exercise(plan, written)
        for line in self._lines_below(context, plan, written):
            yield Delta(text=f"\n\n{line}")
            written = replace(written, text=f"{written.text}\n\n{line}")
        return context, replace(self._cite(started, context, plan, written, trace), exercise=exercise)

    def _write(
        self, context: UnderstoodQuestion, plan: Plan, facts: FoundFacts | None, trace: Tracer
    ) -> Generator[Delta | AnyAwait, None, Written]:
        """The text: by a language model that reads the `facts`, where one may write it, else in one piece."""
        if self._model_writer is not None and self._model_writer.writes(context, plan):
            if facts is not None and not facts.is_answer:
                told = facts.candidate(context.course.id, context.language, context.thresholds.floor)
                context = replace(context, told=told)
            yield (writing := AwaitStream(partial(_stream, self._model_writer, context, plan, trace)))
            return writing.reply
        with trace.stage("answer") as tell:
            written = self._writer.write(context, plan)
            tell(_describe(plan, written))
        yield Delta(text=written.text)
        return written

    def _lines_below(self, context: UnderstoodQuestion, plan: Plan, written: Written) -> list[str]:
        """Lines below a text: a coming release, and help for a student in danger.

        Small talk of a student in danger is all about help, and gets no such line.
        """
        shown = [each.pair for each in written.candidates or plan.candidates]
        may_come = written.route in (Route.UNANSWERED, Route.CHAIN_OF_TEACH)
        coming = self._places.coming(context, shown) if may_come else None
        may_hide_cry = context.danger > 0 and not isinstance(plan, SmallTalk)
        lines = (
            coming,
            self._chit_chat.gentle_line(context.language) if may_hide_cry else None,
        )
        return [line for line in lines if line is not None]

    def _cite(
        self, started: Started, context: UnderstoodQuestion, plan: Plan, written: Written, trace: Tracer
    ) -> Answer:
        """The answer as it is stored and shown, its citations bound to the candidates."""
        with trace.stage("grounding") as tell:
            candidates = written.candidates or plan.candidates
            lenders = self._lenders(candidates, context.course)
            text, citations = bind_citations(
                written.text, candidates, lenders, written.quotes, written.further
            )
            cards, no_places = concept_cards(plan.steps, context.knowledge.ranker, context.course)
            degraded = gravest(written.degraded, plan.degraded, no_places)
            if written.route is Route.CHAIN_OF_TEACH and not citations and degraded is None:
                degraded = UNCITED
            tell(f"{len(citations)} citations")
        is_talk = written.route is Route.CHIT_CHAT
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
            standalone_question=context.resolved if is_talk else context.standalone,
            degraded=degraded,
            actions=("ask_ta", "feedback"),
            trace=trace.steps,
            offers=offers_under(context, plan, written, text, citations),
        )

    def _lenders(self, candidates: Sequence[Candidate], course: Course) -> Mapping[CourseId, str]:
        """The names of the other courses whose concepts the answer may cite."""
        others = {candidate.pair.course_id for candidate in candidates} - {course.id}
        return {each.id: each.name for each in self._courses.courses() if each.id in others} if others else {}

    def _record(self, question: Question, context: UnderstoodQuestion, answer: Answer) -> None:
        self._sessions.record(question, answer, flagged=context.flagged)
        if self._audit is not None and context.suspicion is not None and context.flagged:
            self._audit.flagged(answer.turn_id, context.suspicion)


async def _stream(
    writer: ModelWriter, context: UnderstoodQuestion, plan: Plan, trace: Tracer
) -> AsyncGenerator[DialogueEvent | Written, None]:
    """The text of a language model, as one stage."""
    with trace.stage("answer") as tell:
        async with aclosing(writer.stream(context, plan)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Written):
                    tell(_describe(plan, piece))
                yield piece


def _open_exercise(plan: Plan, written: Written) -> str | None:
    """The exercise that the next turns work on: that of the plan, or the one that a model wrote whole."""
    if not isinstance(plan, PracticeHelp) or plan.exercise is not None:
        return plan.exercise
    is_whole = written.by_model and written.degraded is None and written.route is plan.route
    return MARK.sub("", written.text) if is_whole else None


def _describe(plan: Plan, written: Written) -> str:
    """The route, and what the answer lacks, as the trace shows it."""
    return f"{plan.route}: {written.degraded.reason}" if written.degraded else plan.route
