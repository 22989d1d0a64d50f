"""A follow-up made to stand alone: by rules, and in better words by the language model where there is one.

The rules decide whether a question is a follow-up; only then is the model asked, so that a question which
stands alone, or opens a dialogue, costs no call. Its reply counts only where `find_fault` finds none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from vta.dialogue.history import unflagged
from vta.dialogue.tracing import Tracer
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.ports import FollowUpRewriter, Knowledge, LanguageModel, StandalonePrompt
from vta.text import Analyser, detect_language, normalise
from vta.threads import in_thread, require_loop
from vta.types import ConceptId, Course, FollowUp, Language, PastTurn

LONGEST_STANDALONE = 300
"""Characters."""
LONGEST_WAIT_S = 5.0
"""How long the model may take to rewrite: the answer is still to come."""

LinkText = Callable[[str], frozenset[ConceptId]]


class StandaloneQuestions:
    """Makes questions stand alone. What the model fails at or gets wrong, the rules have done already."""

    def __init__(
        self,
        *,
        rules: FollowUpRewriter,
        prompt: StandalonePrompt,
        model: LanguageModel | None,
        analyser: Analyser,
    ) -> None:
        self._rules = rules
        self._prompt = prompt
        self._model = model
        self._analyser = analyser

    async def rewrite(
        self,
        question: str,
        *,
        course: Course,
        history: Sequence[PastTurn],
        knowledge: Knowledge,
        trace: Tracer,
        by_rules_only: bool = False,
    ) -> FollowUp:
        """The question as one that stands alone, for retrieval, and what it wants of the last answer.

        `by_rules_only` keeps a suspicious question from the model. An operation on the last answer needs no
        better words.
        """
        with trace.stage("follow_up") as decide:
            read = await in_thread(self._read, question, course, history, knowledge)
            by_rules = read.question
            decide(by_rules if by_rules != question else "stands alone")
        if self._model is None or by_rules_only or by_rules == question or read.wish is not None:
            return read

        def link(text: str) -> frozenset[ConceptId]:
            return frozenset(m.concept.id for m in knowledge.linker.link(text, course=course))

        with trace.stage("follow_up_model") as decide:
            try:
                reply = await self._ask(self._model, question, course, history)
            except UpstreamFailed as failure:
                decide(f"by rules: {failure.message}")
                return read
            said = [text for turn in history for text in (turn.question, turn.answer)]
            fault = await in_thread(
                find_fault,
                reply,
                question=question,
                by_rules=by_rules,
                said=said,
                link=link,
                analyser=self._analyser,
            )
            decide(f"by rules: {fault}" if fault else reply)
            return read if fault else FollowUp(question=reply)

    def by_rules(
        self, question: str, course: Course, history: Sequence[PastTurn], knowledge: Knowledge
    ) -> str:
        """The stand-alone question by the rules alone."""
        return self._read(question, course, history, knowledge).question

    def _read(
        self, question: str, course: Course, history: Sequence[PastTurn], knowledge: Knowledge
    ) -> FollowUp:
        mentions = knowledge.linker.link(question, course=course)
        return self._rules.read(question, history=history, mentions=mentions)

    async def _ask(
        self, model: LanguageModel, question: str, course: Course, history: Sequence[PastTurn]
    ) -> str:
        require_loop()
        language = detect_language(question, course.language)
        messages = self._prompt.build(question, history=unflagged(history), language=language)
        try:
            async with asyncio.timeout(LONGEST_WAIT_S):
                return (await model.complete(messages, course_id=course.id)).text.strip()
        except TimeoutError as error:
            raise UpstreamFailed(Fault("question.rewrite_too_slow")) from error


def find_fault(
    reply: str,
    *,
    question: str,
    by_rules: str,
    said: Sequence[str],
    link: LinkText,
    analyser: Analyser,
) -> str | None:
    """Why a model's stand-alone question may not be used, or None.

    It is one line of at most `LONGEST_STANDALONE` characters in the language of the question. It names all
    concepts of the question, no concept that neither the dialogue (`said`) nor the rules' form holds, and at
    least one of those that the rules carried over. It keeps the question's content words.
    """
    if not reply or len(reply.splitlines()) > 1:
        return "the reply is not one line"
    if len(reply) > LONGEST_STANDALONE:
        return f"the reply has more than {LONGEST_STANDALONE} characters"
    language = detect_language(by_rules, Language.EN)
    if detect_language(reply, language) is not language:
        return "the reply is in another language"
    own, carried, named = link(question), link(by_rules), link(reply)
    if not own <= named:
        return "the reply leaves out a concept of the question"
    if carried - own and not named & (carried - own):
        return "the reply leaves out what the question is about"
    if not named <= carried.union(*(link(text) for text in said)):
        return "the reply adds a concept"
    if lost := _missing(question, reply, analyser):
        return f"the reply leaves out words of the question: {', '.join(lost)}"
    return None


def _missing(question: str, reply: str, analyser: Analyser) -> list[str]:
    """The content words of the question that the reply lacks; a Chinese one may be cut otherwise there."""
    held, plain = set(analyser.words(reply)), normalise(reply)
    wanted = dict.fromkeys(analyser.content_words(question))
    return [word for word in wanted if word not in held and (word.isascii() or word not in plain)]
