"""The words of an answer by a language model, checked against what it was given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from difflib import SequenceMatcher

from prompts import phrases
from prompts.primers import refusal_sentence
from vta.dialogue.degradations import UNSUPPORTED, model_failed
from vta.dialogue.grounding import bind_citations, cite, unknown_citations
from vta.dialogue.history import as_messages, unflagged
from vta.dialogue.model_text import ModelText, ReplyEnding, close_blocks, stream_model
from vta.dialogue.plan import Here, Plan, SmallTalk, Teach
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.routing import relevance_of
from vta.dialogue.small_talk import CaringChitChat
from vta.dialogue.support import Checked, SupportCheck
from vta.dialogue.teaching.builder import ChainOfTeach
from vta.dialogue.writing import OfflineWriter, Written, apologise, is_for_no_model
from vta.errors import LimitExceeded
from vta.languages import Language
from vta.ports import LanguageModel
from vta.sentences import split_sentences
from vta.types.answers import Citation, Delta, Route, SourcesFound, Unsupported
from vta.types.language_model import ChatMessage
from vta.types.pairs import Degradation, Source
from vta.types.questions import Mode

LIKELY = 0.5
"""The chance that the first passage answers from which a model's refusal is not believed."""

_ALMOST = 0.85
"""How alike, letter by letter, a sentence is to that of refusal which stands for it."""
_TURNS_REMEMBERED = 3


