"""A follow-up made to stand alone: searched with its subject before it, rephrased where there is a model.

The model is asked only where a question goes on with the subject, so that one which stands alone, or opens a
dialogue, costs no call. Its reply counts only where `find_fault` finds none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from prompts.messages import standalone_messages
from vta.dialogue.history import unflagged
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.tracing import Tracer
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.languages import Language
from vta.ports import LanguageModel
from vta.text import Analyser, detect_language, normalise
from vta.types.courses import ConceptId

LONGEST_STANDALONE = 300
"""Characters."""
LONGEST_WAIT_S = 5.0
"""How long the model may take to rewrite: the answer is still to come."""

LinkText = Callable[[str], frozenset[ConceptId]]


class Rewriter:
    """Has a language model reword follow-ups. Where it fails, the subject before the question will do."""

    def __init__(self, model: LanguageModel, analyser: Analyser) -> None:
        self._model = model
        self._analyser = analyser

    def helps(self, context: UnderstoodQuestion) -> bool:
        """Whether the question goes on with a subject, and does not name all that it is about."""
        if context.flagged or not context.goes_on:
            return False
        named = _link(context, context.question)
        return not (context.mentions and named >= _link(context, context.standalone))

    async def rewrite(self, context: UnderstoodQuestion, trace: Tracer) -> str | None:
        """The question as the model makes it stand alone; None where its words may not be used."""
        with trace.stage("follow_up_model") as decide:
            try:
                reply = await self._ask(context)
            except UpstreamFailed as failure:
                decide(f"as it is: {failure.message}")
                return None
            fault = await asyncio.to_thread(self._check, reply, context)
            decide(f"as it is: {fault}" if fault else reply)
            return None if fault else reply

    async def _ask(self, context: UnderstoodQuestion) -> str:
        course = context.course
        language = detect_language(context.question, course.language)
        history = unflagged(context.history)
        messages = standalone_messages(context.question, history=history, language=language)
        try:
            async with asyncio.timeout(LONGEST_WAIT_S):
                return (await self._model.complete(messages, course_id=course.id)).text.strip()
        except TimeoutError as error:
            raise UpstreamFailed(Fault("question.rewrite_too_slow")) from error

    def _check(self, reply: str, context: UnderstoodQuestion) -> str | None:
        return find_fault(
            reply,
            question=context.question,
            carried=context.standalone,
            said=[text for turn in context.history for text in (turn.question, turn.answer)],
            link=partial(_link, context),
            analyser=self._analyser,
        )


def reword(context: UnderstoodQuestion, reply: str | None) -> UnderstoodQuestion:
    """The question in the words of a model, where there are any."""
    if reply is None:
        return context
    mentions = context.knowledge.linker.link(reply, course=context.course)
    return replace(context, asked=reply, standalone=reply, mentions=mentions)


def _link(context: UnderstoodQuestion, text: str) -> frozenset[ConceptId]:
    return frozenset(m.concept.id for m in context.knowledge.linker.link(text, course=context.course))


def find_fault(
    reply: str,
    *,
    question: str,
    carried: str,
    said: Sequence[str],
    link: LinkText,
    analyser: Analyser,
) -> str | None:
    """Why a model's stand-alone question may not be used, or None.

    It is one line of at most `LONGEST_STANDALONE` characters in the language of the question. It names all
    concepts of the question, no concept that neither the dialogue (`said`) nor `carried` holds, and at least
    one of those of the subject before. It keeps the question's content words.
    """
    if not reply or len(reply.splitlines()) > 1:
        return "the reply is not one line"
    if len(reply) > LONGEST_STANDALONE:
        return f"the reply has more than {LONGEST_STANDALONE} characters"
    language = detect_language(carried, Language.EN)
    if detect_language(reply, language) is not language:
        return "the reply is in another language"
    own, both, named = link(question), link(carried), link(reply)
    if not own <= named:
        return "the reply leaves out a concept of the question"
    if both - own and not named & (both - own):
        return "the reply leaves out what the question is about"
    if not named <= both.union(*(link(text) for text in said)):
        return "the reply adds a concept"
    if lost := _missing(question, reply, analyser):
        return f"the reply leaves out words of the question: {', '.join(lost)}"
    return None


def _missing(question: str, reply: str, analyser: Analyser) -> list[str]:
    """The content words of the question that the reply lacks; a Chinese one may be cut otherwise there."""
    held, plain = set(analyser.words(reply)), normalise(reply)
    wanted = dict.fromkeys(analyser.content_words(question))
    return [word for word in wanted if word not in held and (word.isascii() or word not in plain)]
