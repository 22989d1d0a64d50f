"""The words of an answer: of the best pair, of a language model, or of the offline teacher."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from vta.dialogue.conflict import Conflict
from vta.dialogue.grounding import further_reading, unknown_citations
from vta.dialogue.guarding import ECHO, GUARDED, trusted_turns
from vta.dialogue.question import Understanding
from vta.dialogue.support import Checked, SupportCheck
from vta.dialogue.withholding import Withholding
from vta.errors import AnswerCutShort, LimitExceeded, UpstreamFailed
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
    Unsupported,
)

_TURNS_REMEMBERED = 3
_MOST_CLOSEST = 3
NO_MODEL = Degradation(stage="language_model", reason="no language model is configured")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a question will be answered, and from what."""

    route: Route
    candidates: tuple[Candidate, ...] = ()
    steps: tuple[TeachStep, ...] = ()
    ranking: RankingSummary | None = None
    degraded: Degradation | None = None
    conflict: Conflict | None = None


@dataclass(slots=True)
class Draft:
    """An answer while it is written. [n] in `text` stands for the n-th candidate of the plan.

    `checked` is what a language model's text became; None where none wrote it, or it is small talk. `route`
    is set where the text made another road of the plan's.
    """

    text: str = ""
    degraded: Degradation | None = None
    checked: Checked | None = None
    route: Route | None = None


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
        support: SupportCheck,
    ) -> None:
        self._prompts = prompts
        self._offline = offline
        self._chit_chat = chit_chat
        self._phrases = phrases
        self._model = model
        self._support = support

    async def write(self, heard: Understanding, plan: Plan, draft: Draft) -> AsyncGenerator[Delta, None]:
        """The text piece by piece; `draft` holds the whole at the end, which may differ from the pieces."""
        if plan.route is Route.UNANSWERED:
            draft.text = self._unanswered(heard, plan)
            if heard.suspicious and self._model is not None:
                draft.degraded = GUARDED
        elif plan.conflict is not None:
            draft.text = self._side_by_side(heard, plan, plan.conflict)
        elif plan.route is Route.DIRECT:
            draft.text = self._direct(heard, plan)
        else:
            async with aclosing(self._generate(heard, plan, draft)) as pieces:
                async for piece in pieces:
                    yield piece
            return
        yield Delta(text=draft.text)

    def _unanswered(self, heard: Understanding, plan: Plan) -> str:
        text = self._phrases.unanswered(heard.language, own=heard.course.refusal)
        numbers = range(1, min(len(plan.candidates), _MOST_CLOSEST) + 1)
        return f"{text}\n\n{self._phrases.closest(heard.language, numbers)}" if numbers else text

    def _direct(self, heard: Understanding, plan: Plan) -> str:
        best = plan.candidates[0]
        body = f"**{best.pair.question}**\n\n" if best.pair.source is not Source.FAQ else ""
        text = f"{body}{best.pair.answer} [1]"
        more = further_reading(best, plan.candidates)
        if more:
            numbers = [plan.candidates.index(candidate) + 1 for candidate in more]
            text += "\n\n" + self._phrases.see_also(heard.language, numbers)
        return text

    def _side_by_side(self, heard: Understanding, plan: Plan, conflict: Conflict) -> str:
        faq, material = (plan.candidates.index(c) + 1 for c in (conflict.faq, conflict.material))
        return self._phrases.conflict(
            heard.language,
            faq=f"{conflict.faq.pair.answer} [{faq}]",
            material=f"{conflict.sentence} [{material}]",
        )

    async def _generate(self, heard: Understanding, plan: Plan, draft: Draft) -> AsyncGenerator[Delta, None]:
        if self._chit_chat.in_distress(heard.question):
            draft.text = self._without_model(heard, plan)  # its pointer to human help is left to no model
            yield Delta(text=draft.text)
            return
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
        """What the model says, checked. Where that is no answer `draft` has no text, and says why."""
        try:
            messages = self._messages(heard, plan)
        except LimitExceeded as failure:
            draft.degraded = Degradation(stage="language_model", reason=failure.message)
            return
        own_words = "\n".join(message.content for message in messages if message.role == "system")
        refusal = self._phrases.refusal(heard.language)
        withholding = Withholding(own_words, allowed=refusal)
        shows_at_once, shown = self._shows_at_once(plan), 0
        try:
            async with aclosing(model.stream(messages, course_id=heard.course.id)) as pieces:
                async for piece in pieces:
                    if text := withholding.add(piece):
                        draft.text += text
                        if shows_at_once and not refusal.startswith(draft.text.strip()):
                            yield Delta(text=draft.text[shown:])
                            shown = len(draft.text)
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
        if withholding.leaked:
            draft.degraded, draft.text = ECHO, ""
            return
        rest = draft.text[shown:]
        await asyncio.to_thread(self._ground, heard, plan, draft)
        if not shown and draft.text:  # nothing was shown yet, so what is shown is the checked text
            rest = draft.text
        if rest:
            yield Delta(text=rest)

    def _shows_at_once(self, plan: Plan) -> bool:
        """Whether pieces are shown as they come: not where sentences may be removed from them later."""
        return plan.route is Route.CHIT_CHAT or self._support.unsupported is not Unsupported.REMOVE

    def _ground(self, heard: Understanding, plan: Plan, draft: Draft) -> None:
        """Check a model's text against what it was given. An answer without any support is none."""
        if unknown := unknown_citations(draft.text, plan.candidates):
            cited = ", ".join(f"[{n}]" for n in unknown)
            draft.degraded = draft.degraded or Degradation(
                stage="grounding", reason=f"cites {cited}, which is not from course material"
            )
        if draft.text.strip() == self._phrases.refusal(heard.language):
            draft.route = Route.REFUSED
            if heard.course.refusal is not None:
                draft.text = self._phrases.unanswered(heard.language, own=heard.course.refusal)
            return
        if plan.route is Route.CHIT_CHAT:
            return
        draft.checked = self._support.check(
            draft.text,
            candidates=plan.candidates,
            steps=plan.steps,
            mark=self._phrases.unsupported(heard.language),
        )
        draft.text = draft.checked.text
        is_answer = heard.mode is Mode.ANSWER and self._support.unsupported is not Unsupported.KEEP
        if is_answer and draft.checked.holds_nothing:
            draft.route, draft.text = Route.UNANSWERED, self._unanswered(heard, plan)
            draft.degraded = draft.degraded or Degradation(
                stage="grounding", reason="the course supports nothing of what the language model said"
            )

    def _messages(self, heard: Understanding, plan: Plan) -> tuple[ChatMessage, ...]:
        """The student's own words with their history; the stand-alone form is for retrieval only."""
        history = _as_messages(trusted_turns(heard.history)[-_TURNS_REMEMBERED:])
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
            heard.question,
            steps=plan.steps,
            candidates=plan.candidates,
            language=heard.language,
            history=history,
            hint=heard.mode is Mode.HINT,
        ).messages

    def _without_model(self, heard: Understanding, plan: Plan) -> str:
        if plan.route is Route.CHIT_CHAT:
            return self._chit_chat.reply(
                heard.question,
                course=heard.course,
                intent=heard.intent,
                language=heard.language,
                knowledge=plan.candidates,
            )
        return self._offline.teach(
            heard.standalone,
            steps=plan.steps,
            candidates=plan.candidates,
            language=heard.language,
            hint=heard.mode is Mode.HINT,
            refusal=heard.course.refusal,
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
