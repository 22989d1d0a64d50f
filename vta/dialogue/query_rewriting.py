"""A follow-up reworded to stand alone by a language model (course-notes bots; query rewriting of TREC CAsT).

The model is asked only about a question that depends on the subject before it.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from prompts.messages import standalone_messages
from vta.dialogue.history import unflagged
from vta.dialogue.question import UnderstoodQuestion
from vta.dialogue.tracing import Tracer
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.ports import LanguageModel

LONGEST_STANDALONE = 300
"""Characters."""
LONGEST_WAIT_S = 10.0
"""How long the model may take to reword: the answer is still to come."""


class Rewriter:
    """Lets a language model reword follow-ups; where it fails, the subject stays before the question."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    def helps(self, context: UnderstoodQuestion) -> bool:
        """Whether the question depends on the dialogue and a model may see it."""
        return context.goes_on and not context.flagged

    async def rewrite(self, context: UnderstoodQuestion, trace: Tracer) -> str | None:
        """The stand-alone question of the model, on one line; None where it gives none."""
        messages = standalone_messages(
            context.question, history=unflagged(context.history), language=context.language
        )
        with trace.stage("follow_up_model") as tell:
            try:
                async with asyncio.timeout(LONGEST_WAIT_S):
                    reply = (await self._model.complete(messages, course_id=context.course.id)).text.strip()
            except (UpstreamFailed, TimeoutError) as failure:
                too_slow = isinstance(failure, TimeoutError)
                tell(f"not reworded: {Fault('question.rewrite_too_slow').text() if too_slow else failure}")
                return None
            is_question = bool(reply) and "\n" not in reply and len(reply) <= LONGEST_STANDALONE
            tell(reply if is_question else "not reworded: the reply is not one line")
            return reply if is_question else None


def reword(context: UnderstoodQuestion, reply: str | None) -> UnderstoodQuestion:
    """The question in the words of a model, where there are any."""
    if reply is None:
        return context
    mentions = context.knowledge.linker.link(reply, course=context.course)
    return replace(context, resolved=reply, standalone=reply, mentions=mentions)