class ModelWriter:
    """Has a language model write; where it fails, the answer is written `offline`, and says so."""

    def __init__(
        self,
        model: LanguageModel,
        *,
        offline: OfflineWriter,
        prompts: ChainOfTeach,
        chit_chat: CaringChitChat,
        support: SupportCheck,
        is_small: bool = False,
    ) -> None:
        """The short answers of a model that `is_small` are completed by the course's own words."""
        self._model = model
        self._offline = offline
        self._prompts = prompts
        self._chit_chat = chit_chat
        self._support = support
        self._is_small = is_small

    def writes(self, context: UnderstoodQuestion, plan: Plan) -> bool:
        """Whether a model may write this: it explains and chats, and sees nothing that the guard flagged."""
        if context.flagged:
            return False
        return isinstance(plan, Teach | Here) or (
            isinstance(plan, SmallTalk) and not is_for_no_model(context)
        )

    async def stream(
        self, context: UnderstoodQuestion, plan: Plan
    ) -> AsyncGenerator[SourcesFound | Delta | Written, None]:
        """The answer piece by piece, and finally the whole, which may differ from the pieces.

        Before it explains anything come the sources that it is given. Where sentences may be removed, each is
        shown when it was checked.
        """
        try:
            messages = await asyncio.to_thread(self._messages, context, plan)
        except LimitExceeded as failure:
            written = await asyncio.to_thread(self._offline.write, context, plan, model_failed(failure))
            yield Delta(text=written.text)
            yield written
            return
        if sources := _sources(context, plan):
            yield SourcesFound(sources=sources)
        check = self._check_support if self._may_remove(plan) else None
        reading = asyncio.create_task(asyncio.to_thread(self._support.prepare, plan.candidates, plan.steps))
        pieces = stream_model(
            self._model,
            messages,
            course_id=context.course.id,
            refusal=refusal_sentence(context.language),
            check=(lambda text: check(context, plan, text).text) if check else None,
        )
        async with aclosing(pieces):
            async for piece in pieces:
                if isinstance(piece, Delta):
                    yield piece
                else:
                    said = piece
        await reading
        written, rest = await asyncio.to_thread(self._conclude, context, plan, said)
        if rest:
            yield Delta(text=rest)
        yield written

    def _may_remove(self, plan: Plan) -> bool:
        return self._support.unsupported is Unsupported.REMOVE and not isinstance(plan, SmallTalk)

    def _conclude(self, context: UnderstoodQuestion, plan: Plan, said: ModelText) -> tuple[Written, str]:
        """The checked answer that the model's words make, and what of it is still to be shown.

        Small talk is never refused: there the reply without a model stands in place of such words.
        """
        refuses = isinstance(plan, SmallTalk) and _refuses(said.text)
        if said.is_answer and not refuses:
            written = self._check(context, plan, said)
            added = self._add(context, plan, written)
            whole = written.text if self._may_remove(plan) or not said.shown else said.text
            return replace(written, text=written.text + added), whole.removeprefix(said.shown) + added
        offline = self._offline.write(context, plan, said.degraded)
        if not said.shown:
            return offline, offline.text
        if refuses or said.ending is ReplyEnding.LEAKED:
            # what was shown is taken back, at least where stored
            return offline, f"{close_blocks(said.text)}\n\n---\n\n{offline.text}"
        return self._continue_offline(context, plan, said, offline)

    def _add(self, context: UnderstoodQuestion, plan: Plan, written: Written) -> str:
        """A paragraph that completes a short answer with the course's own words."""
        is_explained = written.checked is not None and written.text == written.checked.text
        if not (self._is_small and is_explained) or context.mode is not Mode.ANSWER or context.wish.shorter:
            return ""
        added = self._offline.add(context, plan, written.text)
        return f"\n\n{added}" if added else ""

    def _continue_offline(
        self, context: UnderstoodQuestion, plan: Plan, said: ModelText, offline: Written
    ) -> tuple[Written, str]:
        """What the model wrote stays, marked as incomplete, and the offline answer stands below it."""
        beginning = said.shown
        below = f"{close_blocks(beginning)}\n\n{phrases.broken_off(context.language)}\n\n{offline.text}"
        checked = None if isinstance(plan, SmallTalk) else self._check_support(context, plan, beginning)
        kept = beginning if checked is None else checked.text
        text = f"{kept.rstrip()}{below}"
        return replace(offline, text=text, checked=checked, quotes={}), below

    def _check(self, context: UnderstoodQuestion, plan: Plan, said: ModelText) -> Written:
        """Check a model's text against what it was given.

        What the course says itself stands in for an answer without any support, and for a refusal where the
        passages are likely to answer.
        """
        degraded = said.degraded
        if unknown := unknown_citations(said.text, plan.candidates):
            cited = ", ".join(f"[{n}]" for n in unknown)
            degraded = degraded or Degradation(
                stage="grounding", reason=f"cites {cited}, which is not from course material"
            )
        if isinstance(plan, SmallTalk):
            return Written(route=plan.route, text=said.text, degraded=degraded)
        if _refuses(said.text):
            return self._in_place_of_refusal(context, plan, degraded)
        checked = self._check_support(context, plan, said.text)
        is_answer = context.mode is Mode.ANSWER and self._support.unsupported is not Unsupported.KEEP
        is_loose = self._may_remove(plan) and not bind_citations(checked.text, plan.candidates)[1]
        if is_answer and (checked.holds_nothing or is_loose):
            return replace(self._offline.write(context, plan, degraded or UNSUPPORTED), checked=checked)
        return Written(route=plan.route, text=checked.text, degraded=degraded, checked=checked)

    def _in_place_of_refusal(
        self, context: UnderstoodQuestion, plan: Plan, degraded: Degradation | None
    ) -> Written:
        """What comes closest, said to be no more than that; what answers, where that is likely."""
        if context.mode is not Mode.ANSWER or _relevance(plan) >= LIKELY:
            return self._offline.write(context, plan, degraded)
        closest = self._offline.write(context, plan, near=True).text
        if not bind_citations(closest, plan.candidates)[1]:
            closest = apologise(context, plan)
        return Written(route=Route.REFUSED, text=closest, degraded=degraded)

    def _check_support(self, context: UnderstoodQuestion, plan: Plan, text: str) -> Checked:
        return self._support.check(
            text,
            candidates=plan.candidates,
            steps=plan.steps,
            mark=phrases.unsupported(context.language),
            question=context.standalone,
            hidden=_hidden(context),
        )

    def _messages(self, context: UnderstoodQuestion, plan: Plan) -> tuple[ChatMessage, ...]:
        """The student's own words with their history; the stand-alone form is for retrieval only."""
        history = as_messages(unflagged(context.history)[-_TURNS_REMEMBERED:])
        if isinstance(plan, SmallTalk):
            return self._chit_chat.prompt(
                context.question,
                course=context.course,
                intent=context.intent,
                knowledge=plan.candidates,
                history=history,
                language=context.language,
            )
        return self._prompts.build(
            context.question,
            steps=plan.steps,
            candidates=plan.candidates,
            language=context.language,
            history=history,
            hint=context.mode is Mode.HINT,
            standalone=context.standalone,
        ).messages


def _refuses(text: str) -> bool:
    """Whether a text holds the sentence of refusal in either language, in these words or nearly so."""
    refusals, sentences = [*map(refusal_sentence, Language)], split_sentences(text)
    return any(refusal in text for refusal in refusals) or any(
        SequenceMatcher(None, refusal, sentence).ratio() >= _ALMOST
        for refusal in refusals
        for sentence in sentences
    )


def _relevance(plan: Plan) -> float:
    """How likely the first candidate holds the answer."""
    return relevance_of(plan.candidates[0]) if plan.candidates else 0.0


def _hidden(context: UnderstoodQuestion) -> Source | None:
    """The source that a hint does not show: an FAQ answer may be the solution."""
    return Source.FAQ if context.mode is Mode.HINT else None


def _sources(context: UnderstoodQuestion, plan: Plan) -> tuple[Citation, ...]:
    """What a language model reasons on, numbered as it may cite it; nothing for small talk."""
    if isinstance(plan, SmallTalk):
        return ()
    numbered = enumerate(plan.candidates, start=1)
    return tuple(cite(n, each) for n, each in numbered if each.pair.source is not _hidden(context))
