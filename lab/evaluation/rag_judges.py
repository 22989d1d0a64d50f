"""Who gives the verdicts on an answer: the words of the texts, or a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lab import judging
from lab.measures.overlap import WordOverlap
from lab.measures.rag import GENERATED_QUESTIONS, answer_relevancy
from services.language_model.structured import StructuredAnswers
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.languages import Language
from vta.ports import Embedder
from vta.text import detect_language


class RagJudge(Protocol):
    """Gives verdicts on texts. `UpstreamFailed` where a language model that is asked fails."""

    @property
    def told(self) -> dict[str, str]:
        """How it judges, for the report."""
        ...

    async def supported(self, question: str, text: str, passages: Sequence[str]) -> list[bool]:
        """For each statement that a text makes, whether the passages say so."""
        ...

    async def useful(self, question: str, reference: str, passages: Sequence[str]) -> list[bool]:
        """For each passage, whether it helps to arrive at the reference."""
        ...

    async def relevancy(self, question: str, text: str) -> float:
        """How much an answer answers the question, 0..1."""
        ...


class WordJudge:
    """Verdicts by shared words: a claim is supported where one passage holds 0.4 of its content words.

    It understands nothing: a denial has the words of what it denies, and a paraphrase has others.
    """

    def __init__(self, overlap: WordOverlap) -> None:
        self._overlap = overlap

    @property
    def told(self) -> dict[str, str]:
        return {
            "judge": "words",
            "statements": "sentences",
            "support": "one passage holds 0.4 of a sentence's content words",
            "relevancy": "share of the question's content words in the answer",
        }

    async def supported(self, question: str, text: str, passages: Sequence[str]) -> list[bool]:
        return self._overlap.held(self._overlap.claims(text), passages)

    async def useful(self, question: str, reference: str, passages: Sequence[str]) -> list[bool]:
        """A passage is useful that holds one of the reference's claims."""
        claims = self._overlap.claims(reference)
        return [any(self._overlap.held(claims, [passage])) for passage in passages]

    async def relevancy(self, question: str, text: str) -> float:
        return self._overlap.coverage(question, text)


@dataclass(frozen=True, slots=True)
class Statements:
    """What a text states."""

    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Yes or no for each of what was asked about, in order."""

    verdicts: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class AnsweredQuestions:
    """Questions that a text answers, and whether it evades."""

    questions: tuple[str, ...]
    noncommittal: bool


class ModelJudge:
    """Verdicts by a language model, in the steps of RAGAS: extract statements, then judge each."""

    def __init__(
        self, model: StructuredAnswers, *, name: str, overlap: WordOverlap, embedder: Embedder | None
    ) -> None:
        """Questions are compared by `embedder`, else by their words."""
        self._model, self._name = model, name
        self._overlap, self._embedder = overlap, embedder

    @property
    def told(self) -> dict[str, str]:
        compared = f"embeddings of {self._embedder.name}" if self._embedder else "words"
        return {
            "judge": f"model {self._name}",
            "statements": "extracted by the model",
            "support": "the model says that the passages imply it",
            "relevancy": f"mean cosine of {GENERATED_QUESTIONS} generated questions, by {compared}",
        }

    async def supported(self, question: str, text: str, passages: Sequence[str]) -> list[bool]:
        language = detect_language(question, Language.EN)
        asked = judging.statements(question, text, language)
        statements = (await self._model.fill(asked, Statements, language=language)).statements
        if not statements or not passages:
            return [False] * len(statements)
        judged = judging.verdicts(statements, passages, language)
        found = await self._model.fill(judged, Verdicts, language=language)
        return _checked(found.verdicts, len(statements))

    async def useful(self, question: str, reference: str, passages: Sequence[str]) -> list[bool]:
        if not passages:
            return []
        language = detect_language(question, Language.EN)
        judged = judging.useful(question, reference, passages, language)
        found = await self._model.fill(judged, Verdicts, language=language)
        return _checked(found.verdicts, len(passages))

    async def relevancy(self, question: str, text: str) -> float:
        language = detect_language(question, Language.EN)
        asked = judging.questions(text, GENERATED_QUESTIONS, language)
        found = await self._model.fill(asked, AnsweredQuestions, language=language)
        alike = [self._similarity(question, each) for each in found.questions[:GENERATED_QUESTIONS]]
        return answer_relevancy(alike, noncommittal=found.noncommittal)

    def _similarity(self, one: str, other: str) -> float:
        if self._embedder is None:
            return self._overlap.similarity(one, other)
        first, second = self._embedder.embed([one, other])
        return float(np.dot(first, second))


def _checked(verdicts: Sequence[bool], count: int) -> list[bool]:
    if len(verdicts) != count:
        raise UpstreamFailed(Fault("model.verdicts", count=len(verdicts), wanted=count))
    return list(verdicts)
