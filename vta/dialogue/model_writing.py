"""The words of an answer by a language model: it reads what was found, and its reply is the answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from difflib import SequenceMatcher

from prompts.phrases import TEXTS
from prompts.primers import refusal_sentence
from vta.dialogue.degradations import SEARCH_FAILURES, model_failed
from vta.dialogue.grounding import cite, cited_numbers, unknown_citations
from vta.dialogue.history import as_messages, last_answered
from vta.dialogue.model_text import ModelText, ReplyEnding, close_blocks, stream_model
from vta.dialogue.plan import PlaceExplained, Plan, PracticeHelp, SmallTalk, Teach
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.reading_list import Librarian, ReadingList
from vta.dialogue.small_talk import CaringChitChat
from vta.dialogue.teaching.builder import ChainOfTeach
from vta.dialogue.writing import OfflineWriter, Written, apologise, is_for_no_model
from vta.errors import LimitExceeded
from vta.languages import Language
from vta.ports import Guard, LanguageModel
from vta.types.answers import Citation, Delta, Route, SourcesFound
from vta.types.language_model import ChatMessage
from vta.types.pairs import Degradation
from vta.types.questions import IntentLabel, Mode

_ALMOST = 0.85
"""How alike, letter by letter, a reply is to the sentence of refusal which stands for it."""
_TURNS_REMEMBERED = 3
_TALKED_ABOUT = 8
"""So many passages go along with small talk."""


class ModelWriter:
    """Lets a language model write; where it fails, the `offline` writer does, and the answer declares it."""

    def __init__(
        self,
        model: LanguageModel,
        *,
        offline: OfflineWriter,
        librarian: Librarian,
        prompts: ChainOfTeach,
        chit_chat: CaringChitChat,
        guard: Guard | None,
    ) -> None:
        self._model = model
        self._offline = offline
        self._librarian = librarian
        self._prompts = prompts
        self._chit_chat = chit_chat
        self._guard = guard

    def writes(self, context: UnderstoodQuestion, plan: Plan) -> bool:
        """Whether a model may write this: it explains and chats, and sees nothing that the guard flagged."""
        if context.flagged:
            return False
        return isinstance(plan, Teach | PlaceExplained) or (
            isinstance(plan, SmallTalk) and not is_for_no_model(context)
        )

    async def stream(
        self, context: UnderstoodQuestion, plan: Plan
    ) -> AsyncGenerator[SourcesFound | Delta | Written, None]:
        """The sources, the answer piece by piece as it is written, and finally the whole."""
        try:
            reading = await asyncio.to_thread(self._gather, context, plan)
            messages = await asyncio.to_thread(self._messages, context, plan, reading)
        except (*SEARCH_FAILURES, LimitExceeded) as failure:
            written = await asyncio.to_thread(self._offline.write, context, plan, model_failed(failure))
            yield Delta(text=written.text)
            yield written
            return
        said = ModelText(text="", shown="", ending=ReplyEnding.BROKEN_OFF, degraded=None)
        if sources := _sources(context, plan, reading):
            yield SourcesFound(sources=sources)
        refusal = refusal_sentence(context.language)
        course = context.course
        pieces = stream_model(self._model, messages, course_id=course.id, refusal=refusal, tone=course.tone)
        async with aclosing(pieces):
            async for piece in pieces:
                if isinstance(piece, ModelText):
                    said = piece
                else:
                    yield piece
        written, rest = await asyncio.to_thread(self._conclude, context, plan, reading, said)
        if rest:
            yield Delta(text=rest)
        yield written

    def _gather(self, context: UnderstoodQuestion, plan: Plan) -> ReadingList:
        """The reading list; a later question that is no operation is searched with the last one and alone."""
        if isinstance(plan, PlaceExplained):
            return ReadingList(plan.candidates, tuple(range(1, len(plan.candidates) + 1)))
        before = None if context.is_operation else last_answered(context.history)
        later = (context.question, f"{before.standalone_question} {context.question}") if before else ()
        found = (*plan.candidates, *([context.told] if context.told else ()))
        return self._librarian.gather(context, found, context.standalone, *later)

    def _conclude(
        self, context: UnderstoodQuestion, plan: Plan, reading: ReadingList, said: ModelText
    ) -> tuple[Written, str]:
        """The answer from the model's text, and the part that is still to be shown.

        Small talk is never refused: a reply without a model replaces the refusal.
        """
        refuses = _refuses(said.text)
        if said.is_answer and not refuses:
            return self._written(plan, reading, said), said.text.removeprefix(said.shown)
        if said.is_answer and not isinstance(plan, SmallTalk):
            text = apologise(context, plan)
            return Written(route=Route.UNANSWERED, text=text, degraded=said.degraded), text
        offline = self._offline.write(context, plan, said.degraded)
        if not said.shown:
            return offline, offline.text
        if refuses or said.ending is ReplyEnding.LEAKED:
            # what was shown is taken back, at least where stored
            return offline, f"{close_blocks(said.text)}\n\n---\n\n{offline.text}"
        notice = TEXTS[context.language]["broken_off"]
        below = f"{close_blocks(said.shown)}\n\n{notice}\n\n{offline.text}"
        text = f"{said.shown.rstrip()}{below}"
        written = Written(
            route=offline.route,
            text=text,
            degraded=offline.degraded,
            candidates=reading.candidates,
            by_model=True,
        )
        return written, below

    def _written(self, plan: Plan, reading: ReadingList, said: ModelText) -> Written:
        """The model's text as it is; small talk that cites the course is an answer of the course."""
        degraded = said.degraded
        if unknown := unknown_citations(said.text, reading.candidates):
            cited = ", ".join(f"[{n}]" for n in unknown)
            degraded = degraded or Degradation(
                stage="grounding", reason=f"cites {cited}, which is not from course material"
            )
        answers = isinstance(plan, SmallTalk) and cited_numbers(said.text)
        return Written(
            route=Route.CHAIN_OF_TEACH if answers else plan.route,
            text=said.text,
            degraded=degraded,
            candidates=reading.candidates,
            by_model=True,
        )

    def _messages(
        self, context: UnderstoodQuestion, plan: Plan, reading: ReadingList
    ) -> tuple[ChatMessage, ...]:
        """The student's own words with their history; the stand-alone form is for retrieval only."""
        history = as_messages(context.history, self._guard, _TURNS_REMEMBERED)
        if isinstance(plan, SmallTalk):
            return self._chit_chat.prompt(
                context.question,
                course=context.course,
                intent=context.intent,
                knowledge=reading.candidates[:_TALKED_ABOUT],
                history=history,
                language=context.language,
            )
        return self._prompts.build(
            context.question,
            steps=plan.steps,
            candidates=reading.candidates,
            language=context.language,
            order=reading.order,
            history=history,
            hint=context.mode is Mode.HINT,
            is_complex=context.intent.label is IntentLabel.COMPLEX,
            in_steps=context.style.in_steps,
            tone=context.course.tone,
            practice=plan if isinstance(plan, PracticeHelp) else None,
        ).messages


def _refuses(text: str) -> bool:
    """Whether a reply cites nothing and is the sentence of refusal in either language, or nearly."""
    bare = text.strip()
    return not cited_numbers(bare) and any(
        refusal in bare or SequenceMatcher(None, refusal, bare).ratio() >= _ALMOST
        for refusal in map(refusal_sentence, Language)
    )


def _sources(context: UnderstoodQuestion, plan: Plan, reading: ReadingList) -> tuple[Citation, ...]:
    """The numbered sources of a language model; none for small talk."""
    if isinstance(plan, SmallTalk):
        return ()
    return tuple(cite(n, each) for n, each in enumerate(reading.candidates, start=1))
