"""`vta transcript ask`: yes/no questions over transcripts."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli.output import Home, Json, group, platform, run, show, show_json
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.places import format_time
from vta.types.courses import CourseId

if TYPE_CHECKING:
    from services.dialogue.transcripts import TranscriptAnswer

transcript_app = group('Transcripts. Example: vta transcript ask lecture.srt "Does he mention recursion?"')

MethodOption = Annotated[
    str, typer.Option(help="explain: read all parts, then conclude; naive: stop at the first yes.")
]


@transcript_app.command("ask")
def ask(
    arguments: Annotated[
        list[str],
        typer.Argument(metavar="[FILE...] QUESTION", help="SRT, WebVTT or text files, then the question."),
    ],
    method: MethodOption = "explain",
    course: Annotated[str | None, typer.Option(help="Ask the subtitles of this course instead.")] = None,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Ask a yes/no question about transcripts; answers quote them with the second.

    Example: vta transcript ask lecture.srt "Does the lecture say that a stack is a list?" --method naive
    """
    from services.dialogue.transcripts import ask_transcript, course_lines, read_transcript
    from services.settings import read_settings
    from services.wiring import build_model

    *files, question = arguments
    if bool(files) == bool(course):
        raise InvalidInput(Fault("option.files_or_course"), field="FILE")
    settings = read_settings(home)
    how: Any = {
        "method": method,
        "context_tokens": settings.prompt_tokens + settings.llm_max_tokens,
        "output_tokens": settings.llm_max_tokens,
    }
    if course:
        course_id = CourseId(course)
        with platform(home) as vta:
            lines = course_lines(vta.stores, course_id)
            answer = run(
                ask_transcript(lines, question, model=vta.model, course_id=course_id, **how), vta.model
            )
    else:
        lines = [line for file in files for line in read_transcript(Path(file))]
        model = build_model(settings)
        answer = run(ask_transcript(lines, question, model=model, **how), model)
    if as_json:
        show_json(answer_json(answer))
    else:
        _show(answer)


def answer_json(answer: TranscriptAnswer) -> dict[str, object]:
    """The fields of the answer; a quote has `video` only where it comes from one."""
    fields = asdict(answer)
    for quote in fields["quotes"]:
        if quote["video"] is None:
            del quote["video"]
    return fields


def _show(answer: TranscriptAnswer) -> None:
    show(answer.answer)
    if answer.explanation:
        show(answer.explanation)
    for quote in answer.quotes:
        second = "" if quote.start is None else f"[{format_time(quote.start)}] "
        show(f"  {second}{quote.text}")
    degraded = f"; {answer.degraded.reason}" if answer.degraded else ""
    show(f"\n({answer.chunks} chunks, {answer.calls} calls, {answer.tokens} tokens{degraded})")
