"""The words of an answer: of the best pair, of a language model, or of the offline teacher."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from vta.dialogue.grounding import further_reading
from vta.dialogue.question import Understanding
from vta.errors import AnswerCutShort, UpstreamFailed
from vta.ports import ChitChat, LanguageModel, OfflineTeacher, Phrases, PromptBuilder
from vta.types import (
    Candidate,
    ChatMessage,
    Degradation,
    Delta,
    Mode,
    RankingSummary,
    Route,
    Source,
    TeachStep,
    Turn,
)

_TURNS_REMEMBERED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a question will be answered, and from what."""

    route: Route
    candidates: tuple[Candidate, ...] = ()
    steps: tuple[TeachStep, ...] = ()
    ranking: RankingSummary | None = None
    degraded: Degradation | None = None


@dataclass(slots=True)
class Draft:
    """An answer while it is written. [n] in `text` stands for the n-th candidate of the plan."""

    text: str = ""
    degraded: Degradation | None = None


class AnswerWriter:
    """Writes what a plan says. Without a language model, or when it fails, it teaches offline and says so."""

    def __init__(
        self,
        *,
        prompts: PromptBuilder,
        offline: OfflineTeacher,
        chit_chat: ChitChat,
        phrases: Phrases,
        model: LanguageModel | None,
    ) -> None:
        self._prompts = prompts
        self._offline = offline
        self._chit_chat = chit_chat
        self._phrases = phrases
        self._model = model

    async def write(self, heard: Understanding, plan: Plan, draft: Draft) -> AsyncGenerator[Delta, None]:
        """The text piece by piece; `draft` holds the whole at the end, which may differ from the pieces."""
        if plan.route is Route.UNANSWERED:
            draft.text = self._phrases.unanswered(heard.language)
        elif plan.route is Route.DIRECT:
            draft.text = self._direct(heard, plan)
        else:
            async with aclosing(self._generate(heard, plan, draft)) as pieces:
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

    async def _generate(self, heard: Understanding, plan: Plan, draft: Draft) -> AsyncGenerator[Delta, None]:
        if self._model is None:
            draft.degraded = Degradation(stage="language_model", reason="no language model is configured")
        else:
            try:
                messages, course_id = self._messages(heard, plan), heard.course.id
                async with aclosing(self._model.stream(messages, course_id=course_id)) as pieces:
                    async for piece in pieces:
                        draft.text += piece
                        yield Delta(text=piece)
                return
            except UpstreamFailed as failure:
                draft.degraded = Degradation(stage="language_model", reason=failure.message)
                if isinstance(failure, AnswerCutShort) and draft.text:
                    return  # a good beginning, declared as one
        draft.text = self._without_model(heard, plan)
        yield Delta(text=draft.text)

    def _messages(self, heard: Understanding, plan: Plan) -> tuple[ChatMessage, ...]:
        history = _as_messages(heard.history[-_TURNS_REMEMBERED:])
        if plan.route is Route.CHIT_CHAT:
            return self._chit_chat.prompt(
                heard.question,
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
            hint=heard.mode is Mode.HINT,
        ).messages

    def _without_model(self, heard: Understanding, plan: Plan) -> str:
        if plan.route is Route.CHIT_CHAT:
            return self._chit_chat.reply(
                heard.standalone, course=heard.course, intent=heard.intent, language=heard.language
            )
        return self._offline.teach(
            heard.standalone,
            steps=plan.steps,
            candidates=plan.candidates,
            language=heard.language,
            hint=heard.mode is Mode.HINT,
        )


def _as_messages(turns: Sequence[Turn]) -> tuple[ChatMessage, ...]:
    return tuple(
        message
        for turn in turns
        for message in (
            ChatMessage(role="user", content=turn.question),
            ChatMessage(role="assistant", content=turn.answer.text),
        )
    )
