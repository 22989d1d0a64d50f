"""Yes/no questions over transcript files and over the subtitles of a course."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from knowledge.sources.decoding import read_text_file
from knowledge.sources.subtitles import read_subtitles
from knowledge.sources.text import read_text
from prompts.messages import unread_phrase
from prompts.render import escape_markup
from services.language_model.structured import StructuredAnswers
from services.stores import Stores
from vta.dialogue.position import timed_sentences
from vta.dialogue.question import check_question
from vta.dialogue.transcripts import Reader
from vta.errors import InvalidInput, NotFound, UpstreamFailed
from vta.faults import Fault
from vta.languages import Language
from vta.ports import LanguageModel
from vta.text import Analyser, detect_language
from vta.tokens import estimate_tokens
from vta.transcripts import Line, Method, TranscriptAnswer, best_passages
from vta.types.courses import CourseId
from vta.types.pairs import Degradation, QAPair

_SUBTITLES = frozenset({".srt", ".vtt"})


async def ask_transcript(
    lines: Sequence[Line],
    question: str,
    *,
    method: Method,
    model: LanguageModel | None,
    context_tokens: int,
    output_tokens: int,
    course_id: CourseId | None = None,
) -> TranscriptAnswer:
    """The answer with its cost. Without a model, or where it fails: the best passages, and `unknown`.

    `InvalidInput` for a question that is none; `LimitExceeded` where the model has no room for a transcript.
    """
    check_question(question)
    language = detect_language(question, Language.EN)
    if model is None:
        return _unread(lines, question, language, "no language model is configured")
    answers = StructuredAnswers(model, course_id=course_id)
    reader = Reader(
        model=answers,
        limit=context_tokens,
        output=output_tokens,
        count=_count,
        language=language,
    )
    try:
        answer = await reader.ask(lines, question, method=method)
    except UpstreamFailed as failure:
        chunks = len(reader.chunks(lines, question, method=method))
        answer = replace(_unread(lines, question, language, failure.message), chunks=chunks)
    return replace(answer, calls=answers.calls, tokens=answers.tokens)


async def ask_course_transcripts(
    stores: Stores,
    course_id: CourseId,
    question: str,
    *,
    method: Method = "explain",
    model: LanguageModel | None,
    context_tokens: int,
    output_tokens: int,
) -> TranscriptAnswer:
    """Does a lecture of the course say so? `NotFound` for an unknown course or one without subtitles."""
    stores.courses.course(course_id)
    return await ask_transcript(
        course_lines(stores.documents.pairs(course_id), course_id),
        question,
        method=method,
        model=model,
        context_tokens=context_tokens,
        output_tokens=output_tokens,
        course_id=course_id,
    )


def read_transcript(file: Path) -> tuple[Line, ...]:
    """The sentences of SRT or WebVTT with their seconds, or the paragraphs of any other text.

    `InvalidInput` where not all of it can be read: nothing can be denied of a part.
    """
    read = read_subtitles if file.suffix.lower() in _SUBTITLES else read_text
    try:
        with file.open("rb") as opened:
            document = read(read_text_file(opened, path=str(file)), path=str(file))
    except OSError as error:
        raise InvalidInput(Fault("file.unreadable", reason=str(error.strerror)).at(str(file))) from error
    if document.rejected:
        raise InvalidInput(document.rejected[0].fault)
    return tuple(
        Line(text=block.text, start_s=block.locator.start_s, video=block.locator.video)
        for block in document.blocks
    )


def course_lines(pairs: Iterable[QAPair], course_id: CourseId) -> tuple[Line, ...]:
    """The sentences of the subtitles among a course's pairs. Inside a passage the second is interpolated."""
    lines = tuple(
        line
        for pair in pairs
        if pair.locator.video and pair.locator.start_s is not None
        for line in _lines(pair)
    )
    if not lines:
        raise NotFound(Fault("subtitles.none_in_course", course=course_id))
    return lines


def _lines(pair: QAPair) -> Iterable[Line]:
    for second, _, text in timed_sentences(pair):
        yield Line(text=text, start_s=round(second, 1), video=pair.locator.video)


def _unread(lines: Sequence[Line], question: str, language: Language, reason: str) -> TranscriptAnswer:
    return TranscriptAnswer(
        answer="unknown",
        explanation=unread_phrase(language),
        quotes=best_passages(lines, question, analyser=Analyser()),
        chunks=0,
        degraded=Degradation(stage="language_model", reason=reason),
    )


def _count(text: str) -> int:
    """Tokens of a text as it stands in a prompt."""
    return estimate_tokens(escape_markup(text))
