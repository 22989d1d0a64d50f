"""The path of one question, as in figure 2 of the LittleMu paper."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from vta.dialogue.concepts import concept_cards, teach_steps
from vta.dialogue.grounding import bind_citations, further_reading
from vta.dialogue.routing import beta_for, choose_route, is_chit_chat, supported
from vta.dialogue.tracing import Tracer
from vta.errors import InvalidInput, UpstreamFailed
from vta.ports import (
    ChitChat,
    CourseStore,
    FollowUpRewriter,
    IntentClassifier,
    Knowledge,
    KnowledgeBase,
    LanguageModel,
    OfflineTeacher,
    Phrases,
    PromptBuilder,
    SessionStore,
)
from vta.text import detect_language
from vta.types import (
    Answer,
    Candidate,
    ChatMessage,
    Course,
    Degradation,
    Delta,
    DialogueEvent,
    IntentPrediction,
    Language,
    Mention,
    Mode,
    Question,
    RankingSummary,
    Route,
    SessionId,
    Source,
    Started,
    TeachStep,
    Thresholds,
    Turn,
    TurnId,
)

LONGEST_QUESTION = 4000
"""Characters."""

_NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")
_TURNS_REMEMBERED = 3
_RECALLED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Understanding:
    """What a question was understood as, before anything is looked up."""

    course: Course
    history: tuple[Turn, ...]
    language: Language
    standalone: str
    mentions: tuple[Mention, ...]
    intent: IntentPrediction
    knowledge: Knowledge


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a question will be answered, and from what."""

    route: Route
    candidates: tuple[Candidate, ...] = ()
    steps: tuple[TeachStep, ...] = ()
    ranking: RankingSummary | None = None


@dataclass(slots=True)
class Draft:
    """An answer while it is written: `text` replaces all deltas once it is set."""

    text: str = ""
    degraded: Degradation | None = None


