"""What a language model says of a question that the guard is unsure about.

A clear verdict costs no call. What the model fails at, or answers with anything but the one word that it was
asked for, leaves the guard's own verdict. A model that is led astray by the text can let it pass or flag it,
and no more: rights and other people's data do not hang on it.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from vta.dialogue.tracing import Tracer
from vta.errors import VtaError
from vta.ports import LanguageModel, SuspicionPrompt
from vta.text import detect_language
from vta.threads import require_loop
from vta.types import Course, Suspicion

LONGEST_WAIT_S = 3.0
"""How long the model may take: the answer is still to come."""
KIND_BY_MODEL = "instruction_override"
"""The kind of an attack that the model alone saw: it is not asked which."""


class SecondOpinion:
    """Asks a model about unclear verdicts."""

    def __init__(self, *, prompt: SuspicionPrompt, model: LanguageModel) -> None:
        self._prompt = prompt
        self._model = model

    async def reconsider(
        self, suspicion: Suspicion, text: str, *, course: Course, trace: Tracer
    ) -> Suspicion:
        """The verdict on a text after the model was asked; the same where it is clear."""
        if not suspicion.unclear:
            return suspicion
        require_loop()
        with trace.stage("second_opinion") as decide:
            language = detect_language(text, course.language)
            messages, schema = self._prompt.build(text, language=language), self._prompt.schema(language)
            try:
                async with asyncio.timeout(LONGEST_WAIT_S):
                    reply = (await self._model.complete(messages, course_id=course.id, schema=schema)).text
            except (VtaError, TimeoutError) as failure:
                decide(f"none: {type(failure).__name__}")
                return suspicion
            attack = self._prompt.is_attack(reply)
            if attack is None:
                decide("none: not the word that was asked for")
                return suspicion
            decide("attack" if attack else "question")
            kind = (suspicion.kind or KIND_BY_MODEL) if attack else None
            return replace(suspicion, flag=attack, kind=kind, unclear=False)
