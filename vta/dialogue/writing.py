"""The words of an answer: of the best pair, of a language model, or of the offline teacher."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from vta.dialogue.grounding import further_reading
from vta.dialogue.question import Understanding
from vta.dialogue.withholding import Withholding
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
NO_MODEL = Degradation(stage="language_model", reason="no language model is configured")
GUARDED = Degradation(
    stage="guard",
    reason="the question looks like orders to the assistant, so no language model was asked",
)
ECHO = Degradation(stage="guard", reason="the language model's answer repeated its own instructions")


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
    """Writes what a plan says. Without a language model, or when it fails, it teaches offline and says so.

    A suspicious question is never put to the language model, not as history of a later one either.
    """

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
            draft.degraded = NO_MODEL
        elif heard.suspicious:
            draft.degraded = GUARDED
        else:
            async with aclosing(self._ask_model(self._model, heard, plan, draft)) as pieces:
                async for piece in pieces:
                    yield piece
            if draft.text:
                return
        draft.text = self._without_model(heard, plan)
        yield Delta(text=draft.text)

    async def _ask_model(
        self, model: LanguageModel, heard: Understanding, plan: Plan, draft: Draft
    ) -> AsyncGenerator[Delta, None]:
        """What the model says; `draft` has no text afterwards where that is no answer, and says why."""
        messages = self._messages(heard, plan)
        own_words = "\n".join(message.content for message in messages if message.role == "system")
        withholding = Withholding(own_words, allowed=self._phrases.refusal(heard.language))
        try:
            async with aclosing(model.stream(messages, course_id=heard.course.id)) as pieces:
                async for piece in pieces:
                    if text := withholding.add(piece):
                        draft.text += text
                        yield Delta(text=text)
                    if withholding.leaked:
                        break
        except AnswerCutShort as cut:  # a good beginning, declared as one
            draft.degraded = Degradation(stage="language_model", reason=cut.message)
        except UpstreamFailed as failure:
            draft.degraded = Degradation(stage="language_model", reason=failure.message)
            draft.text = ""
            return
        if text := withholding.rest():
            draft.text += text
            yield Delta(text=text)
        if withholding.leaked:
            draft.degraded, draft.text = ECHO, ""

    def _messages(self, heard: Understanding, plan: Plan) -> tuple[ChatMessage, ...]:
        history = _as_messages(
            [t for t in heard.history if t.answer.degraded != GUARDED][-_TURNS_REMEMBERED:]
        )
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
