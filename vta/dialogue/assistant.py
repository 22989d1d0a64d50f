"""The path of one question, as in figure 2 of the LittleMu paper."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from vta.dialogue.concepts import concept_cards, teach_steps
from vta.dialogue.conflict import ConflictFinder
from vta.dialogue.earlier import earlier_turns
from vta.dialogue.grounding import bind_citations
from vta.dialogue.question import Understanding, check_question
from vta.dialogue.routing import (
    asks_search_engine,
    beta_for,
    choose_route,
    is_covered,
    own_words_first,
    supported,
    thresholds_for,
)
from vta.dialogue.searching import find_outside
from vta.dialogue.standing_alone import StandaloneQuestions
from vta.dialogue.support import SupportCheck
from vta.dialogue.tracing import Tracer
from vta.dialogue.writing import AnswerWriter, Draft, Plan
from vta.ports import (
    ChitChat,
    CourseStore,
    FollowUpRewriter,
    Guard,
    GuardAudit,
    IntentClassifier,
    Knowledge,
    KnowledgeBase,
    LanguageModel,
    OfflineTeacher,
    Phrases,
    PromptBuilder,
    SessionStore,
    StandalonePrompt,
    WebSearch,
)
from vta.text import Analyser, detect_language
from vta.types import (
    Answer,
    Candidate,
    Course,
    Degradation,
    DialogueEvent,
    Mode,
    QAPair,
    Question,
    Ranking,
    RankingSummary,
    Route,
    SessionId,
    Source,
    Started,
    Suspicion,
    Thresholds,
    Turn,
    TurnId,
    Unsupported,
)

_RECALLED = 3
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
        intents: IntentClassifier,
        follow_ups: FollowUpRewriter,
        standalone: StandalonePrompt,
        prompts: PromptBuilder,
        offline: OfflineTeacher,
        chit_chat: ChitChat,
        phrases: Phrases,
        model: LanguageModel | None,
        thresholds: Thresholds,
        analyser: Analyser,
        unsupported: Unsupported = Unsupported.MARK,
        web: WebSearch | None = None,
        web_results: int = 5,
        guard: Guard | None = None,
        audit: GuardAudit | None = None,
    ) -> None:
        """`web` is a search engine to ask for `web_results` pairs where the course does not know enough.

        `unsupported` says what becomes of a model's sentences that the knowledge does not support. What
        `guard` flags is answered without the language model, and `audit` is told.
        """
        self._courses = courses
        self._sessions = sessions
        self._knowledge = knowledge
        self._intents = intents
        self._standalone = StandaloneQuestions(rules=follow_ups, prompt=standalone, model=model)
        self._chit_chat = chit_chat
        self._thresholds = thresholds
        self._web = web
        self._web_results = web_results
        self._can_reason = model is not None
        self._guard = guard
        self._audit = audit
        self._writer = AnswerWriter(
            prompts=prompts,
            offline=offline,
            chit_chat=chit_chat,
            phrases=phrases,
            model=model,
            support=SupportCheck(analyser, unsupported=unsupported),
        )
        self._conflicts = ConflictFinder(analyser)

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
        history = await asyncio.to_thread(self._history, question)
        session_id = question.session_id or SessionId(uuid.uuid4().hex)
        started = Started(turn_id=TurnId(uuid.uuid4().hex), session_id=session_id)
        yield started

        trace = Tracer()
        knowledge = await asyncio.to_thread(self._knowledge.current)
        if question.session_id is None and question.earlier:
            history = await asyncio.to_thread(
                earlier_turns,
                question.earlier,
                course=course,
                knowledge=knowledge,
                stand_alone=self._standalone.by_rules,
                guard=self._guard,
            )
        suspicion = self._guard.inspect(question.text) if self._guard else None
        standalone = await self._standalone.rewrite(
            question.text,
            course=course,
            history=history,
            knowledge=knowledge,
            trace=trace,
            by_rules_only=suspicion is not None and suspicion.flag,
        )
        heard = await asyncio.to_thread(
            self._understand, question, standalone, course, history, knowledge, suspicion, trace
        )
        if heard.is_small_talk or self._chit_chat.in_distress(question.text):
            plan = await asyncio.to_thread(self._recall, heard, trace)
        else:
            plan = await self._retrieve(heard, trace)
        for step in trace.steps:
            yield step

        draft = Draft()
        with trace.stage("answer") as decide:
            async with aclosing(self._writer.write(heard, plan, draft)) as pieces:
                async for piece in pieces:
                    yield piece
            decide(f"{plan.route}: {draft.degraded.reason}" if draft.degraded else plan.route)
        yield trace.steps[-1]

        answer = self._finish(started, heard, plan, draft, trace)
        await asyncio.to_thread(self._sessions.record, question, answer)
        if self._audit is not None and heard.suspicion is not None and heard.suspicion.flag:
            await asyncio.to_thread(self._audit.flagged, answer.turn_id, heard.suspicion)
        yield answer.citations
        yield answer.concepts
        yield answer

    def _history(self, question: Question) -> tuple[Turn, ...]:
        if question.session_id is None:
            return ()
        return self._sessions.turns(
            question.course_id, question.session_id, last=_TURNS_READ, learner_id=question.learner_id
        )

    def _understand(
        self,
        question: Question,
        standalone: str,
        course: Course,
        history: Sequence[Turn],
        knowledge: Knowledge,
        suspicion: Suspicion | None,
        trace: Tracer,
    ) -> Understanding:
        """d = [CLS] x_{t-1}, c [SEP] q_t -> h, and NER(q) of the stand-alone question."""
        thresholds = thresholds_for(course, self._thresholds)
        with trace.stage("intent") as decide:
            previous = history[-1].question if history else ""
            intent = self._intents.predict(question.text, previous=previous, course=course.name)
            decide(f"{intent.label}, h = {intent.chit_chat:.3f}, alpha = {thresholds.alpha:g}")
        with trace.stage("concepts") as decide:
            mentions = knowledge.linker.link(standalone, course=course)
            decide(", ".join(m.concept.name for m in mentions) or "none")
        return Understanding(
            question=question.text,
            mode=question.mode,
            course=course,
            history=tuple(history),
            language=detect_language(question.text, course.language),
            standalone=standalone,
            mentions=mentions,
            intent=intent,
            knowledge=knowledge,
            thresholds=thresholds,
            suspicion=suspicion,
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
            known = supported(ranking.candidates, (), heard.thresholds)
            decide(f"{len(known)} pairs to talk about")
        return Plan(route=Route.CHIT_CHAT, candidates=known, degraded=ranking.degraded)

    async def _retrieve(self, heard: Understanding, trace: Tracer) -> Plan:
        """Rank by S(z, q), then direct above beta, Chain of Teach below.

        The course is asked first, a search engine only where the course's best S is not above beta. A hint is
        never direct, and what the FAQ answers is not given away in it.
        """
        beta = beta_for(heard.intent, heard.thresholds)
        with trace.stage("ranking") as decide:
            ranking = await asyncio.to_thread(self._rank, heard)
            best, degraded = _first_score(ranking), ranking.degraded
            decide(_told(ranking, beta))
        if self._web is not None and asks_search_engine(
            best, heard.intent, heard.mentions, beta=beta, thresholds=heard.thresholds
        ):
            found, failed = await find_outside(self._web, heard, trace, limit=self._web_results)
            ranking = await asyncio.to_thread(self._rank, heard, found) if found else ranking
            best, degraded = _first_score(ranking), failed or ranking.degraded
        with trace.stage("route") as decide:
            ranked = own_words_first(heard.standalone, ranking.candidates)
            known = supported(ranked, heard.mentions, heard.thresholds)
            coverage = None if self._can_reason else await asyncio.to_thread(self._coverage, heard, known)
            covered = coverage is None or is_covered(known, coverage, heard.thresholds)
            route = choose_route(heard.standalone, known, heard.mentions, beta=beta, covered=covered)
            if heard.mode is Mode.HINT:
                known = tuple(c for c in known if c.pair.source is not Source.FAQ)
                route = Route.CHAIN_OF_TEACH if route is Route.DIRECT else route
            decide(str(route) if coverage is None else f"{route}, coverage = {coverage:.3f}")
        with trace.stage("conflict") as decide:
            find, floor = self._conflicts.find, heard.thresholds.floor
            conflict = await asyncio.to_thread(find, heard.standalone, known, floor=floor)
            decide(f"FAQ and material disagree, {conflict.difference}" if conflict else "none")
        return Plan(
            route=Route.DIRECT if conflict else route,
            candidates=known,
            steps=teach_steps(heard.mentions, heard.knowledge.graph),
            ranking=RankingSummary(score=best, beta=beta, terms=ranking.terms),
            degraded=degraded,
            conflict=conflict,
        )

    def _coverage(self, heard: Understanding, known: Sequence[Candidate]) -> float:
        return heard.knowledge.ranker.coverage(heard.standalone, mentions=heard.mentions, candidates=known)

    def _rank(self, heard: Understanding, found: Sequence[QAPair] = ()) -> Ranking:
        return heard.knowledge.ranker.rank(
            heard.standalone,
            course=heard.course,
            mentions=heard.mentions,
            chit_chat=heard.intent.chit_chat,
            top=heard.thresholds.top_k,
            found=found,
        )

    def _finish(
        self, started: Started, heard: Understanding, plan: Plan, draft: Draft, trace: Tracer
    ) -> Answer:
        """Citations bound to what was retrieved, and the checked answer as it is stored and shown."""
        with trace.stage("grounding") as decide:
            text, citations = bind_citations(draft.text, plan.candidates)
            route = draft.route or plan.route
            degraded = draft.degraded or plan.degraded
            if route is Route.CHAIN_OF_TEACH and not citations and degraded is None:
                degraded = Degradation(stage="grounding", reason="the answer cites no course material")
            decide(f"{len(citations)} citations{_told_support(draft)}")
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


def _first_score(ranking: Ranking) -> float:
    return ranking.candidates[0].score if ranking.candidates else 0.0


def _told_support(draft: Draft) -> str:
    """How a model's claims came through the check, as the trace tells it."""
    if draft.checked is None:
        return ""
    return f", {draft.checked.unsupported} of {draft.checked.claims} claims without support"


def _told(ranking: Ranking, beta: float) -> str:
    """A ranking as the trace tells it, with similarities where vectors are on."""
    told = f"{len(ranking.candidates)} pairs, best S = {_first_score(ranking):.3f}, beta = {beta:.3f}"
    similar = [c.similarity for c in ranking.candidates if c.similarity is not None]
    if similar:
        first = ranking.candidates[0].similarity
        of_first = "none" if first is None else f"{first:.3f}"
        told += f", similarity = {of_first}, best of {len(similar)} nearest = {max(similar):.3f}"
    if ranking.degraded is not None:
        told += f", without {ranking.degraded.stage}: {ranking.degraded.reason}"
    return told