class Assistant:
    """Answers students' questions. Holds no state of its own, so one serves all sessions."""

    def __init__(
        self,
        *,
        courses: CourseStore,
        sessions: SessionStore,
        knowledge: KnowledgeBase,
        intents: IntentClassifier,
        follow_ups: FollowUpRewriter,
        prompts: PromptBuilder,
        offline: OfflineTeacher,
        chit_chat: ChitChat,
        phrases: Phrases,
        model: LanguageModel | None,
        thresholds: Thresholds,
    ) -> None:
        self._courses = courses
        self._sessions = sessions
        self._knowledge = knowledge
        self._intents = intents
        self._follow_ups = follow_ups
        self._prompts = prompts
        self._offline = offline
        self._chit_chat = chit_chat
        self._phrases = phrases
        self._model = model
        self._thresholds = thresholds

    async def answer(self, question: Question) -> Answer:
        """The whole answer; the same path as `stream`."""
        async with aclosing(self.stream(question)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    return event
        raise AssertionError("a stream ends with its answer")

    async def stream(self, question: Question) -> AsyncGenerator[DialogueEvent, None]:
        """The answer as it comes: `Started`, stages, pieces of text, citations, concepts, the `Answer`.

        Raises `InvalidInput` for an empty or overlong question and `NotFound` for an unknown course or
        session, both before the first event.
        """
        check_question(question.text)
        course = self._courses.course(question.course_id)
        history = self._history(question)
        started = Started(
            turn_id=TurnId(uuid.uuid4().hex), session_id=question.session_id or SessionId(uuid.uuid4().hex)
        )
        yield started

        trace = Tracer()
        heard = await asyncio.to_thread(self._understand, question, course, history, trace)
        if is_chit_chat(heard.intent, self._thresholds) or self._chit_chat.in_distress(question.text):
            plan = await asyncio.to_thread(self._recall, heard, trace)
        else:
            plan = await asyncio.to_thread(self._retrieve, heard, question.mode, trace)
        for step in trace.steps:
            yield step

        draft = Draft()
        with trace.stage("answer") as decide:
            async with aclosing(self._write(question, heard, plan, draft)) as pieces:
                async for piece in pieces:
                    yield piece
            decide(_outcome(plan, draft))
        yield trace.steps[-1]

        answer = self._finish(started, heard, plan, draft, trace)
        await asyncio.to_thread(self._sessions.record, question, answer)
        yield answer.citations
        yield answer.concepts
        yield answer

    def _history(self, question: Question) -> tuple[Turn, ...]:
        if question.session_id is None:
            return ()
        return self._sessions.turns(question.course_id, question.session_id)

    def _understand(
        self, question: Question, course: Course, history: Sequence[Turn], trace: Tracer
    ) -> Understanding:
        """Follow-up made standalone, d = [CLS] x_{t-1}, c [SEP] q_t -> h, and NER(q)."""
        knowledge = self._knowledge.current()
        with trace.stage("follow_up") as decide:
            mentions = knowledge.linker.link(question.text, course=course)
            standalone = self._follow_ups.rewrite(question.text, history=history, mentions=mentions)
            decide(standalone if standalone != question.text else "stands alone")
        with trace.stage("intent") as decide:
            previous = history[-1].question if history else ""
            intent = self._intents.predict(question.text, previous=previous, course=course.name)
            decide(f"{intent.label}, h = {intent.chit_chat:.3f}, alpha = {self._thresholds.alpha:g}")
        with trace.stage("concepts") as decide:
            if standalone != question.text:
                mentions = knowledge.linker.link(standalone, course=course)
            decide(", ".join(m.concept.name for m in mentions) or "none")
        return Understanding(
            course=course,
            history=tuple(history),
            language=detect_language(question.text, course.language),
            standalone=standalone,
            mentions=mentions,
            intent=intent,
            knowledge=knowledge,
        )

    def _recall(self, heard: Understanding, trace: Tracer) -> Plan:
        """Knowledge for small talk: what is found under the dialogue so far (XDAI)."""
        dialogue = "\n".join([*(turn.question for turn in heard.history[-1:]), heard.standalone])
        with trace.stage("ranking") as decide:
            ranking = heard.knowledge.ranker.rank(
                dialogue,
                course=heard.course,
                mentions=heard.mentions,
                chit_chat=heard.intent.chit_chat,
                top=_RECALLED,
            )
            known = supported(ranking.candidates, (), self._thresholds)
            decide(f"{len(known)} pairs to talk about")
        return Plan(route=Route.CHIT_CHAT, candidates=known)

    def _retrieve(self, heard: Understanding, mode: Mode, trace: Tracer) -> Plan:
        """Rank by S(z, q), then direct above beta, Chain of Teach below.

        A hint is never direct, and what the FAQ answers is not given away in it.
        """
        with trace.stage("ranking") as decide:
            ranking = heard.knowledge.ranker.rank(
                heard.standalone,
                course=heard.course,
                mentions=heard.mentions,
                chit_chat=heard.intent.chit_chat,
                top=self._thresholds.top_k,
            )
            best = ranking.candidates[0].score if ranking.candidates else 0.0
            beta = beta_for(heard.intent, self._thresholds)
            decide(f"{len(ranking.candidates)} pairs, best S = {best:.3f}, beta = {beta:.3f}")
        with trace.stage("route") as decide:
            known = supported(ranking.candidates, heard.mentions, self._thresholds)
            route = choose_route(known, heard.mentions, beta=beta)
            if mode is Mode.HINT:
                known = tuple(c for c in known if c.pair.source is not Source.FAQ)
                route = Route.CHAIN_OF_TEACH if route is Route.DIRECT else route
            decide(route)
        return Plan(
            route=route,
            candidates=known,
            steps=teach_steps(heard.mentions, heard.knowledge.graph),
            ranking=RankingSummary(score=best, beta=beta, terms=ranking.terms),
        )

    async def _write(
        self, question: Question, heard: Understanding, plan: Plan, draft: Draft
    ) -> AsyncGenerator[Delta, None]:
        """The text of the answer, piece by piece; `draft` holds the whole at the end."""
        hint = question.mode is Mode.HINT
        if plan.route is Route.UNANSWERED:
            draft.text = self._phrases.unanswered(heard.language)
        elif plan.route is Route.DIRECT:
            draft.text = self._direct(heard, plan)
        else:
            async with aclosing(self._generate(question, heard, plan, draft, hint=hint)) as pieces:
                async for piece in pieces:
                    yield piece
            return
        yield Delta(text=draft.text)

    def _direct(self, heard: Understanding, plan: Plan) -> str:
        best = plan.candidates[0]
        body = f"**{best.pair.question}**\n\n" if best.pair.source is not Source.FAQ else ""
        text = f"{body}{best.pair.answer} [1]"
        more = further_reading(best, plan.candidates)
        if more:
            numbers = [plan.candidates.index(candidate) + 1 for candidate in more]
            text += "\n\n" + self._phrases.see_also(heard.language, numbers)
        return text

    async def _generate(
        self, question: Question, heard: Understanding, plan: Plan, draft: Draft, *, hint: bool
    ) -> AsyncGenerator[Delta, None]:
        """A language model's words; without one, or when it fails, the offline teacher's, and says so."""
        if self._model is None:
            draft.degraded = Degradation(stage="language_model", reason="no language model is configured")
        else:
            try:
                messages = self._messages(question, heard, plan, hint=hint)
                async with aclosing(self._model.stream(messages)) as pieces:
                    async for piece in pieces:
                        draft.text += piece
                        yield Delta(text=piece)
                return
            except UpstreamFailed as failure:
                draft.degraded = Degradation(stage="language_model", reason=failure.message)
        draft.text = self._without_model(heard, plan, hint=hint)
        yield Delta(text=draft.text)

    def _messages(
        self, question: Question, heard: Understanding, plan: Plan, *, hint: bool
    ) -> tuple[ChatMessage, ...]:
        history = _as_messages(heard.history[-_TURNS_REMEMBERED:])
        if plan.route is Route.CHIT_CHAT:
            return self._chit_chat.prompt(
                question.text,
                course=heard.course,
                intent=heard.intent,
                knowledge=plan.candidates,
                history=history,
                language=heard.language,
            )
        return self._prompts.build(
            heard.standalone,
            steps=plan.steps,
            candidates=plan.candidates,
            language=heard.language,
            history=history,
            hint=hint,
        ).messages

    def _without_model(self, heard: Understanding, plan: Plan, *, hint: bool) -> str:
        if plan.route is Route.CHIT_CHAT:
            return self._chit_chat.reply(
                heard.standalone, course=heard.course, intent=heard.intent, language=heard.language
            )
        return self._offline.teach(
            heard.standalone,
            steps=plan.steps,
            candidates=plan.candidates,
            language=heard.language,
            hint=hint,
        )

    def _finish(
        self, started: Started, heard: Understanding, plan: Plan, draft: Draft, trace: Tracer
    ) -> Answer:
        """Citations bound to what was retrieved, and the answer as it is stored and shown."""
        with trace.stage("grounding") as decide:
            text, citations = bind_citations(draft.text, plan.candidates)
            refused = text.strip() == self._phrases.refusal(heard.language)
            route = Route.REFUSED if refused else plan.route
            degraded = draft.degraded
            if route is Route.CHAIN_OF_TEACH and not citations and degraded is None:
                degraded = Degradation(stage="grounding", reason="the answer cites no course material")
            decide(f"{len(citations)} citations")
        return Answer(
            turn_id=started.turn_id,
            session_id=started.session_id,
            course_id=heard.course.id,
            route=route,
            text=text,
            citations=citations,
            concepts=concept_cards(plan.steps, heard.knowledge.ranker, heard.course),
            intent=heard.intent,
            ranking=plan.ranking,
            standalone_question=heard.standalone,
            degraded=degraded,
            actions=("ask_ta", "feedback"),
            trace=trace.steps,
        )


def check_question(text: str) -> None:
    """`InvalidInput` for a question that is empty, longer than `LONGEST_QUESTION` or no text."""
    if not text.strip():
        raise InvalidInput("the question is empty", field="question")
    if _NO_TEXT.search(text):
        raise InvalidInput("the question holds NUL or half a character, which is no text", field="question")
    if len(text) > LONGEST_QUESTION:
        message = f"the question has {len(text)} characters; at most {LONGEST_QUESTION} are read"
        raise InvalidInput(message, field="question")


def _as_messages(turns: Sequence[Turn]) -> tuple[ChatMessage, ...]:
    return tuple(
        message
        for turn in turns
        for message in (
            ChatMessage(role="user", content=turn.question),
            ChatMessage(role="assistant", content=turn.answer.text),
        )
    )


def _outcome(plan: Plan, draft: Draft) -> str:
    return f"{plan.route}: {draft.degraded.reason}" if draft.degraded else str(plan.route)
