"""Yes/no questions over transcript files and over the subtitles of a course: map over chunks, then reduce."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

from knowledge.sources.decoding import read_text_file
from knowledge.sources.subtitles import read_subtitles
from knowledge.sources.text import read_text
from prompts.render import escape_markup, quote_data, render
from services.language_model.structured import StructuredAnswers
from services.stores import Stores
from vta.dialogue.position import is_transcript, timed_sentences
from vta.dialogue.question import check_question
from vta.errors import InvalidInput, LimitExceeded, NotFound, UpstreamFailed
from vta.faults import Fault
from vta.languages import Language
from vta.ports import LanguageModel
from vta.quotes import Line, find_quotes
from vta.text import Analyser, detect_language
from vta.tokens import estimate_tokens, message_tokens
from vta.types.courses import CourseId
from vta.types.language_model import ChatMessage
from vta.types.pairs import Degradation

METHODS = ("naive", "explain")
SMALLEST_CHUNK = 32
"""Tokens. A language model that has less room than this beside its prompt cannot read a transcript."""
_DOCUMENT_MARKS = 16
"""Tokens of the marks around a document of a prompt."""
_MOST_PASSAGES = 3
YesNo = Literal["yes", "no", "unknown"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkFinding:
    """Reply to `find`: whether one chunk says so, and its words that say it."""

    quotes: tuple[str, ...] = ()
    answer: YesNo


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """Reply to `explain`, the map: what one chunk says about the question; empty where it says nothing."""

    quotes: tuple[str, ...] = ()
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Reply to `conclude`, the reduce: one answer from all explanations."""

    explanation: str = ""
    answer: YesNo


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptAnswer:
    """`chunks` counts all of them, asked or not; `degraded` says why no model answered."""

    answer: YesNo
    explanation: str = ""
    quotes: tuple[Line, ...] = ()
    chunks: int = 0
    calls: int = 0
    tokens: int = 0
    degraded: Degradation | None = None


async def ask_transcript(
    lines: Sequence[Line],
    question: str,
    *,
    method: str,
    model: LanguageModel | None,
    context_tokens: int,
    output_tokens: int,
    course_id: CourseId | None = None,
) -> TranscriptAnswer:
    """The answer with its cost. Without a model, or where it fails: the best passages, and `unknown`.

    `InvalidInput` for a faulty question or method; `LimitExceeded` where a prompt leaves no room for a chunk.
    """
    if method not in METHODS:
        raise InvalidInput(Fault("transcript.method", name=method), field="method")
    check_question(question)
    if model is None:
        return _unread(lines, question, "no language model is configured")
    answers = StructuredAnswers(model, course_id=course_id)
    reader = _Reader(answers, question, limit=context_tokens, output=output_tokens)
    chunks = cut(lines, size=reader.room("find" if method == "naive" else "explain"))
    try:
        answer = await (reader.find(chunks) if method == "naive" else reader.explain(chunks))
    except UpstreamFailed as failure:
        answer = _unread(lines, question, failure.message)
    return replace(answer, chunks=len(chunks), calls=answers.calls, tokens=answers.tokens)


class _Reader:
    """One question, a language model, and its context of `limit` tokens, `output` of them for a reply."""

    def __init__(self, model: StructuredAnswers, question: str, *, limit: int, output: int) -> None:
        self._model = model
        self._question = question
        self._language = detect_language(question, Language.EN)
        self._limit, self._output = limit, output

    def room(self, step: str) -> int:
        """Chunk size = limit - output - prompt, in tokens."""
        prompt = message_tokens(self._messages(step, ""))
        size = self._limit - self._output - prompt
        if size < SMALLEST_CHUNK:
            fault = Fault(
                "transcript.no_room",
                prompt=prompt,
                output=self._output,
                size=size,
                limit=self._limit,
                needed=SMALLEST_CHUNK,
            )
            raise LimitExceeded(fault)
        return size

    async def find(self, chunks: Sequence[Sequence[Line]]) -> TranscriptAnswer:
        """`naive`: chunk by chunk to the first yes that a quote supports."""
        denied: list[Line] = []
        answer: YesNo = "unknown"
        for chunk in chunks:
            found = await self._ask("find", ChunkFinding, text_of(chunk))
            quotes = find_quotes(found.quotes, chunk)
            if found.answer == "yes" and quotes:
                return TranscriptAnswer(answer="yes", quotes=tuple(quotes))
            if found.answer == "no":
                answer = "no"
                denied += quotes
        return TranscriptAnswer(answer=answer, quotes=tuple(denied))

    async def explain(self, chunks: Sequence[Sequence[Line]]) -> TranscriptAnswer:
        """Map: an explanation per chunk. Reduce: one verdict, `unknown` for a yes without any quote."""
        notes: list[str] = []
        quotes: list[Line] = []
        for chunk in chunks:
            explained = await self._ask("explain", Explained, text_of(chunk))
            found = find_quotes(explained.quotes, chunk)
            quotes += found
            if explanation := explained.explanation.strip():
                notes.append("\n".join([explanation, *(f'"{quote.text}"' for quote in found)]))
        verdict = await self._conclude(notes) if notes else Verdict(answer="unknown")
        return TranscriptAnswer(
            answer="unknown" if verdict.answer == "yes" and not quotes else verdict.answer,
            explanation=verdict.explanation,
            quotes=tuple(quotes),
        )

    async def _conclude(self, notes: Sequence[str]) -> Verdict:
        """One verdict; where the notes do not fit together, verdicts over parts of them first."""
        size = self.room("conclude") - _DOCUMENT_MARKS
        while True:
            parts = cut([Line(text=note) for note in notes], size=size, between=_DOCUMENT_MARKS)
            if 1 < len(parts) >= len(notes):
                raise LimitExceeded(Fault("transcript.explanations_too_long"))
            verdicts = [await self._ask("conclude", Verdict, *(line.text for line in part)) for part in parts]
            if len(verdicts) == 1:
                return verdicts[0]
            notes = [f"{verdict.answer}: {verdict.explanation}" for verdict in verdicts]

    async def _ask(self, step: str, shape: type[T], *texts: str) -> T:
        return await self._model.fill(self._messages(step, *texts), shape, language=self._language)

    def _messages(self, step: str, *texts: str) -> tuple[ChatMessage, ...]:
        return transcript_messages(step, self._question, texts, self._language)


