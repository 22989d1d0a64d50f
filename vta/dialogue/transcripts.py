"""A yes/no question over chunks of a transcript: naive, or map and reduce."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prompts.messages import conclude_messages, explain_messages, find_messages
from vta.errors import LimitExceeded
from vta.faults import Fault
from vta.languages import Language
from vta.ports import StructuredModel
from vta.tokens import message_tokens
from vta.transcripts import (
    ChunkFinding,
    Count,
    Explained,
    Line,
    Method,
    Quote,
    TranscriptAnswer,
    Verdict,
    chunk_size,
    cut,
    find_quotes,
    text_of,
)
from vta.types.language_model import ChatMessage

NOTE_MARKS = 16
"""Tokens of the marks around each note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads transcripts with a language model that holds `limit` tokens, `output` of them for its answer.

    `count` gives the tokens of a text of the transcript as it stands in a prompt, where it is escaped.
    A quote that does not occur in its chunk is dropped, and a yes without any quote that does is `unknown`.
    """

    model: StructuredModel
    limit: int
    output: int
    count: Count
    language: Language

    async def ask(self, lines: Sequence[Line], question: str, *, method: Method) -> TranscriptAnswer:
        """`UpstreamFailed` where the model fails, `LimitExceeded` where nothing fits beside the question."""
        chunks = self.chunks(lines, question, method=method)
        if method == "naive":
            return await self._ask_naively(chunks, question)
        return await self._ask_and_conclude(chunks, question)

    def chunks(self, lines: Sequence[Line], question: str, *, method: Method) -> list[tuple[Line, ...]]:
        """The lines cut so that each chunk fills what prompt and answer leave."""
        write = find_messages if method == "naive" else explain_messages
        return list(cut(lines, size=self._room(write(question, "", self.language)), count=self.count))

    async def _ask_naively(self, chunks: Sequence[tuple[Line, ...]], question: str) -> TranscriptAnswer:
        """Chunk by chunk, and no further than the first yes."""
        denied: list[Quote] = []
        seen_no = False
        for chunk in chunks:
            messages = find_messages(question, text_of(chunk), self.language)
            found = await self.model.fill(messages, ChunkFinding, language=self.language)
            quotes = find_quotes(found.quotes, chunk)
            if found.answer == "yes" and quotes:
                return TranscriptAnswer(answer="yes", explanation="", quotes=quotes, chunks=len(chunks))
            if found.answer == "no":
                seen_no = True
                denied += quotes
        return TranscriptAnswer(
            answer="no" if seen_no else "unknown", explanation="", quotes=tuple(denied), chunks=len(chunks)
        )

    async def _ask_and_conclude(self, chunks: Sequence[tuple[Line, ...]], question: str) -> TranscriptAnswer:
        """Map: an explanation with quotes a chunk. Reduce: yes, no or unknown from the explanations."""
        notes: list[str] = []
        quotes: list[Quote] = []
        for chunk in chunks:
            messages = explain_messages(question, text_of(chunk), self.language)
            explained = await self.model.fill(messages, Explained, language=self.language)
            found = find_quotes(explained.quotes, chunk)
            quotes += found
            if explained.explanation.strip():
                notes.append("\n".join([explained.explanation.strip(), *(f'"{q.text}"' for q in found)]))
        verdict = await self._conclude(notes, question) if notes else Verdict(answer="unknown")
        unfounded = verdict.answer == "yes" and not quotes
        return TranscriptAnswer(
            answer="unknown" if unfounded else verdict.answer,
            explanation=verdict.explanation,
            quotes=tuple(quotes),
            chunks=len(chunks),
        )

    async def _conclude(self, notes: Sequence[str], question: str) -> Verdict:
        """One verdict; where the notes do not fit together, verdicts over parts of them first."""
        size = self._room(conclude_messages(question, (), self.language))
        while True:
            parts = list(cut([Line(text=note) for note in notes], size=size, count=self._count_note))
            verdicts = [await self._judge([line.text for line in part], question) for part in parts]
            if len(verdicts) == 1:
                return verdicts[0]
            if len(parts) >= len(notes):
                raise LimitExceeded(Fault("transcript.explanations_too_long"))
            notes = [f"{verdict.answer}: {verdict.explanation}" for verdict in verdicts]

    async def _judge(self, notes: Sequence[str], question: str) -> Verdict:
        messages = conclude_messages(question, notes, self.language)
        return await self.model.fill(messages, Verdict, language=self.language)

    def _count_note(self, note: str) -> int:
        return self.count(note) + NOTE_MARKS

    def _room(self, empty: Sequence[ChatMessage]) -> int:
        return chunk_size(limit=self.limit, output=self.output, prompt=message_tokens(empty))
