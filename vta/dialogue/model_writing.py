"""The words of an answer by a language model, checked against what it was given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from prompts import phrases
from prompts.primers import refusal_sentence
from vta.dialogue.continuation import is_repeated
from vta.dialogue.degradations import UNSUPPORTED, model_failed
from vta.dialogue.grounding import bind_citations, cite, unknown_citations
from vta.dialogue.history import as_messages, unflagged
from vta.dialogue.model_text import ModelText, ReplyEnding, close_blocks, stream_model
from vta.dialogue.plan import Here, Plan, SmallTalk, Teach
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.small_talk import CaringChitChat
from vta.dialogue.support import Checked, SupportCheck
from vta.dialogue.teaching.builder import ChainOfTeach
from vta.dialogue.writing import OfflineWriter, Written, apologise, is_for_no_model
from vta.errors import LimitExceeded
from vta.languages import Language
from vta.ports import LanguageModel
from vta.sentences import sentence_spans
from vta.types.answers import Citation, Delta, Route, SourcesFound, Unsupported
from vta.types.language_model import ChatMessage
from vta.types.pairs import Degradation, Source
from vta.types.questions import Mode

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
        quotes: bool = False,
    ) -> None:
        """With `quotes`, the course's own words stand below what the model explains."""
        self._model = model
        self._offline = offline
        self._prompts = prompts
        self._chit_chat = chit_chat
        self._support = support
        self._quotes = quotes

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
        refusals = [refusal_sentence(language) for language in Language]
        refuses = isinstance(plan, SmallTalk) and any(each in said.text for each in refusals)
        if said.is_answer and not refuses:
            written = self._check(context, plan, said)
            below = self._quote_below(context, plan, written)
            whole = written.text if self._may_remove(plan) or not said.shown else said.text
            rest = whole.removeprefix(said.shown)
            return replace(written, text=written.text + below), rest + below
        offline = self._offline.write(context, plan, said.degraded)
        if not said.shown:
            return offline, offline.text
        if refuses or said.ending is ReplyEnding.LEAKED:
            # what was shown is taken back, at least where stored
            return offline, f"{close_blocks(said.text)}\n\n---\n\n{offline.text}"
        return self._continue_offline(context, plan, said, offline)

    def _quote_below(self, context: UnderstoodQuestion, plan: Plan, written: Written) -> str:
        """What answers without a model, for below its explanation, as far as that does not say it already."""
        is_explained = written.route is Route.CHAIN_OF_TEACH and context.mode is Mode.ANSWER
        if not self._quotes or not is_explained or context.wish.shorter:
            return ""
        quoted = self._offline.write(context, plan, near=False).text
        sentences = [quoted[start:end] for start, end in sentence_spans(quoted)]
        is_new = not all(is_repeated(sentence, (written.text,)) for sentence in sentences)
        if not is_new or not bind_citations(quoted, plan.candidates)[1]:
            return ""
        return f"\n\n{phrases.own_words(context.language)}\n\n{quoted}"

    def _come_closest(self, context: UnderstoodQuestion, plan: Plan) -> str:
        """What comes closest, said to be no more than that, where a model found no answer in it."""
        if not self._quotes or plan.route is not Route.CHAIN_OF_TEACH or context.mode is not Mode.ANSWER:
            return ""
        closest = self._offline.write(context, plan, near=True).text
        return closest if bind_citations(closest, plan.candidates)[1] else ""

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
        """Check a model's text against what it was given. An answer without any support is rejected."""
        degraded = said.degraded
        if unknown := unknown_citations(said.text, plan.candidates):
            cited = ", ".join(f"[{n}]" for n in unknown)
            degraded = degraded or Degradation(
                stage="grounding", reason=f"cites {cited}, which is not from course material"
            )
        if said.text.strip() == refusal_sentence(context.language):
            own = context.course.refusal
            text = said.text if own is None else phrases.unanswered(context.language, own=own)
            text = self._come_closest(context, plan) or text
            return Written(route=Route.REFUSED, text=text, degraded=degraded)
        if isinstance(plan, SmallTalk):
            return Written(route=plan.route, text=said.text, degraded=degraded)
        checked = self._check_support(context, plan, said.text)
        is_answer = context.mode is Mode.ANSWER and self._support.unsupported is not Unsupported.KEEP
        is_loose = self._quotes and not bind_citations(checked.text, plan.candidates)[1]
        if is_answer and (checked.holds_nothing or is_loose):
            return Written(
                route=Route.UNANSWERED,
                text=self._come_closest(context, plan) or apologise(context, plan),
                degraded=degraded or UNSUPPORTED,
                checked=checked,
            )
        return Written(route=plan.route, text=checked.text, degraded=degraded, checked=checked)

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


def _hidden(context: UnderstoodQuestion) -> Source | None:
    """The source that a hint does not show: an FAQ answer may be the solution."""
    return Source.FAQ if context.mode is Mode.HINT else None


def _sources(context: UnderstoodQuestion, plan: Plan) -> tuple[Citation, ...]:
    """What a language model reasons on, numbered as it may cite it; nothing for small talk."""
    if isinstance(plan, SmallTalk):
        return ()
    numbered = enumerate(plan.candidates, start=1)
    return tuple(cite(n, each) for n, each in numbered if each.pair.source is not _hidden(context))