def transcript_messages(
    step: str, question: str, texts: Sequence[str], language: Language
) -> tuple[ChatMessage, ...]:
    """The prompt of a step (`find`, `explain` or `conclude`) with the texts as quoted documents."""
    documents = [quote_data(text, n) for n, text in enumerate(texts, start=1)]
    asked = render(f"transcripts/{step}.{language}.j2", question=question, documents=documents)
    return (
        ChatMessage(role="system", content=render(f"transcripts/system.{language}.j2")),
        ChatMessage(role="user", content=asked),
    )


def cut(lines: Iterable[Line], *, size: int, between: int = 1) -> list[list[Line]]:
    """The lines in order, as many per chunk as `size` tokens hold; only a longer line is cut itself.

    `between` is the number of tokens between two lines.
    """
    chunks: list[list[Line]] = []
    used = 0
    for line in lines:
        for text in _parts(line.text.strip(), size):
            if not chunks or used + _count(text) > size:
                chunks.append([])
                used = 0
            chunks[-1].append(replace(line, text=text))
            used += _count(text) + between
    return chunks


def _parts(text: str, size: int) -> Iterator[str]:
    """The text, or the parts of its halves where it is too long; cut at a blank where one is near."""
    if len(text) < 2 or _count(text) <= size:
        yield from filter(None, [text])
        return
    middle = len(text) // 2
    blank = text.find(" ", middle, middle + 40)
    at = blank if blank > 0 else middle
    yield from _parts(text[:at].strip(), size)
    yield from _parts(text[at:].strip(), size)


def _count(text: str) -> int:
    """Tokens of a text in a prompt, where it is escaped."""
    return estimate_tokens(escape_markup(text))


def text_of(chunk: Iterable[Line]) -> str:
    """The text of a chunk, one line each."""
    return "\n".join(line.text for line in chunk)


def _unread(lines: Sequence[Line], question: str, reason: str) -> TranscriptAnswer:
    language = detect_language(question, Language.EN)
    return TranscriptAnswer(
        answer="unknown",
        explanation=render(f"transcripts/unknown.{language}.j2"),
        quotes=best_lines(lines, question),
        degraded=Degradation(stage="language_model", reason=reason),
    )


def best_lines(lines: Sequence[Line], question: str) -> tuple[Line, ...]:
    """At most `_MOST_PASSAGES` lines that share rare words with the question, best first, ties in order."""
    analyser = Analyser()
    wanted = {*analyser.content_words(question), *_grams(question, analyser)}
    shared = [wanted & {*analyser.words(line.text), *_grams(line.text, analyser)} for line in lines]
    lines_with = Counter(token for tokens in shared for token in tokens)
    scores = [sum(math.log(1 + len(lines) / lines_with[token]) for token in tokens) for tokens in shared]
    order = sorted((n for n, score in enumerate(scores) if score), key=lambda n: -scores[n])
    return tuple(lines[n] for n in order[:_MOST_PASSAGES])


def _grams(text: str, analyser: Analyser) -> list[str]:
    return [gram for gram in analyser.grams(text) if len(gram) > 1]


def read_transcript(file: Path) -> list[Line]:
    """The sentences of SRT or WebVTT with their seconds, or the paragraphs of any other text.

    `InvalidInput` where part of it cannot be read: a "no" needs the whole text.
    """
    read = read_subtitles if is_transcript(file.name) else read_text
    try:
        with file.open("rb") as opened:
            document = read(read_text_file(opened, path=str(file)), path=str(file))
    except OSError as error:
        raise InvalidInput(Fault("file.unreadable", reason=str(error.strerror)).at(str(file))) from error
    if document.rejected:
        raise InvalidInput(document.rejected[0].fault)
    return [
        Line(text=block.text, start=block.locator.start_s, video=block.locator.video)
        for block in document.blocks
    ]


def course_lines(stores: Stores, course_id: CourseId) -> list[Line]:
    """The sentences of a course's subtitles; inside a passage the second is interpolated.

    `NotFound` for an unknown course or one without subtitles.
    """
    stores.courses.course(course_id)
    lines = [
        Line(text=text, start=round(second, 1), video=pair.locator.video)
        for pair in stores.documents.pairs(course_id)
        if pair.locator.video and pair.locator.start_s is not None
        for second, _, text in timed_sentences(pair)
    ]
    if not lines:
        raise NotFound(Fault("subtitles.none_in_course", course=course_id))
    return lines
