"""A follow-up made to stand alone: searched with its subject before it, rephrased where there is a model.

The model is asked only where a question goes on with the subject, so that one which stands alone, or opens a
dialogue, costs no call. Its reply counts only where `find_fault` finds none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from prompts.follow_up import standalone_messages
from vta.dialogue.follow_up import read_follow_up
from vta.dialogue.history import unflagged
from vta.dialogue.question import QuestionContext
from vta.dialogue.tracing import Tracer
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.ports import Knowledge, LanguageModel
from vta.text import Analyser, detect_language, normalise
from vta.threads import in_thread, require_loop
from vta.types import ConceptId, Course, FollowUp, Language, PastTurn

LONGEST_STANDALONE = 300
"""Characters."""
LONGEST_WAIT_S = 5.0
"""How long the model may take to rewrite: the answer is still to come."""

LinkText = Callable[[str], frozenset[ConceptId]]


class StandaloneQuestions:
    """Makes questions stand alone. Where the model fails, the subject before the question does it already."""

    def __init__(
        self,
        *,
        model: LanguageModel | None,
        analyser: Analyser,
    ) -> None:
        self._model = model
        self.analyser = analyser

    def read(
        self, question: str, course: Course, history: Sequence[PastTurn], knowledge: Knowledge
    ) -> FollowUp:
        """What the question wants of the turns before it, by rules."""
        mentions = knowledge.linker.link(question, course=course)
        return read_follow_up(question, history=history, mentions=mentions)

    async def rephrase(self, context: QuestionContext, trace: Tracer) -> str | None:
        """The question of a context that goes on, as the model makes it stand alone.

        None without a model, where its words may not be used, and where the question names all that it is
        about.
        """
        course, knowledge, question = context.course, context.knowledge, context.question

        def link(text: str) -> frozenset[ConceptId]:
            return frozenset(m.concept.id for m in knowledge.linker.link(text, course=course))

        if self._model is None or (context.mentions and link(question) >= link(context.standalone)):
            return None
        with trace.stage("follow_up_model") as decide:
            try:
                reply = await self._ask(self._model, question, course, context.history)
            except UpstreamFailed as failure:
                decide(f"as it is: {failure.message}")
                return None
            said = [text for turn in context.history for text in (turn.question, turn.answer)]
            fault = await in_thread(
                find_fault,
                reply,
                question=question,
                carried=context.standalone,
                said=said,
                link=link,
                analyser=self.analyser,
            )
            decide(f"as it is: {fault}" if fault else reply)
            return None if fault else reply

    async def _ask(
        self, model: LanguageModel, question: str, course: Course, history: Sequence[PastTurn]
    ) -> str:
        require_loop()
        language = detect_language(question, course.language)
        messages = standalone_messages(question, history=unflagged(history), language=language)
        try:
            async with asyncio.timeout(LONGEST_WAIT_S):
                return (await model.complete(messages, course_id=course.id)).text.strip()
        except TimeoutError as error:
            raise UpstreamFailed(Fault("question.rewrite_too_slow")) from error


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
