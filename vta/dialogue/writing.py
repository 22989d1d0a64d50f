"""The words of an answer: of the best pair, of a language model, or of the offline teacher."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from prompts import phrases
from prompts.primers import refusal_sentence
from vta.dialogue.conflict import Conflict
from vta.dialogue.degradations import CLOSEST, GUARDED, NO_MODEL, UNSUPPORTED, gravest, model_failed
from vta.dialogue.going_on import is_told
from vta.dialogue.grounding import bind_citations, cite, further_reading, title_of, unknown_citations
from vta.dialogue.history import as_messages, unflagged
from vta.dialogue.model_text import Ending, ModelText, close_blocks, stream_model
from vta.dialogue.plan import Plan
from vta.dialogue.question import QuestionContext
from vta.dialogue.small_talk import CaringChitChat
from vta.dialogue.support import Checked, SupportCheck
from vta.dialogue.teaching.builder import ChainOfTeach
from vta.dialogue.teaching.offline import ComposingTeacher, Taught
from vta.errors import LimitExceeded
from vta.ports import LanguageModel
from vta.sentences import sentence_spans
from vta.threads import in_thread
from vta.types import (
    Candidate,
    ChatMessage,
    Citation,
    Degradation,
    Delta,
    IntentLabel,
    Language,
    Mode,
    Route,
    Source,
    SourcesFound,
    Unsupported,
    Wish,
)

_TURNS_REMEMBERED = 3
_MOST_CLOSEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """An answer as it was written. [n] in `text` stands for the n-th candidate of the plan.

    `route` is that of the plan unless the text itself made it another. `checked` is what a language model's
    text became; None where none wrote it, and for small talk. `quotes` as in `Taught`, by the same numbers;
    none where a language model wrote.
    """

    route: Route
    text: str
    degraded: Degradation | None = None
    checked: Checked | None = None
    quotes: Mapping[int, str] = field(default_factory=dict)


class AnswerWriter:
    """Writes what a plan says. Without a language model, or when it fails, it teaches offline and says so."""

    def __init__(
        self,
        *,
        prompts: ChainOfTeach,
        offline: ComposingTeacher,
        chit_chat: CaringChitChat,
        model: LanguageModel | None,
        support: SupportCheck,
        quotes: bool = False,
    ) -> None:
        """With `quotes`, the course's own words stand below what the model explains."""
        self._prompts = prompts
        self._offline = offline
        self._chit_chat = chit_chat
        self._model = model
        self._support = support
        self._quotes = quotes

    def asks_model(self, context: QuestionContext, plan: Plan) -> bool:
        """Whether a language model is asked for the text."""
        if self._model is None or context.flagged:
            return False
        match plan.route:
            case Route.CHIT_CHAT:
                return not (context.in_distress or context.intent.is_other_task)
            case _:
                return plan.route is Route.CHAIN_OF_TEACH

    async def write(
        self, context: QuestionContext, plan: Plan
    ) -> AsyncGenerator[SourcesFound | Delta | Written, None]:
        """The text piece by piece, and finally the whole, which may differ from the pieces.

        Before a language model explains anything come the sources that it is given.
        """
        match plan.route:
            case Route.CHIT_CHAT if context.in_distress or context.intent.is_other_task:
                # the pointer to human help and the refusal to do a task are left to no model
                written = await in_thread(self._without_model, context, plan, None)
            case Route.CHIT_CHAT | Route.CHAIN_OF_TEACH:
                async with aclosing(self._reason(context, plan)) as pieces:
                    async for piece in pieces:
                        yield piece
                return
            case Route.DIRECT:
                written = await in_thread(self._direct, context, plan)
            case _:
                written = self._unanswered(context, plan)
        yield Delta(text=written.text)
        yield written

    def _unanswered(self, context: QuestionContext, plan: Plan) -> Written:
        guarded = context.flagged and self._model is not None
        return Written(
            route=Route.UNANSWERED,
            text=self._apologise(context, plan),
            degraded=GUARDED if guarded else None,
        )

    def _apologise(self, context: QuestionContext, plan: Plan) -> str:
        text = phrases.unanswered(context.language, own=context.course.refusal)
        titles = _titles(plan, range(1, _MOST_CLOSEST + 1))
        return f"{text}\n\n{phrases.closest(context.language, titles)}" if titles else text

    def _direct(self, context: QuestionContext, plan: Plan) -> Written:
        if plan.text is not None:
            return Written(route=plan.route, text=plan.text)
        if plan.conflict is not None:
            return self._side_by_side(context, plan, plan.conflict)
        best, is_new = plan.candidates[0], context.wish == Wish()
        if is_new and best.pair.source is Source.FAQ:
            taught = Taught(text=f"{best.pair.answer} [1]", is_answer=True, quotes={1: ""})
        else:
            taught = self._teach(context, plan, [best] if is_new else plan.candidates)
        text = taught.text
        if more := further_reading(best, plan.candidates) if is_new else ():
            numbers = [plan.candidates.index(candidate) + 1 for candidate in more]
            text += "\n\n" + phrases.see_also(context.language, numbers)
        return Written(route=plan.route, text=text, degraded=_lacking(taught), quotes=taught.quotes)

    def _side_by_side(self, context: QuestionContext, plan: Plan, conflict: Conflict) -> Written:
        faq, material = (plan.candidates.index(c) + 1 for c in (conflict.faq, conflict.material))
        text = phrases.conflict(
            context.language,
            faq=f"{conflict.faq.pair.answer} [{faq}]",
            material=f"{conflict.sentence} [{material}]",
        )
        return Written(route=plan.route, text=text, quotes={faq: "", material: ""})

    async def _reason(
        self, context: QuestionContext, plan: Plan
    ) -> AsyncGenerator[SourcesFound | Delta | Written, None]:
        """Chain of Teach (Algorithm 1), or small talk: by the language model, else from the course alone."""
        said, degraded = None, NO_MODEL if self._model is None else GUARDED
        if self._model is not None and not context.flagged:
            try:
                messages = await in_thread(self._messages, context, plan)
            except LimitExceeded as failure:
                degraded = model_failed(failure)
            else:
                if sources := _sources(context, plan):
                    yield SourcesFound(sources=sources)
                reading = asyncio.create_task(in_thread(self._support.prepare, plan.candidates, plan.steps))
                async with aclosing(self._ask(self._model, messages, context, plan)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Delta):
                            yield piece
                        else:
                            said = piece
                await reading
        if said is None:
            written = await in_thread(self._without_model, context, plan, degraded)
            rest = written.text
        else:
            written, rest = await in_thread(self._conclude, context, plan, said)
        if rest:
            yield Delta(text=rest)
        yield written

    def _ask(
        self,
        model: LanguageModel,
        messages: tuple[ChatMessage, ...],
        context: QuestionContext,
        plan: Plan,
    ) -> AsyncGenerator[Delta | ModelText, None]:
        """Pieces are shown as they come; where sentences may be removed, each when it was checked."""
        return stream_model(
            model,
            messages,
            course_id=context.course.id,
            refusal=refusal_sentence(context.language),
            check=(lambda text: self._check_support(context, plan, text).text)
            if self._may_remove(plan)
            else None,
        )

    def _may_remove(self, plan: Plan) -> bool:
        return self._support.unsupported is Unsupported.REMOVE and plan.route is not Route.CHIT_CHAT

    def _conclude(self, context: QuestionContext, plan: Plan, said: ModelText) -> tuple[Written, str]:
        """The checked answer that the model's words make, and what of it is still to be shown.

        Small talk is never refused: there the reply without a model stands in place of such words.
        """
        refusals = [refusal_sentence(language) for language in Language]
        refuses = plan.route is Route.CHIT_CHAT and any(each in said.text for each in refusals)
        if said.is_answer and not refuses:
            written = self._check(context, plan, said)
            below = self._quote_below(context, plan, written)
            whole = written.text if self._may_remove(plan) or not said.shown else said.text
            rest = whole.removeprefix(said.shown)
            return replace(written, text=written.text + below), rest + below
        offline = self._without_model(context, plan, said.degraded)
        if not said.shown:
            return offline, offline.text
        if refuses or said.ending is Ending.LEAKED:  # what was shown is taken back, at least where stored
            return offline, f"{close_blocks(said.text)}\n\n---\n\n{offline.text}"
        return self._continue_offline(context, plan, said, offline)

    def _quote_below(self, context: QuestionContext, plan: Plan, written: Written) -> str:
        """What answers without a model, for below its explanation, as far as that does not say it already."""
        is_explained = written.route is Route.CHAIN_OF_TEACH and context.mode is Mode.ANSWER
        if not self._quotes or not is_explained or context.wish.shorter:
            return ""
        quoted = self._without_model(context, replace(plan, near=False), None).text
        sentences = [quoted[start:end] for start, end in sentence_spans(quoted)]
        is_new = not all(is_told(sentence, (written.text,)) for sentence in sentences)
        if not is_new or not bind_citations(quoted, plan.candidates)[1]:
            return ""
        return f"\n\n{phrases.own_words(context.language)}\n\n{quoted}"

    def _come_closest(self, context: QuestionContext, plan: Plan) -> str:
        """What comes closest, said to be no more than that, where a model found no answer in it."""
        if not self._quotes or plan.route is not Route.CHAIN_OF_TEACH or context.mode is not Mode.ANSWER:
            return ""
        closest = self._without_model(context, replace(plan, near=True), None).text
        return closest if bind_citations(closest, plan.candidates)[1] else ""

    def _continue_offline(
        self, context: QuestionContext, plan: Plan, said: ModelText, offline: Written
    ) -> tuple[Written, str]:
        """What the model wrote stays, marked as incomplete, and the offline answer stands below it."""
        beginning = said.shown
        below = f"{close_blocks(beginning)}\n\n{phrases.broken_off(context.language)}\n\n{offline.text}"
        checked = None if plan.route is Route.CHIT_CHAT else self._check_support(context, plan, beginning)
        kept = beginning if checked is None else checked.text
        text = f"{kept.rstrip()}{below}"
        return replace(offline, text=text, checked=checked, quotes={}), below

    def _check(self, context: QuestionContext, plan: Plan, said: ModelText) -> Written:
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
        if plan.route is Route.CHIT_CHAT:
            return Written(route=plan.route, text=said.text, degraded=degraded)
        checked = self._check_support(context, plan, said.text)
        is_answer = context.mode is Mode.ANSWER and self._support.unsupported is not Unsupported.KEEP
        is_loose = self._quotes and not bind_citations(checked.text, plan.candidates)[1]
        if is_answer and (checked.holds_nothing or is_loose):
            return Written(
                route=Route.UNANSWERED,
                text=self._come_closest(context, plan) or self._apologise(context, plan),
                degraded=degraded or UNSUPPORTED,
                checked=checked,
            )
        return Written(route=plan.route, text=checked.text, degraded=degraded, checked=checked)

    def _check_support(self, context: QuestionContext, plan: Plan, text: str) -> Checked:
        return self._support.check(
            text,
            candidates=plan.candidates,
            steps=plan.steps,
            mark=phrases.unsupported(context.language),
            question=context.standalone,
            hidden=_hidden(context),
        )

    def _messages(self, context: QuestionContext, plan: Plan) -> tuple[ChatMessage, ...]:
        """The student's own words with their history; the stand-alone form is for retrieval only."""
        history = as_messages(unflagged(context.history)[-_TURNS_REMEMBERED:])
        if plan.route is Route.CHIT_CHAT:
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

    def _without_model(self, context: QuestionContext, plan: Plan, degraded: Degradation | None) -> Written:
        quotes: Mapping[int, str] = {}
        if context.in_distress:
            text = self._chit_chat.care(context.language)
        elif plan.route is Route.CHIT_CHAT:
            text = self._chit_chat.reply(
                context.question,
                course=context.course,
                intent=context.intent,
                language=context.language,
            )
        elif plan.text is not None:
            text = plan.text
        elif plan.retold is not None:
            text = plan.retold
        else:
            taught = self._teach(context, plan, plan.candidates)
            text, degraded = taught.text, gravest(degraded, _lacking(taught))
            cites = bind_citations(text, plan.candidates)[1]
            if plan.all_said is not None and (not cites or is_told(text, context.wish.told)):
                text = plan.all_said
            else:
                quotes = taught.quotes
        return Written(route=plan.route, text=text, degraded=degraded, quotes=quotes)

    def _teach(self, context: QuestionContext, plan: Plan, candidates: Sequence[Candidate]) -> Taught:
        comfort = self._chit_chat.comfort(context.question, context.language)
        taught = self._offline.teach(
            context.asked,
            searched=context.standalone,
            steps=plan.steps,
            candidates=candidates,
            language=context.language,
            hint=context.mode is Mode.HINT,
            refusal=context.course.refusal,
            wish=context.wish,
            near=plan.near,
            on_platform=context.intent.label is IntentLabel.PLATFORM,
        )
        return replace(taught, text=f"{comfort}\n\n{taught.text}") if comfort else taught


def _lacking(taught: Taught) -> Degradation | None:
    return None if taught.is_answer else CLOSEST


def _hidden(context: QuestionContext) -> Source | None:
    """The source that a hint does not show: an FAQ answer may be the solution."""
    return Source.FAQ if context.mode is Mode.HINT else None


def _sources(context: QuestionContext, plan: Plan) -> tuple[Citation, ...]:
    """What a language model reasons on, numbered as it may cite it; nothing for small talk."""
    if plan.route is not Route.CHAIN_OF_TEACH:
        return ()
    numbered = enumerate(plan.candidates, start=1)
    return tuple(cite(n, each) for n, each in numbered if each.pair.source is not _hidden(context))


def _titles(plan: Plan, numbers: range) -> dict[int, str]:
    """The titles of these candidates by number, each once."""
    titles = {
        title_of(plan.candidates[n - 1].pair): n for n in reversed(numbers) if n <= len(plan.candidates)
    }
    return {n: title for title, n in reversed(titles.items())}
